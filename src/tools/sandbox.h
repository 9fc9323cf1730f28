// What a process that reads untrusted files gives up.
#ifndef LIMBER_SRC_TOOLS_SANDBOX_H
#define LIMBER_SRC_TOOLS_SANDBOX_H

#include <stdbool.h>

// Closes all files but the three standard ones. From then on this process can read files, use memory, write to files
// that are open, and end. Any other system call ends it with SIGSYS: sockets, processes and programs, opening for
// writing, signals to others, executable memory. Call it while the process has one thread. Returns false where the
// system offers no such filter (other systems than Linux, other processors than x86-64 and AArch64, QEMU's user mode).
bool sandbox_enter(void);

#endif
