/// @file graph_json.hpp
/// @ingroup cpp
/// The handles of graphs as text for C++17 (limber.hpp). It needs the library limber::graph.
///
///     limber::result<limber::graph_json> text = limber::read_graph_json(source); // a lmb_graph_source
///     limber::graph graph = limber::create_graph(*lmb_graph_json_def(text.value().get())).value();
#ifndef LIMBER_GRAPH_JSON_HPP
#define LIMBER_GRAPH_JSON_HPP

#include <limber/graph_json.h>
#include <limber/machine.h>

#include <limber/limber.hpp>

#include <cstddef>

namespace limber {

/// @addtogroup cpp
/// @{

using graph_json = handle<lmb_graph_json, lmb_graph_json_destroy>;
using graph_aliases = handle<lmb_graph_aliases, lmb_graph_aliases_destroy>;

/// Calls lmb_graph_json_read(). `problems` lists all mistakes, unless it is NULL.
inline result<graph_json> read_graph_json(const lmb_graph_source &source, lmb_graph_problems *problems = nullptr,
                                          const lmb_host *host = nullptr) {
    lmb_graph_json *object = nullptr;
    lmb_error error = lmb_error();
    if (lmb_graph_json_read(&source, host, &object, problems, &error) != LMB_OK) {
        return error;
    }
    return graph_json(object);
}
/// Calls lmb_machine_read(). `within`, which may be NULL, is the graph with the machine.
inline result<graph_json> read_machine(const lmb_graph_source &machine, const lmb_graph_source *within = nullptr,
                                       lmb_graph_problems *problems = nullptr, const lmb_host *host = nullptr) {
    lmb_graph_json *object = nullptr;
    lmb_error error = lmb_error();
    if (lmb_machine_read(&machine, within, host, &object, problems, &error) != LMB_OK) {
        return error;
    }
    return graph_json(object);
}
inline result<graph_aliases> read_graph_aliases(const char *text, std::size_t size, const char *name = nullptr,
                                                const lmb_host *host = nullptr) {
    return create<graph_aliases>(lmb_graph_aliases_read, text, size, name, host);
}

/// @}

} // namespace limber

#endif
