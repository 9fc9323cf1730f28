# Writes the bytes of the file SOURCE to TARGET, as the initialisers of an array in C.
file(READ ${SOURCE} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
file(WRITE ${TARGET} "${bytes}\n")
