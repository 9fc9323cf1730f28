// volk's implementation, for programs of this project. The library does not contain it: hosts bring their own.
#define VOLK_IMPLEMENTATION
#include <volk.h>
