#!/bin/sh
# Runs a program for Windows under Wine, at fixed addresses where the system allows that. Debian's Wine maps its loader
# below 0x7ffe0000, which Windows reserves for data. At random addresses, one start in about 3,500 fails because the
# loader's heap is there.
wine=/usr/lib/wine/wine64
if setarch -R true 2>/dev/null; then
    exec setarch -R "$wine" "$@"
fi
exec "$wine" "$@"
