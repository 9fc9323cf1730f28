/// @file gpu.hpp
/// @ingroup cpp
/// The handles of the GPU side for C++17 (limber.hpp). It needs the headers of Vulkan.
///
/// Members of a class are destroyed in the right order if they are declared as here: gpu, graph, gpu_graph, gpu_batch,
/// gpu_readback. But to assign such a class destroys the old members from the first on: what is still used stays (an
/// error is logged), and nothing owns it any more. Reset the old members before, the last one first, or swap, and let
/// the old object go out of scope.
#ifndef LIMBER_GPU_HPP
#define LIMBER_GPU_HPP

#include <limber/gpu_profile.h>
#include <limber/gpu_ragdoll.h>
#include <limber/gpu_readback.h>
#include <limber/gpu_reload.h>
#include <limber/gpu_skin.h>

#include <limber/limber.hpp>

namespace limber {

/// @addtogroup cpp
/// @{

using gpu = handle<lmb_gpu, lmb_gpu_destroy>;                   ///< declare it before all that is created with it
using gpu_graph = handle<lmb_gpu_graph, lmb_gpu_graph_destroy>; ///< destroy it before its lmb_gpu
using gpu_batch = handle<lmb_gpu_batch, lmb_gpu_batch_destroy>; ///< destroy it before its graph
using gpu_clip = handle<lmb_gpu_clip, lmb_gpu_clip_destroy>;    ///< destroy it once its copies have completed
inline result<gpu> create_gpu(const lmb_gpu_def &def, const lmb_host *host = nullptr) {
    return create<gpu>(lmb_gpu_create, &def, host);
}
inline result<gpu_graph> create_gpu_graph(lmb_gpu *on, const lmb_graph *of) {
    return create<gpu_graph>(lmb_gpu_graph_create, on, of);
}
inline result<gpu_graph> create_gpu_graph_interpreted(lmb_gpu *on, const lmb_graph *of) {
    return create<gpu_graph>(lmb_gpu_graph_create_interpreted, on, of);
}
inline result<gpu_clip> create_gpu_clip(lmb_gpu *on, const lmb_clip *from) {
    return create<gpu_clip>(lmb_gpu_clip_create, on, from);
}
inline result<gpu_batch> create_gpu_batch(lmb_gpu *on, const lmb_gpu_batch_def &def) {
    return create<gpu_batch>(lmb_gpu_batch_create, on, &def);
}

using gpu_profile = handle<lmb_gpu_profile, lmb_gpu_profile_destroy>;
inline result<gpu_profile> create_gpu_profile(lmb_gpu *on, const lmb_gpu_profile_def &def) {
    return create<gpu_profile>(lmb_gpu_profile_create, on, &def);
}

using gpu_readback = handle<lmb_gpu_readback, lmb_gpu_readback_destroy>; ///< destroy it before its batch
inline result<gpu_readback> create_gpu_readback(lmb_gpu *on, const lmb_gpu_readback_def &def) {
    return create<gpu_readback>(lmb_gpu_readback_create, on, &def);
}

using gpu_skin = handle<lmb_gpu_skin, lmb_gpu_skin_destroy>; ///< destroy it before its lmb_gpu
inline result<gpu_skin> create_gpu_skin(lmb_gpu *on) {
    return create<gpu_skin>(lmb_gpu_skin_create, on);
}

using gpu_ragdoll = handle<lmb_gpu_ragdoll, lmb_gpu_ragdoll_destroy>; ///< destroy it before its lmb_gpu
inline result<gpu_ragdoll> create_gpu_ragdoll(lmb_gpu *on) {
    return create<gpu_ragdoll>(lmb_gpu_ragdoll_create, on);
}

/// @}

} // namespace limber

#endif
