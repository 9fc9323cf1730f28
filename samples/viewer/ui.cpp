// Wraps Dear ImGui. Lengths are in pixels of a picture of REFERENCE_HEIGHT lines, if nothing else is said.
#include "ui.h"

#include <algorithm>
#include <cfloat>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <new>
#include <string>
#include <vector>

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_vulkan.h>

#include <imgui.h>

namespace {
constexpr float REFERENCE_HEIGHT = 720.0f;
constexpr float FONT_HEIGHT = 16.0f;
constexpr float MIN_FONT_HEIGHT = 12.0f; // pixels, in small pictures
constexpr float MARGIN = 8.0f;
constexpr float WINDOW_WIDTH = 20.0f; // font heights
constexpr float MAX_SHARE = 0.36f;    // of the picture's width for a window
constexpr float MIN_WIDTH = 15.0f;    // font heights
constexpr float VALUE_SHARE = 0.35f;  // of a window's width for the text beside a slider or a bar
constexpr float BARS_SHARE = 0.11f;   // of the picture's height for a diagram
constexpr float ROW_BAR = 3.0f;       // font heights, of the bar in a tree's row
constexpr float ROW_NUMBER = 2.2f;    // font heights, of the number beside it
constexpr float SMALL_SLIDER = 5.0f;  // font heights
constexpr float INDENT = 0.9f;        // font heights, of a tree's rows

// Each is drawn from its own glyphs, so that letters are sharp at every size. Text in even larger ones is enlarged.
constexpr float FONT_HEIGHTS[] = {12.0f, 14.0f, 16.0f, 20.0f, 24.0f, 32.0f, 48.0f};
constexpr size_t FONT_COUNT = std::size(FONT_HEIGHTS);

// DejaVu Sans, in Debian, Fedora and Arch.
constexpr const char *FONT_FILES[] = {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
                                      "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
                                      "/usr/share/fonts/TTF/DejaVuSans.ttf"};

const ImVec4 BACKGROUND = {0.09f, 0.10f, 0.12f, 1.0f};
const ImVec4 TITLE = {0.16f, 0.18f, 0.22f, 1.0f};
const ImVec4 LINE = {0.30f, 0.32f, 0.36f, 1.0f};
const ImVec4 TEXT = {0.95f, 0.95f, 0.93f, 1.0f};
const ImVec4 ACCENT = {0.26f, 0.47f, 0.70f, 1.0f};
const ImVec4 DIM = {0.52f, 0.54f, 0.58f, 1.0f};
const ImVec4 TONES[] = {{0.55f, 0.83f, 0.55f, 1.0f}, {0.96f, 0.80f, 0.40f, 1.0f}, {1.00f, 0.52f, 0.45f, 1.0f}, DIM};
const ImVec4 MARKS[] = {{1.00f, 0.84f, 0.20f, 1.0f}, {0.95f, 0.95f, 0.93f, 1.0f}, {0.93f, 0.30f, 0.28f, 1.0f},
                        {0.35f, 0.80f, 0.35f, 1.0f}, {0.33f, 0.52f, 0.98f, 1.0f}, {1.00f, 0.62f, 0.15f, 1.0f},
                        {0.25f, 0.80f, 0.85f, 1.0f}};
const ImVec4 COLORS[UI_COLORS] = {{0.34f, 0.61f, 0.91f, 1.0f}, {0.94f, 0.60f, 0.25f, 1.0f},
                                  {0.40f, 0.76f, 0.45f, 1.0f}, {0.87f, 0.45f, 0.66f, 1.0f},
                                  {0.93f, 0.83f, 0.35f, 1.0f}, {0.60f, 0.62f, 0.66f, 1.0f}};
enum class column { LEFT, RIGHT, BOTTOM };

// How high a window is with all of its content.
struct window_height {
    std::string title;
    column place;
    float height;
};
} // namespace

struct ui {
    VkDevice device;
    VkDescriptorPool pool;
    GLFWwindow *window;
    ImGuiContext *context;
    ImFont *fonts[FONT_COUNT];
    float scale;                       // of lengths, for the current picture
    ImVec2 next;                       // the corner of the next window, pixels
    column place;                      // where the next window is
    bool keeps_column;                 // windows do not change to the right edge by themselves
    std::vector<window_height> before; // of the previous frame
    std::vector<window_height> now;
    float covered;
    float button_top; // upper edge of the last button in this window, pixels
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

static const char *find_font_file() {
    for (const char *path : FONT_FILES) {
        if (FILE *file = std::fopen(path, "rb")) {
            std::fclose(file);
            return path;
        }
    }
    return nullptr;
}

// Without a file, uses ImGui's built-in font.
static void add_fonts(ui *ui) {
    ImFontAtlas *atlas = ImGui::GetIO().Fonts;
    const char *file = find_font_file();
    for (size_t i = 0; i < FONT_COUNT; i++) {
        ImFontConfig config;
        config.SizePixels = FONT_HEIGHTS[i];
        config.OversampleH = config.OversampleV = 1;
        config.PixelSnapH = true;
        ui->fonts[i] = file != nullptr ? atlas->AddFontFromFileTTF(file, FONT_HEIGHTS[i], &config) : nullptr;
        if (ui->fonts[i] == nullptr) {
            ui->fonts[i] = atlas->AddFontDefault(&config);
        }
    }
}

static void set_style(float scale) {
    ImGuiStyle style;
    ImGui::StyleColorsDark(&style);
    style.WindowRounding = style.FrameRounding = style.GrabRounding = 3.0f;
    style.WindowBorderSize = 0.0f;
    style.WindowTitleAlign.x = 0.0f;
    style.ScaleAllSizes(scale);
    for (ImGuiCol color : {ImGuiCol_TitleBg, ImGuiCol_TitleBgActive, ImGuiCol_TitleBgCollapsed, ImGuiCol_FrameBg}) {
        style.Colors[color] = TITLE;
    }
    style.Colors[ImGuiCol_WindowBg] = BACKGROUND;
    style.Colors[ImGuiCol_Text] = TEXT;
    style.Colors[ImGuiCol_SliderGrab] = style.Colors[ImGuiCol_Button] = ACCENT;
    style.Colors[ImGuiCol_PlotHistogram] = COLORS[1];
    style.Colors[ImGuiCol_Header] = style.Colors[ImGuiCol_HeaderActive] = ImVec4(0.0f, 0.0f, 0.0f, 0.0f);
    style.Colors[ImGuiCol_HeaderHovered] = TITLE;
    ImGui::GetStyle() = style;
}

static void start_vulkan(const ui_def *def, VkDescriptorPool pool) {
    ImGui_ImplVulkan_InitInfo info = {};
    info.Instance = def->instance;
    info.PhysicalDevice = def->physical_device;
    info.Device = def->device;
    info.QueueFamily = def->queue_family;
    info.Queue = def->queue;
    info.DescriptorPool = pool;
    info.MinImageCount = def->frame_count;
    info.ImageCount = def->frame_count;
    info.MSAASamples = def->samples;
    ImGui_ImplVulkan_Init(&info, def->pass);
}

ui *ui_create(const ui_def *def) {
    ui *created = new (std::nothrow) ui{};
    VkDescriptorPool pool = create_pool(def->device);
    if (created == nullptr || pool == VK_NULL_HANDLE) {
        vkDestroyDescriptorPool(def->device, pool, nullptr);
        delete created;
        return nullptr;
    }
    created->device = def->device;
    created->pool = pool;
    created->window = static_cast<GLFWwindow *>(def->window);
    created->context = ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr; // nothing is left behind
    add_fonts(created);
    if (created->window != nullptr) {
        ImGui_ImplGlfw_InitForVulkan(created->window, true);
    }
    start_vulkan(def, pool);
    return created;
}

void ui_destroy(ui *ui) {
    if (ui == nullptr) {
        return;
    }
    ImGui_ImplVulkan_Shutdown();
    if (ui->window != nullptr) {
        ImGui_ImplGlfw_Shutdown();
    }
    ImGui::DestroyContext(ui->context);
    vkDestroyDescriptorPool(ui->device, ui->pool, nullptr);
    delete ui;
}

void ui_record_font(ui *, VkCommandBuffer commands) {
    ImGui_ImplVulkan_CreateFontsTexture(commands);
}

void ui_font_uploaded(ui *) {
    ImGui_ImplVulkan_DestroyFontUploadObjects();
}

// Returns the font whose glyphs are at most `height` pixels high, or the smallest one.
static ImFont *choose_font(const ui *ui, float height) {
    size_t choice = 0;
    while (choice + 1 < FONT_COUNT && FONT_HEIGHTS[choice + 1] <= height) {
        choice++;
    }
    return ui->fonts[choice];
}

static void set_scale(ui *ui) {
    ImGuiIO &io = ImGui::GetIO();
    const float height = std::max(MIN_FONT_HEIGHT, FONT_HEIGHT * io.DisplaySize.y / REFERENCE_HEIGHT);
    io.FontDefault = choose_font(ui, height);
    io.FontGlobalScale = std::max(1.0f, height / FONT_HEIGHTS[FONT_COUNT - 1]);
    ui->scale = io.FontDefault->FontSize * io.FontGlobalScale / FONT_HEIGHT;
    set_style(ui->scale);
}

void ui_begin(ui *ui, VkExtent2D extent) {
    ImGui_ImplVulkan_NewFrame();
    if (ui->window != nullptr) {
        ImGui_ImplGlfw_NewFrame();
    } else {
        ImGui::GetIO().DisplaySize = ImVec2(static_cast<float>(extent.width), static_cast<float>(extent.height));
        ImGui::GetIO().DeltaTime = 1.0f / 60.0f;
    }
    set_scale(ui);
    ImGui::NewFrame();
    ui->next = ImVec2(MARGIN * ui->scale, MARGIN * ui->scale);
    ui->place = column::LEFT;
    ui->keeps_column = false;
    ui->before.swap(ui->now);
    ui->now.clear();
    ui->covered = 0.0f;
}

void ui_end(ui *) {
    ImGui::Render();
}

void ui_record(ui *, VkCommandBuffer commands) {
    ImGui_ImplVulkan_RenderDrawData(ImGui::GetDrawData(), commands);
}

static float column_width(const ui *ui) {
    const float picture = ImGui::GetIO().DisplaySize.x, font = FONT_HEIGHT * ui->scale;
    return std::min(std::max(std::min(MAX_SHARE * picture, WINDOW_WIDTH * font), MIN_WIDTH * font), picture);
}

// Without room between the columns, the window at the lower edge is below both.
static bool has_wide_bottom(const ui *ui) {
    const float between = ImGui::GetIO().DisplaySize.x - 2.0f * column_width(ui) - 4.0f * MARGIN * ui->scale;
    return between < column_width(ui);
}

// Returns where columns end.
static float lower_edge(const ui *ui) {
    float edge = ImGui::GetIO().DisplaySize.y - MARGIN * ui->scale;
    for (const window_height &window : ui->before) {
        if (window.place == column::BOTTOM && has_wide_bottom(ui)) {
            edge -= window.height + MARGIN * ui->scale;
        }
    }
    return edge;
}

static float height_before(const ui *ui, const char *title) {
    for (const window_height &window : ui->before) {
        if (window.title == title) {
            return window.height;
        }
    }
    return 0.0f;
}

// Returns how high windows of a column may be, so that all of them have room: those that are lower leave the rest to
// the others, which get equal shares of it and scroll.
static float find_limit(const ui *ui, column place) {
    std::vector<float> heights;
    for (const window_height &window : ui->before) {
        if (window.place == place) {
            heights.push_back(window.height);
        }
    }
    std::sort(heights.begin(), heights.end());
    const float margin = MARGIN * ui->scale, min = 5.0f * FONT_HEIGHT * ui->scale;
    float rest = lower_edge(ui) - margin * static_cast<float>(std::max<size_t>(heights.size(), 1));
    for (size_t i = 0; i < heights.size(); i++) {
        const float share = rest / static_cast<float>(heights.size() - i);
        if (heights[i] > share) {
            return std::max(share, min);
        }
        rest -= heights[i];
    }
    return std::max(lower_edge(ui) - margin, min);
}

static void begin(ui *ui, const char *title, float width, ImGuiWindowFlags flags) {
    ImGui::SetNextWindowSize(ImVec2(width, 0.0f));
    ImGui::Begin(title, nullptr,
                 flags | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoFocusOnAppearing);
    ui->button_top = -1.0f;
    ui->now.push_back({title, ui->place, 0.0f});
    ImGui::PushItemWidth(-VALUE_SHARE * width);
}

static void go_right(ui *ui) {
    const float margin = MARGIN * ui->scale;
    ui->place = column::RIGHT;
    ui->next = ImVec2(ImGui::GetIO().DisplaySize.x - column_width(ui) - margin, margin);
}

void ui_begin_window(ui *ui, const char *title) {
    const float margin = MARGIN * ui->scale, width = column_width(ui);
    if (ui->place == column::LEFT && !ui->keeps_column && ui->next.y > margin &&
        ui->next.y + height_before(ui, title) > lower_edge(ui)) {
        go_right(ui);
    }
    ImGui::SetNextWindowPos(ui->next);
    ImGui::SetNextWindowSizeConstraints(ImVec2(width, 0.0f), ImVec2(width, find_limit(ui, ui->place)));
    begin(ui, title, width, ImGuiWindowFlags_None);
    if (ui->place == column::LEFT) {
        ui->covered = (ui->next.x + width) / ImGui::GetIO().DisplaySize.x;
    }
}

void ui_keep_left_column(ui *ui) {
    ui->keeps_column = true;
}

void ui_begin_right_column(ui *ui) {
    ui->keeps_column = true;
    go_right(ui);
}

void ui_begin_bottom_window(ui *ui, const char *name) {
    const ImVec2 picture = ImGui::GetIO().DisplaySize;
    const float margin = MARGIN * ui->scale, columns = has_wide_bottom(ui) ? 0.0f : 2.0f * (column_width(ui) + margin);
    ui->place = column::BOTTOM;
    ImGui::SetNextWindowPos(ImVec2(0.5f * picture.x, picture.y - margin), ImGuiCond_Always, ImVec2(0.5f, 1.0f));
    begin(ui, name, picture.x - columns - 2.0f * margin, ImGuiWindowFlags_NoTitleBar);
}

void ui_end_window(ui *ui) {
    const ImGuiStyle &style = ImGui::GetStyle();
    ImGui::PopItemWidth();
    ui->now.back().height = ImGui::IsWindowCollapsed()
                                ? ImGui::GetWindowHeight()
                                : ImGui::GetCursorPosY() - style.ItemSpacing.y + style.WindowPadding.y;
    ui->next.y += ImGui::GetWindowHeight() + MARGIN * ui->scale;
    ImGui::End();
}

void ui_text(ui *, const char *text) {
    ImGui::PushTextWrapPos(0.0f);
    ImGui::TextUnformatted(text);
    ImGui::PopTextWrapPos();
}

void ui_toned_text(ui *ui, ui_tone tone, const char *text) {
    ImGui::PushStyleColor(ImGuiCol_Text, TONES[tone]);
    ui_text(ui, text);
    ImGui::PopStyleColor();
}

void ui_value(ui *, const char *name, const char *value) {
    ImGui::TextUnformatted(name);
    ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - ImGui::CalcTextSize(value).x);
    ImGui::TextUnformatted(value);
}

void ui_progress(ui *, const char *name, float share) {
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0.0f, 0.0f)); // keeps the name in line with the bar
    ImGui::ProgressBar(share, ImVec2(ImGui::CalcItemWidth(), ImGui::GetTextLineHeight()), "");
    ImGui::SameLine(0.0f, ImGui::GetStyle().ItemInnerSpacing.x);
    ImGui::TextUnformatted(name);
    ImGui::PopStyleVar();
}

void ui_wide_progress(ui *, const char *text, float share) {
    const ImVec2 corner = ImGui::GetCursorScreenPos(), size = ImGui::CalcTextSize(text);
    const float width = ImGui::GetContentRegionAvail().x;
    ImGui::PushStyleColor(ImGuiCol_PlotHistogram, ACCENT);
    ImGui::ProgressBar(share, ImVec2(width, 0.0f), "");
    ImGui::PopStyleColor();
    ImGui::GetWindowDrawList()->AddText(
        ImVec2(corner.x + std::max(0.5f * (width - size.x), 0.0f), corner.y + ImGui::GetStyle().FramePadding.y),
        ImGui::GetColorU32(TEXT), text);
}

bool ui_small_slider(ui *, const char *name, const char *format, float min, float max, float *value) {
    ImGui::SameLine();
    ImGui::SetNextItemWidth(SMALL_SLIDER * ImGui::GetFontSize());
    ImGui::PushID(name);
    const bool moved = ImGui::SliderFloat("##small", value, min, max, format,
                                          ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
    ImGui::PopID();
    return moved;
}

bool ui_slider(ui *, const char *name, float min, float max, float *value) {
    return ImGui::SliderFloat(name, value, min, max, "%.2f", ImGuiSliderFlags_AlwaysClamp);
}

bool ui_playing_slider(ui *, const char *name, float min, float max, float *value, bool *plays) {
    const float side = ImGui::GetFrameHeight(), gap = ImGui::GetStyle().ItemInnerSpacing.x;
    ImGui::PushID(name);
    ImGui::SetNextItemWidth(ImGui::CalcItemWidth() - side - gap);
    const bool moved = ImGui::SliderFloat("##value", value, min, max, "%.2f", ImGuiSliderFlags_AlwaysClamp);
    ImGui::SameLine(0.0f, gap);
    if (ImGui::Button(*plays ? "||" : ">", ImVec2(side, 0.0f))) {
        *plays = !*plays;
    }
    ImGui::SameLine(0.0f, gap);
    ImGui::TextUnformatted(name);
    ImGui::PopID();
    return moved;
}

bool ui_whole_slider(ui *, const char *name, bool is_named, uint32_t min, uint32_t max, const char *text,
                     uint32_t *value) {
    // ImGui takes the text as a format for the number.
    std::string format;
    for (const char *at = text; *at != '\0'; at++) {
        format.append(*at == '%' ? "%%" : std::string(1, *at));
    }
    const std::string label = is_named ? std::string(name) : std::string("##") + name;
    if (!is_named) {
        ImGui::SameLine();
        ImGui::SetNextItemWidth(-1.0f);
    }
    return ImGui::SliderScalar(label.c_str(), ImGuiDataType_U32, value, &min, &max, format.c_str(),
                               ImGuiSliderFlags_NoInput | ImGuiSliderFlags_AlwaysClamp);
}

// Buttons are side by side if there is room.
bool ui_button(ui *ui, const char *name) {
    const ImGuiStyle &style = ImGui::GetStyle();
    const float right =
        ImGui::GetItemRectMax().x + style.ItemSpacing.x + ImGui::CalcTextSize(name).x + 2.0f * style.FramePadding.x;
    if (ImGui::GetItemRectMin().y == ui->button_top &&
        right <= ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x) {
        ImGui::SameLine();
    }
    ImGui::PushID("button"); // a slider may have the same name
    const bool pressed = ImGui::Button(name);
    ImGui::PopID();
    ui->button_top = ImGui::GetItemRectMin().y;
    return pressed;
}

bool ui_check(ui *, const char *name, bool *checked) {
    return ImGui::Checkbox(name, checked);
}

static ImVec2 in_picture(const float at[2]) {
    const ImVec2 picture = ImGui::GetIO().DisplaySize;
    return ImVec2(at[0] * picture.x, at[1] * picture.y);
}

void ui_mark(ui *ui, const float at[2], ui_mark_kind kind, const char *name, bool is_held) {
    const ImVec2 middle = in_picture(at);
    const float radius = (kind == UI_MARK_TARGET ? 7.0f : 2.5f) * ui->scale;
    ImDrawList *list = ImGui::GetBackgroundDrawList();
    const ImU32 color = ImGui::GetColorU32(MARKS[kind]), shade = ImGui::GetColorU32(BACKGROUND);
    if (kind == UI_MARK_TARGET && !is_held) {
        list->AddCircle(middle, radius, shade, 0, 4.0f * ui->scale);
        list->AddCircle(middle, radius, color, 0, 2.0f * ui->scale);
    } else {
        list->AddCircleFilled(middle, radius, color);
    }
    const ImVec2 corner = {middle.x + 1.5f * radius, middle.y - 0.5f * ImGui::GetFontSize()};
    list->AddText(ImVec2(corner.x + 1.0f, corner.y + 1.0f), shade, name);
    list->AddText(corner, color, name);
}

void ui_line(ui *ui, const float from[2], const float to[2], ui_mark_kind kind) {
    ImGui::GetBackgroundDrawList()->AddLine(in_picture(from), in_picture(to), ImGui::GetColorU32(MARKS[kind]),
                                            1.5f * ui->scale);
}

// Returns the text, or as much of its beginning as fits, with two points behind it.
static std::string shorten(const char *text, float width) {
    std::string shown = text;
    if (ImGui::CalcTextSize(text).x <= width) {
        return shown;
    }
    while (!shown.empty() && ImGui::CalcTextSize((shown + "..").c_str()).x > width) {
        shown.pop_back();
        while (!shown.empty() && (static_cast<unsigned char>(shown.back()) & 0xc0u) == 0x80u) {
            shown.pop_back(); // bytes of one letter
        }
    }
    return shown + "..";
}

static void draw_share(float share, ImVec2 corner, float font) {
    char number[16];
    std::snprintf(number, sizeof number, "%.2f", static_cast<double>(share));
    const float filled = std::min(std::max(share, 0.0f), 1.0f) * ROW_BAR * font;
    const ImVec2 low = {corner.x, corner.y + 0.25f * font}, high = {corner.x + ROW_BAR * font, corner.y + 0.85f * font};
    ImDrawList *list = ImGui::GetWindowDrawList();
    list->AddRectFilled(low, high, ImGui::GetColorU32(TITLE), 2.0f);
    if (filled > 0.0f) {
        list->AddRectFilled(low, ImVec2(low.x + filled, high.y), ImGui::GetColorU32(COLORS[1]), 2.0f);
    }
    list->AddText(ImVec2(high.x + 0.3f * font, corner.y), ImGui::GetColorU32(share > 0.0f ? TEXT : DIM), number);
}

static void draw_progress(float progress, float left, float right, float bottom, float font) {
    const ImVec2 low = {left, bottom}, high = {right, bottom + 0.12f * font};
    ImDrawList *list = ImGui::GetWindowDrawList();
    list->AddRectFilled(low, high, ImGui::GetColorU32(LINE));
    list->AddRectFilled(low, ImVec2(low.x + std::min(progress, 1.0f) * (high.x - low.x), high.y),
                        ImGui::GetColorU32(COLORS[0]));
}

bool ui_begin_row(ui *, const ui_row *row) {
    const float font = ImGui::GetFontSize();
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float right = corner.x + ImGui::GetContentRegionAvail().x;
    const float bar = right - (ROW_BAR + ROW_NUMBER) * font, text = corner.x + ImGui::GetTreeNodeToLabelSpacing();
    const ImGuiTreeNodeFlags leaf = ImGuiTreeNodeFlags_Leaf | ImGuiTreeNodeFlags_NoTreePushOnOpen;
    ImGui::PushStyleVar(ImGuiStyleVar_IndentSpacing, INDENT * font);
    ImGui::PushStyleColor(ImGuiCol_Text, row->share > 0.0f ? TEXT : DIM);
    const std::string shown = shorten(row->text, bar - text - 0.3f * font);
    const bool open =
        ImGui::TreeNodeEx(reinterpret_cast<void *>(static_cast<uintptr_t>(row->id) + 1),
                          ImGuiTreeNodeFlags_DefaultOpen | (row->is_leaf ? leaf : 0), "%s", shown.c_str());
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    draw_share(row->share, ImVec2(bar, corner.y), font);
    if (row->progress >= 0.0f) {
        draw_progress(row->progress, text, text + ImGui::CalcTextSize(shown.c_str()).x, corner.y + font, font);
    }
    return open && !row->is_leaf;
}

void ui_end_row(ui *) {
    ImGui::PushStyleVar(ImGuiStyleVar_IndentSpacing, INDENT * ImGui::GetFontSize());
    ImGui::TreePop();
    ImGui::PopStyleVar();
}

static void draw_axis(ImVec2 corner, ImVec2 size, float axis_width, float max) {
    for (int step = 0; step <= 2; step++) {
        const float y = corner.y + size.y * (1.0f - 0.5f * static_cast<float>(step));
        char label[32];
        std::snprintf(label, sizeof label, "%g ms", static_cast<double>(max) * step / 2);
        const ImVec2 text = ImGui::CalcTextSize(label);
        ImDrawList *list = ImGui::GetWindowDrawList();
        list->AddText(ImVec2(corner.x - text.x - 0.06f * axis_width, y - 0.5f * text.y),
                      ImGui::GetColorU32(ImGuiCol_Text), label);
        list->AddLine(ImVec2(corner.x, y), ImVec2(corner.x + size.x, y), ImGui::GetColorU32(LINE));
    }
}

void ui_bars(ui *, const float *values, uint32_t layer_count, uint32_t bar_count, float max) {
    const float line = ImGui::GetTextLineHeight();
    const float axis_width = ImGui::CalcTextSize("0.005 ms").x;
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    const ImVec2 corner = {origin.x + axis_width, origin.y + 0.5f * line};
    const ImVec2 size = {ImGui::GetContentRegionAvail().x - axis_width, BARS_SHARE * ImGui::GetIO().DisplaySize.y};
    const float width = size.x / static_cast<float>(bar_count);
    draw_axis(corner, size, axis_width, max);
    for (uint32_t bar = 0; bar < bar_count; bar++) {
        float bottom = corner.y + size.y;
        const float left = corner.x + width * static_cast<float>(bar);
        for (uint32_t layer = 0; layer < layer_count; layer++) {
            const float top = bottom - size.y * values[layer * bar_count + bar] / max;
            ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(left, top), ImVec2(left + width, bottom),
                                                      ImGui::GetColorU32(COLORS[layer % UI_COLORS]));
            bottom = top;
        }
    }
    ImGui::Dummy(ImVec2(axis_width + size.x, size.y + line));
}

void ui_legend(ui *ui, uint32_t layer, const char *name, const char *value) {
    const float side = ImGui::GetFontSize();
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(corner.x + 0.1f * side, corner.y + 0.2f * side),
                                              ImVec2(corner.x + 0.8f * side, corner.y + 0.9f * side),
                                              ImGui::GetColorU32(COLORS[layer % UI_COLORS]));
    ImGui::Dummy(ImVec2(side, side));
    ImGui::SameLine();
    ui_value(ui, name, value);
}

void ui_names(ui *ui, const char *const *names, const float *middles, uint32_t count, float width, float height) {
    const ImVec2 picture = ImGui::GetIO().DisplaySize;
    const float strip = height * picture.y, middle = picture.y - 0.5f * strip;
    ImDrawList *list = ImGui::GetBackgroundDrawList();
    list->AddRectFilled(ImVec2(0.0f, picture.y - strip), picture, ImGui::GetColorU32(BACKGROUND));
    float size = 0.75f * strip; // of all names, so that the longest one fits
    for (uint32_t i = 0; i < count; i++) {
        size = std::min(size, size * width * picture.x /
                                  choose_font(ui, size)->CalcTextSizeA(size, FLT_MAX, 0.0f, names[i]).x);
    }
    ImFont *font = choose_font(ui, size);
    for (uint32_t i = 0; i < count; i++) {
        const ImVec2 extent = font->CalcTextSizeA(size, FLT_MAX, 0.0f, names[i]);
        list->AddText(font, size, ImVec2(middles[i] * picture.x - 0.5f * extent.x, middle - 0.5f * extent.y),
                      ImGui::GetColorU32(TEXT), names[i]);
    }
}

float ui_covered(const ui *ui) {
    return ui->covered;
}

void ui_set_pointer(ui *, float x, float y, bool held) {
    ImGui::GetIO().MousePos = ImVec2(x, y);
    ImGui::GetIO().MouseDown[0] = held;
}

bool ui_takes_mouse(const ui *) {
    return ImGui::GetIO().WantCaptureMouse;
}

bool ui_takes_keys(const ui *) {
    return ImGui::GetIO().WantCaptureKeyboard;
}
