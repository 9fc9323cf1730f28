/// @file limber.hpp
/// @ingroup cpp
/// A thin layer over the C headers for C++17: handles that destroy what they own, lists in descriptors, and results.
///
///     const std::array nodes = {lmb_clip_node(0, lmb_parameter(0)), lmb_clip_node(1, lmb_parameter(0)),
///                               lmb_blend_node(0, 1, lmb_parameter(1))};
///     lmb_graph_def def = lmb_default_graph_def();
///     def.rig = rig;                                        // a const lmb_rig *
///     limber::set(def.clips, def.clip_count, clips);        // a list of const lmb_clip *
///     limber::set(def.nodes, def.node_count, nodes);
///     def.parameter_count = 2;
///     limber::result<limber::graph> graph = limber::create_graph(def);
///     if (!graph) {
///         std::puts(graph.error().message);
///     }
///     lmb_graph *pointer = graph.value().get(); // for the functions of the C interface
///
/// gpu.hpp has the handles of the GPU side, graph_json.hpp those of graphs as text, and import.hpp those of files.
/// Everything else is the C interface.
///
/// This layer allocates nothing by itself. result::value() prints the message and ends the program if there is no
/// value; define LIMBER_EXCEPTIONS as 1 before the header to let it throw a limber::exception instead. Nothing else
/// throws.
#ifndef LIMBER_LIMBER_HPP
#define LIMBER_LIMBER_HPP

#include <limber/cpu.h>
#include <limber/cpu_pool.h>
#include <limber/cpu_profile.h>
#include <limber/motion_database.h>
#include <limber/motion_graph.h>
#include <limber/pack.h>
#include <limber/root_motion.h>
#include <limber/skin.h>
#include <limber/transfer.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#ifndef LIMBER_EXCEPTIONS
#define LIMBER_EXCEPTIONS 0
#endif
#if LIMBER_EXCEPTIONS
#include <stdexcept>
#endif

namespace limber {

/// @addtogroup cpp
/// @{

/// Calls the function that destroys a type.
template <auto Function> struct destroyer {
    template <class T> void operator()(T *object) const noexcept {
        Function(object);
    }
};

/// Owns an object: a std::unique_ptr that calls its destroy function.
template <class T, auto Function> using handle = std::unique_ptr<T, destroyer<Function>>;

using rig = handle<lmb_rig, lmb_rig_destroy>;
using clip = handle<lmb_clip, lmb_clip_destroy>;
using graph = handle<lmb_graph, lmb_graph_destroy>; ///< must outlive what is created from it
using cpu = handle<lmb_cpu, lmb_cpu_destroy>;
using cpu_pool = handle<lmb_cpu_pool, lmb_cpu_pool_destroy>;
using cpu_profile = handle<lmb_cpu_profile, lmb_cpu_profile_destroy>;
using profile = handle<lmb_profile, lmb_profile_destroy>;

#if LIMBER_EXCEPTIONS
/// A failed call. what() is the message of the error.
class exception : public std::runtime_error {
  public:
    explicit exception(const lmb_error &error)
        : std::runtime_error(error.message), code(error.result), vulkan_result(error.vulkan_result) {}
    lmb_result code;
    std::int32_t vulkan_result; ///< as that of lmb_error
};
#endif

/// Prints the message and ends the program, or throws if LIMBER_EXCEPTIONS is 1.
[[noreturn]] inline void fail(const lmb_error &error) {
#if LIMBER_EXCEPTIONS
    throw exception(error);
#else
    std::fprintf(stderr, "limber: %s\n", error.message);
    std::abort();
#endif
}

/// A value, or the error of the call that did not give one.
template <class T> class [[nodiscard]] result {
  public:
    result(T value) : content(std::move(value)), failure() {}
    result(const lmb_error &error) : content(), failure(error) {}

    explicit operator bool() const noexcept {
        return failure.result == LMB_OK;
    }
    /// The error; its result is LMB_OK if there is a value.
    const lmb_error &error() const noexcept {
        return failure;
    }
    /// The value. Fails if there is none.
    T &value() & {
        check();
        return content;
    }
    T &&value() && {
        check();
        return std::move(content);
    }

  private:
    void check() const {
        if (failure.result != LMB_OK) {
            fail(failure);
        }
    }

    T content;
    lmb_error failure;
};

/// The result of a call that gives no value.
template <> class [[nodiscard]] result<void> {
  public:
    result() : failure() {}
    result(const lmb_error &error) : failure(error) {}

    explicit operator bool() const noexcept {
        return failure.result == LMB_OK;
    }
    const lmb_error &error() const noexcept {
        return failure;
    }
    /// Fails if the call failed.
    void value() const {
        if (failure.result != LMB_OK) {
            fail(failure);
        }
    }

  private:
    lmb_error failure;
};

/// Sets a list in a descriptor: its pointer and its count. `list` is an array, a std::array, a std::vector, a std::span
/// or the like. It is not copied, so a temporary is refused.
template <class T, class List> void set(T *&pointer, uint32_t &count, List &list) {
    static_assert(std::is_convertible_v<decltype(std::data(list)), T *>, "the list has elements of another type");
    pointer = std::data(list);
    count = static_cast<uint32_t>(std::size(list));
}
template <class T, class List> void set(T *&pointer, uint32_t &count, const List &&list) = delete;

/// Calls a function whose last arguments are `T **` and `lmb_error *`: `limber::create<limber::rig>(lmb_rig_create,
/// &def, host)`. The functions below do so for the usual types.
template <class Handle, class Function, class... Arguments>
result<Handle> create(Function function, Arguments... arguments) {
    typename Handle::pointer object = nullptr;
    lmb_error error = lmb_error();
    if (function(arguments..., &object, &error) != LMB_OK) {
        return error;
    }
    return Handle(object);
}

/// Calls a function whose last argument is `lmb_error *`: `limber::call(lmb_cpu_run, cpu.get(), &batch, &inputs,
/// &outputs)`.
template <class Function, class... Arguments> result<void> call(Function function, Arguments... arguments) {
    lmb_error error = lmb_error();
    if (function(arguments..., &error) != LMB_OK) {
        return error;
    }
    return {};
}

inline result<rig> create_rig(const lmb_rig_def &def, const lmb_host *host = nullptr) {
    return create<rig>(lmb_rig_create, &def, host);
}
inline result<clip> create_clip(const lmb_rig *of, const lmb_clip_def &def, const lmb_host *host = nullptr) {
    return create<clip>(lmb_clip_create, of, &def, host);
}
inline result<clip> open_clip(const void *bytes, size_t size, const lmb_host *host = nullptr) {
    return create<clip>(lmb_clip_open, bytes, size, host);
}
inline result<graph> create_graph(const lmb_graph_def &def, const lmb_host *host = nullptr) {
    return create<graph>(lmb_graph_create, &def, host);
}
inline result<cpu> create_cpu(const lmb_graph *of, lmb_cpu_path path = LMB_CPU_FAST, const lmb_host *host = nullptr) {
    return create<cpu>(lmb_cpu_create, of, path, host);
}
inline result<cpu_pool> create_cpu_pool(const lmb_graph *of, lmb_cpu_path path, uint32_t thread_count,
                                        const lmb_host *host = nullptr) {
    return create<cpu_pool>(lmb_cpu_pool_create, of, path, thread_count, host);
}
inline result<cpu_profile> create_cpu_profile(const lmb_cpu_profile_def &def, const lmb_host *host = nullptr) {
    return create<cpu_profile>(lmb_cpu_profile_create, &def, host);
}
inline result<profile> create_profile(const lmb_profile_def &def, const lmb_host *host = nullptr) {
    return create<profile>(lmb_profile_create, &def, host);
}

using root_motion = handle<lmb_root_motion, lmb_root_motion_destroy>;
inline result<root_motion> extract_root_motion(const lmb_rig *of, const lmb_clip *from, const lmb_root_motion_def &def,
                                               const lmb_host *host = nullptr) {
    return create<root_motion>(lmb_root_motion_extract, of, from, &def, host);
}

using motion_database = handle<lmb_motion_database, lmb_motion_database_destroy>;
inline result<motion_database> create_motion_database(const lmb_motion_database_def &def,
                                                      const lmb_host *host = nullptr) {
    return create<motion_database>(lmb_motion_database_create, &def, host);
}

using motion_graph = handle<lmb_motion_graph, lmb_motion_graph_destroy>;
inline result<motion_graph> create_motion_graph(const lmb_motion_graph_def &def, const lmb_host *host = nullptr) {
    return create<motion_graph>(lmb_motion_graph_create, &def, host);
}

using motion_walk = handle<lmb_motion_walk, lmb_motion_walk_destroy>;
inline result<motion_walk> create_motion_walk(const lmb_motion_walk_def &def, const lmb_host *host = nullptr) {
    return create<motion_walk>(lmb_motion_walk_create, &def, host);
}

using skin = handle<lmb_skin, lmb_skin_destroy>;
inline result<skin> create_skin(const lmb_skin_def &def, const lmb_host *host = nullptr) {
    return create<skin>(lmb_skin_create, &def, host);
}

using graph_transfer = handle<lmb_graph_transfer, lmb_graph_transfer_destroy>;
inline result<graph_transfer> create_graph_transfer(const lmb_graph *from, const lmb_graph *to,
                                                    const lmb_host *host = nullptr) {
    return create<graph_transfer>(lmb_graph_transfer_create, from, to, host);
}

using pack = handle<lmb_pack, lmb_pack_close>; ///< owns its rig and descriptors; the bytes must outlive it
inline result<pack> open_pack(const void *bytes, size_t size, const lmb_host *host = nullptr) {
    return create<pack>(lmb_pack_open, bytes, size, host);
}

/// @}

} // namespace limber

#endif
