#include "panel.h"

#include <cfloat>
#include <cmath>
#include <new>

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_vulkan.h>

#include <imgui.h>

namespace {
// Pixels.
constexpr float MARGIN = 8.0f;
constexpr uint32_t SMALL = 400;
constexpr float WIDEST_SLIDER = 208.0f;
constexpr float SLIDER_SHARE = 0.17f; // of the picture's width
} // namespace

struct panel {
    VkDevice device;
    VkRenderPass pass;
    VkDescriptorPool pool;
    GLFWwindow *window;
    ImGuiContext *context;
    VkExtent2D extent;
};

static VkDescriptorPool create_pool(VkDevice device) {
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1};
    VkDescriptorPoolCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    info.maxSets = 1;
    info.poolSizeCount = 1;
    info.pPoolSizes = &size;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    return vkCreateDescriptorPool(device, &info, nullptr, &pool) == VK_SUCCESS ? pool : VK_NULL_HANDLE;
}

static bool start_vulkan(const panel_def *def, VkDescriptorPool pool) {
    ImGui_ImplVulkan_InitInfo info = {};
    info.Instance = def->instance;
    info.PhysicalDevice = def->physical_device;
    info.Device = def->device;
    info.QueueFamily = def->queue_family;
    info.Queue = def->queue;
    info.DescriptorPool = pool;
    info.MinImageCount = def->image_count;
    info.ImageCount = def->image_count;
    info.MSAASamples = VK_SAMPLE_COUNT_1_BIT;
    return ImGui_ImplVulkan_Init(&info, def->pass);
}

panel *panel_create(const panel_def *def) {
    panel *created = new (std::nothrow) panel{};
    VkDescriptorPool pool = create_pool(def->device);
    if (created == nullptr || pool == VK_NULL_HANDLE) {
        vkDestroyDescriptorPool(def->device, pool, nullptr);
        delete created;
        return nullptr;
    }
    created->device = def->device;
    created->pass = def->pass;
    created->pool = pool;
    created->window = static_cast<GLFWwindow *>(def->window);
    created->context = ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr; // nothing is left behind
    if (created->window != nullptr) {
        ImGui_ImplGlfw_InitForVulkan(created->window, true);
    }
    start_vulkan(def, pool);
    return created;
}

void panel_destroy(panel *panel) {
    if (panel == nullptr) {
        return;
    }
    ImGui_ImplVulkan_Shutdown();
    if (panel->window != nullptr) {
        ImGui_ImplGlfw_Shutdown();
    }
    ImGui::DestroyContext(panel->context);
    vkDestroyDescriptorPool(panel->device, panel->pool, nullptr);
    delete panel;
}

void panel_record_letters(panel *panel, VkCommandBuffer commands) {
    if (panel != nullptr) {
        ImGui_ImplVulkan_CreateFontsTexture(commands);
    }
}

void panel_letters_uploaded(panel *panel) {
    if (panel != nullptr) {
        ImGui_ImplVulkan_DestroyFontUploadObjects();
    }
}

void panel_begin(panel *panel, const char *title, VkExtent2D extent, float seconds) {
    if (panel == nullptr) {
        return;
    }
    panel->extent = extent;
    ImGui_ImplVulkan_NewFrame();
    if (panel->window != nullptr) {
        ImGui_ImplGlfw_NewFrame();
    } else {
        ImGui::GetIO().DisplaySize = ImVec2(static_cast<float>(extent.width), static_cast<float>(extent.height));
        ImGui::GetIO().DeltaTime = seconds > 0.0f ? seconds : 1.0f / 60.0f;
    }
    ImGui::NewFrame();
    // In a small picture it lies folded in the lower corner, where it hides no face.
    const bool small = extent.width < SMALL;
    const float right = static_cast<float>(extent.width) - MARGIN, bottom = static_cast<float>(extent.height) - MARGIN;
    ImGui::SetNextWindowPos(ImVec2(right, small ? bottom : MARGIN), ImGuiCond_Always,
                            ImVec2(1.0f, small ? 1.0f : 0.0f));
    ImGui::SetNextWindowCollapsed(small, ImGuiCond_Once);
    // As wide as its title, which sizing to what is below does not see.
    const float width = ImGui::CalcTextSize(title).x + 4.0f * ImGui::GetFontSize();
    ImGui::SetNextWindowSizeConstraints(ImVec2(width, 0.0f), ImVec2(FLT_MAX, FLT_MAX));
    ImGui::Begin(title, nullptr, ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoMove);
    ImGui::PushItemWidth(std::fmin(SLIDER_SHARE * static_cast<float>(extent.width), WIDEST_SLIDER));
}

void panel_text(panel *panel, const char *text) {
    if (panel != nullptr) {
        ImGui::TextUnformatted(text);
    }
}

bool panel_slider(panel *panel, const char *name, float min, float max, float *value) {
    return panel != nullptr && ImGui::SliderFloat(name, value, min, max);
}

bool panel_button(panel *panel, const char *name) {
    return panel != nullptr && ImGui::Button(name);
}

void panel_end(panel *panel, VkCommandBuffer commands, VkFramebuffer framebuffer) {
    if (panel == nullptr) {
        return;
    }
    ImGui::PopItemWidth();
    ImGui::End();
    ImGui::Render();
    if (commands == VK_NULL_HANDLE) {
        return;
    }
    VkRenderPassBeginInfo begin = {};
    begin.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO;
    begin.renderPass = panel->pass;
    begin.framebuffer = framebuffer;
    begin.renderArea.extent = panel->extent;
    vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    ImGui_ImplVulkan_RenderDrawData(ImGui::GetDrawData(), commands);
    vkCmdEndRenderPass(commands);
}

bool panel_takes_mouse(const panel *panel) {
    return panel != nullptr && ImGui::GetIO().WantCaptureMouse;
}

bool panel_takes_keys(const panel *panel) {
    return panel != nullptr && ImGui::GetIO().WantCaptureKeyboard;
}
