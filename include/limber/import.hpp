/// @file import.hpp
/// @ingroup cpp
/// The handles of files for C++17 (limber.hpp). It needs the library limber::import.
#ifndef LIMBER_IMPORT_HPP
#define LIMBER_IMPORT_HPP

#include <limber/import.h>

#include <limber/graph_json.hpp>

namespace limber {

/// @addtogroup cpp
/// @{

using import_ = handle<lmb_import, lmb_import_destroy>; ///< `import` is a keyword of modules
inline result<import_> import_file(const char *path, const lmb_host *host = nullptr) {
    return create<import_>(lmb_import_file, path, host);
}
inline result<import_> create_import(const lmb_import_def &def, const lmb_host *host = nullptr) {
    return create<import_>(lmb_import_create, &def, host);
}

inline result<graph> create_graph_from_file(const char *path, const lmb_import *import,
                                            const lmb_host *host = nullptr) {
    return create<graph>(lmb_graph_create_from_file, path, import, host);
}

/// @}

} // namespace limber

#endif
