// Creates the window and its swapchain, and collects input.
#include "window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <GLFW/glfw3.h>

#define MAX_IMAGES 16u
#define MAX_FRAMES 8u
#define CLICK_SHARE 0.01f // of the picture: how far the pointer may move in a click

struct window {
    GLFWwindow *handle;
    window_input input;
    double cursor_x;
    double cursor_y;
    float pressed_at[2];
    device *device;
    VkSurfaceKHR surface;
    VkSurfaceFormatKHR format;
    VkSwapchainKHR swapchain;
    VkExtent2D extent;
    VkImage images[MAX_IMAGES];
    VkSemaphore rendered[MAX_IMAGES];
    uint32_t image_count;
    uint32_t image; // the acquired one
    VkSemaphore acquired[MAX_FRAMES];
    uint32_t frame_count;
    bool stale;
};

void window_input_press(window_input *input, float pressed_at[2]) {
    memcpy(pressed_at, input->at, sizeof input->at);
    input->pressed = true;
}

void window_input_lift(window_input *input, const float pressed_at[2]) {
    input->lifted = true;
    input->clicked =
        fabsf(input->at[0] - pressed_at[0]) < CLICK_SHARE && fabsf(input->at[1] - pressed_at[1]) < CLICK_SHARE;
}

static const char *glfw_says(void) {
    const char *text = NULL;
    glfwGetError(&text);
    return text != NULL ? text : "no reason given";
}

static void on_key(GLFWwindow *handle, int key, int scancode, int action, int modifiers) {
    (void)scancode;
    (void)modifiers;
    window *window = glfwGetWindowUserPointer(handle);
    if (action != GLFW_RELEASE && window->input.key_count < WINDOW_MAX_KEYS) {
        window->input.keys[window->input.key_count++] = key;
    }
    if (action == GLFW_RELEASE && window->input.released_count < WINDOW_MAX_KEYS) {
        window->input.released[window->input.released_count++] = key;
    }
}

static void find_place(window *window) {
    int width = 1, height = 1;
    glfwGetWindowSize(window->handle, &width, &height);
    window->input.at[0] = (float)(window->cursor_x / (width > 0 ? width : 1));
    window->input.at[1] = (float)(window->cursor_y / (height > 0 ? height : 1));
}

static void on_cursor(GLFWwindow *handle, double x, double y) {
    window *window = glfwGetWindowUserPointer(handle);
    if (glfwGetMouseButton(handle, GLFW_MOUSE_BUTTON_LEFT) == GLFW_PRESS) {
        window->input.drag_x += (float)(x - window->cursor_x);
        window->input.drag_y += (float)(y - window->cursor_y);
    }
    window->cursor_x = x;
    window->cursor_y = y;
    find_place(window);
}

static void on_button(GLFWwindow *handle, int button, int action, int modifiers) {
    (void)modifiers;
    window *window = glfwGetWindowUserPointer(handle);
    find_place(window);
    if (button == GLFW_MOUSE_BUTTON_LEFT && action == GLFW_PRESS) {
        window_input_press(&window->input, window->pressed_at);
    } else if (button == GLFW_MOUSE_BUTTON_LEFT) {
        window_input_lift(&window->input, window->pressed_at);
    }
}

static void on_wheel(GLFWwindow *handle, double x, double y) {
    (void)x;
    window *window = glfwGetWindowUserPointer(handle);
    window->input.wheel += (float)y;
}

static void on_resize(GLFWwindow *handle, int width, int height) {
    (void)width;
    (void)height;
    window *window = glfwGetWindowUserPointer(handle);
    window->stale = true;
}

lmb_result window_open(uint32_t width, uint32_t height, window **result, lmb_error *error) {
    if (!glfwInit()) {
        return viewer_fail(error, LMB_ERROR_STATE, "no display: %s; --headless draws without one", glfw_says());
    }
    if (!glfwVulkanSupported()) {
        glfwTerminate();
        return viewer_fail(error, LMB_ERROR_VULKAN, "GLFW finds no Vulkan loader, or no driver");
    }
    window *window = calloc(1, sizeof *window);
    glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    GLFWwindow *handle = window != NULL ? glfwCreateWindow((int)width, (int)height, "limber-viewer", NULL, NULL) : NULL;
    if (handle == NULL) {
        viewer_fail(error, LMB_ERROR_STATE, "no window: %s; --headless draws without one", glfw_says());
        free(window);
        glfwTerminate();
        return error->result;
    }
    window->handle = handle;
    glfwSetWindowUserPointer(handle, window);
    glfwSetKeyCallback(handle, on_key);
    glfwSetCursorPosCallback(handle, on_cursor);
    glfwSetMouseButtonCallback(handle, on_button);
    glfwSetScrollCallback(handle, on_wheel);
    glfwSetFramebufferSizeCallback(handle, on_resize);
    *result = window;
    return LMB_OK;
}

static void destroy_swapchain(window *window) {
    for (uint32_t i = 0; i < window->image_count; i++) {
        vkDestroySemaphore(window->device->device, window->rendered[i], NULL);
        window->rendered[i] = VK_NULL_HANDLE;
    }
    window->image_count = 0;
    vkDestroySwapchainKHR(window->device->device, window->swapchain, NULL);
    window->swapchain = VK_NULL_HANDLE;
}

void window_close(window *window) {
    if (window == NULL) {
        return;
    }
    if (window->device != NULL) {
        if (window->swapchain != VK_NULL_HANDLE) {
            destroy_swapchain(window);
        }
        for (uint32_t i = 0; i < window->frame_count; i++) {
            vkDestroySemaphore(window->device->device, window->acquired[i], NULL);
        }
        vkDestroySurfaceKHR(window->device->instance, window->surface, NULL);
    }
    glfwDestroyWindow(window->handle);
    free(window);
    glfwTerminate();
}

const char *const *window_extensions(uint32_t *count) {
    return (const char *const *)glfwGetRequiredInstanceExtensions(count);
}

static lmb_result create_semaphores(const device *device, VkSemaphore *semaphores, uint32_t count, lmb_error *error) {
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    for (uint32_t i = 0; i < count; i++) {
        if (graphics_check(vkCreateSemaphore(device->device, &info, NULL, &semaphores[i]), "vkCreateSemaphore",
                           error)) {
            return error->result;
        }
    }
    return LMB_OK;
}

// The picture is already encoded, so a format that encodes again cannot be used.
static lmb_result choose_format(window *window, lmb_error *error) {
    VkSurfaceFormatKHR formats[64];
    uint32_t count = 64;
    VkResult result = vkGetPhysicalDeviceSurfaceFormatsKHR(window->device->physical, window->surface, &count, formats);
    if (result != VK_SUCCESS && result != VK_INCOMPLETE) {
        return graphics_check(result, "vkGetPhysicalDeviceSurfaceFormatsKHR", error);
    }
    for (uint32_t i = 0; i < count; i++) {
        VkFormatProperties properties;
        vkGetPhysicalDeviceFormatProperties(window->device->physical, formats[i].format, &properties);
        bool plain = formats[i].format == VK_FORMAT_B8G8R8A8_UNORM || formats[i].format == VK_FORMAT_R8G8B8A8_UNORM;
        if (plain && formats[i].colorSpace == VK_COLOR_SPACE_SRGB_NONLINEAR_KHR &&
            (properties.optimalTilingFeatures & VK_FORMAT_FEATURE_BLIT_DST_BIT) != 0) {
            window->format = formats[i];
            return LMB_OK;
        }
    }
    return viewer_fail(error, LMB_ERROR_UNSUPPORTED,
                       "device '%s' offers no 8-bit format for the window; --headless draws without one",
                       window->device->properties.deviceName);
}

static lmb_result check_present(window *window, lmb_error *error) {
    VkBool32 supported = VK_FALSE;
    if (window->device->swapchain) {
        vkGetPhysicalDeviceSurfaceSupportKHR(window->device->physical, window->device->queue_family, window->surface,
                                             &supported);
    }
    if (!supported) {
        return viewer_fail(error, LMB_ERROR_UNSUPPORTED,
                           "device '%s' cannot present to a window; take another, or draw with --headless",
                           window->device->properties.deviceName);
    }
    return LMB_OK;
}

lmb_result window_attach(window *window, device *device, uint32_t frame_count, lmb_error *error) {
    if (graphics_check(glfwCreateWindowSurface(device->instance, window->handle, NULL, &window->surface),
                       "glfwCreateWindowSurface", error)) {
        return error->result;
    }
    window->device = device;
    window->frame_count = frame_count;
    if (check_present(window, error) || choose_format(window, error) ||
        create_semaphores(device, window->acquired, frame_count, error)) {
        return error->result;
    }
    return window_renew(window, error);
}

void *window_handle(const window *window) {
    return window->handle;
}

void window_show(window *window) {
    glfwShowWindow(window->handle);
}

static bool is_minimised(const window *window) {
    int width = 0;
    int height = 0;
    glfwGetFramebufferSize(window->handle, &width, &height);
    return width == 0 || height == 0;
}

void window_poll(window *window, window_input *input) {
    glfwPollEvents();
    while (is_minimised(window) && !glfwWindowShouldClose(window->handle)) {
        glfwWaitEvents();
    }
    *input = window->input;
    input->closed = glfwWindowShouldClose(window->handle) != 0;
    window->input = (window_input){.at = {input->at[0], input->at[1]}};
}

void window_set_title(window *window, const char *title) {
    glfwSetWindowTitle(window->handle, title);
}

bool window_is_stale(const window *window) {
    return window->stale;
}

static uint32_t clamp(uint32_t value, uint32_t low, uint32_t high) {
    return value < low ? low : value > high ? high : value;
}

static VkExtent2D choose_extent(const window *window, const VkSurfaceCapabilitiesKHR *surface) {
    if (surface->currentExtent.width != UINT32_MAX) {
        return surface->currentExtent;
    }
    int width = 0;
    int height = 0;
    glfwGetFramebufferSize(window->handle, &width, &height);
    return (VkExtent2D){clamp((uint32_t)width, surface->minImageExtent.width, surface->maxImageExtent.width),
                        clamp((uint32_t)height, surface->minImageExtent.height, surface->maxImageExtent.height)};
}

static VkCompositeAlphaFlagBitsKHR choose_alpha(const VkSurfaceCapabilitiesKHR *surface) {
    return (surface->supportedCompositeAlpha & VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR) != 0
               ? VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR
               : VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR;
}

static lmb_result create_swapchain(window *window, const VkSurfaceCapabilitiesKHR *surface, lmb_error *error) {
    if ((surface->supportedUsageFlags & VK_IMAGE_USAGE_TRANSFER_DST_BIT) == 0) {
        return viewer_fail(error, LMB_ERROR_UNSUPPORTED,
                           "the window's images cannot be copied to; --headless draws without one");
    }
    uint32_t most = surface->maxImageCount != 0 ? surface->maxImageCount : MAX_IMAGES;
    const VkSwapchainCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
        .surface = window->surface,
        .minImageCount = clamp(surface->minImageCount + 1, 1, most),
        .imageFormat = window->format.format,
        .imageColorSpace = window->format.colorSpace,
        .imageExtent = window->extent,
        .imageArrayLayers = 1,
        .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
        .preTransform = surface->currentTransform,
        .compositeAlpha = choose_alpha(surface),
        .presentMode = VK_PRESENT_MODE_FIFO_KHR,
        .clipped = VK_TRUE,
    };
    if (graphics_check(vkCreateSwapchainKHR(window->device->device, &info, NULL, &window->swapchain),
                       "vkCreateSwapchainKHR", error)) {
        return error->result;
    }
    uint32_t count = MAX_IMAGES;
    if (graphics_check(vkGetSwapchainImagesKHR(window->device->device, window->swapchain, &count, window->images),
                       "vkGetSwapchainImagesKHR", error)) {
        return error->result;
    }
    window->image_count = count;
    return create_semaphores(window->device, window->rendered, count, error);
}

lmb_result window_renew(window *window, lmb_error *error) {
    if (window->swapchain != VK_NULL_HANDLE) {
        destroy_swapchain(window);
    }
    VkSurfaceCapabilitiesKHR surface;
    if (graphics_check(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(window->device->physical, window->surface, &surface),
                       "vkGetPhysicalDeviceSurfaceCapabilitiesKHR", error)) {
        return error->result;
    }
    window->extent = choose_extent(window, &surface);
    window->stale = window->extent.width == 0 || window->extent.height == 0;
    return window->stale ? LMB_OK : create_swapchain(window, &surface, error);
}

VkExtent2D window_extent(const window *window) {
    return window->extent;
}

lmb_result window_acquire(window *window, uint32_t frame, bool *ready, lmb_error *error) {
    VkResult result = vkAcquireNextImageKHR(window->device->device, window->swapchain, UINT64_MAX,
                                            window->acquired[frame], VK_NULL_HANDLE, &window->image);
    *ready = result == VK_SUCCESS || result == VK_SUBOPTIMAL_KHR;
    window->stale = window->stale || result == VK_SUBOPTIMAL_KHR || result == VK_ERROR_OUT_OF_DATE_KHR;
    if (*ready || result == VK_ERROR_OUT_OF_DATE_KHR) {
        return LMB_OK;
    }
    return graphics_check(result, "vkAcquireNextImageKHR", error);
}

void window_record_copy(const window *window, VkCommandBuffer commands, VkImage picture, VkExtent2D extent) {
    VkImage image = window->images[window->image];
    graphics_record_transition(commands, &(graphics_transition){.image = image,
                                                                .to = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                                                .source_stage = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                                                .target_stage = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                                                .target_access = VK_ACCESS_TRANSFER_WRITE_BIT});
    const VkImageBlit region = {
        .srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .srcOffsets = {{0, 0, 0}, {(int32_t)extent.width, (int32_t)extent.height, 1}},
        .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .dstOffsets = {{0, 0, 0}, {(int32_t)window->extent.width, (int32_t)window->extent.height, 1}}};
    vkCmdBlitImage(commands, picture, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                   1, &region, VK_FILTER_NEAREST);
    graphics_record_transition(commands, &(graphics_transition){.image = image,
                                                                .from = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                                                .to = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
                                                                .source_stage = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                                                .target_stage = VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                                                                .source_access = VK_ACCESS_TRANSFER_WRITE_BIT});
}

VkSemaphore window_acquired(const window *window, uint32_t frame) {
    return window->acquired[frame];
}

VkSemaphore window_rendered(const window *window) {
    return window->rendered[window->image];
}

lmb_result window_present(window *window, lmb_error *error) {
    const VkPresentInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                   .waitSemaphoreCount = 1,
                                   .pWaitSemaphores = &window->rendered[window->image],
                                   .swapchainCount = 1,
                                   .pSwapchains = &window->swapchain,
                                   .pImageIndices = &window->image};
    VkResult result = vkQueuePresentKHR(window->device->queue, &info);
    if (result == VK_SUBOPTIMAL_KHR || result == VK_ERROR_OUT_OF_DATE_KHR) {
        window->stale = true;
        return LMB_OK;
    }
    return graphics_check(result, "vkQueuePresentKHR", error);
}
