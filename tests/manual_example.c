// The blocks of C in docs/getting-started.md, which must compile.
#include <limber/gpu.h>

lmb_result manual_example(VkInstance instance, VkPhysicalDevice physical_device, VkDevice device, VkQueue queue,
                          uint32_t queue_family, PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr, const lmb_rig *rig,
                          const lmb_clip *const *clips, VkCommandBuffer commands, uint32_t slot);

lmb_result manual_example(VkInstance instance, VkPhysicalDevice physical_device, VkDevice device, VkQueue queue,
                          uint32_t queue_family, PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr, const lmb_rig *rig,
                          const lmb_clip *const *clips, VkCommandBuffer commands, uint32_t slot) {
    lmb_error error;
    lmb_graph *graph = NULL;
#include "getting_started.inc"
    return result;
}
