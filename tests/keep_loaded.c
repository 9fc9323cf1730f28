// Preloaded into the tests under the leak sanitizer. The Vulkan loader unloads the driver with the instance. At exit,
// the sanitizer then reports the driver's leaks without a module name. No suppression could name the driver, and one
// for "unknown module" would also hide Limber's own leaks. With this library, libraries stay loaded and keep their
// names.
#include <dlfcn.h>

int dlclose(void *library) {
    (void)library;
    return 0;
}
