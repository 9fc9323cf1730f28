#include "fbx_text.h"

#include "suite.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICKS 46186158000.0

// Numbers of objects.
enum { GEOMETRY = 50, BLEND, CHANNEL, SHAPE, NODE = 100, STACK = 1000, LAYER, VALUE = 2000, CURVE = 3000 };

static const struct {
    const char *name, *type;
} properties[FBX_PROPERTIES] = {
    {"Lcl Translation", "\"Lcl Translation\", \"\", \"A\""}, {"Lcl Rotation", "\"Lcl Rotation\", \"\", \"A\""},
    {"Lcl Scaling", "\"Lcl Scaling\", \"\", \"A\""},         {"PreRotation", "\"Vector3D\", \"Vector\", \"\""},
    {"PostRotation", "\"Vector3D\", \"Vector\", \"\""},      {"RotationOffset", "\"Vector3D\", \"Vector\", \"\""},
    {"RotationPivot", "\"Vector3D\", \"Vector\", \"\""},     {"ScalingOffset", "\"Vector3D\", \"Vector\", \"\""},
    {"ScalingPivot", "\"Vector3D\", \"Vector\", \"\""},
};

typedef struct text {
    char *bytes;
    size_t size, capacity;
} text;

static void put(text *text, const char *format, ...) {
    va_list arguments;
    if (text->capacity < text->size + 4096) {
        text->capacity = 2 * text->capacity + 8192;
        text->bytes = realloc(text->bytes, text->capacity);
        assert_non_null(text->bytes);
    }
    va_start(arguments, format);
    text->size += (size_t)vsnprintf(text->bytes + text->size, 4096, format, arguments);
    va_end(arguments);
}

fbx_node fbx_make_node(const char *name, int parent) {
    return (fbx_node){
        .name = name, .kind = "LimbNode", .parent = parent, .values = {[FBX_SCALE] = {1, 1, 1}}, .inherit = FBX_NORMAL};
}

static void put_node(text *text, int index, const fbx_node *node) {
    put(text, "Model: %d, \"Model::%s\", \"%s\" {\nVersion: 232\nProperties70: {\n", NODE + index, node->name,
        node->kind);
    put(text, "P: \"RotationActive\", \"bool\", \"\", \"\",1\nP: \"RotationOrder\", \"enum\", \"\", \"\",%d\n",
        node->order);
    put(text, "P: \"InheritType\", \"enum\", \"\", \"\",%d\n", node->inherit);
    for (int i = 0; i < FBX_PROPERTIES; i++) {
        const double *v = node->values[i];
        put(text, "P: \"%s\", %s,%.17g,%.17g,%.17g\n", properties[i].name, properties[i].type, v[0], v[1], v[2]);
    }
    if (node->number != NULL) {
        put(text, "P: \"contact\", \"double\", \"Number\", \"A+U\",%.17g\n", *node->number);
    }
    put(text, "}\n}\n");
}

// As text, the attributes of keys are the bits of floats.
static int bits_of(double value) {
    const float number = (float)value;
    int bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static void put_curve(text *text, int index, const fbx_curve *curve) {
    static const int flags[] = {[FBX_CONSTANT] = 0x2, [FBX_LINEAR] = 0x4, [FBX_CUBIC] = 0x408};
    put(text, "AnimationCurve: %d, \"AnimCurve::\", \"\" {\nKeyVer: 4008\nKeyTime: *%d {\na: ", CURVE + index,
        curve->count);
    for (int i = 0; i < curve->count; i++) {
        put(text, "%s%.0f", i > 0 ? "," : "", round(curve->keys[i].time * TICKS));
    }
    put(text, "\n}\nKeyValueFloat: *%d {\na: ", curve->count);
    for (int i = 0; i < curve->count; i++) {
        put(text, "%s%.9g", i > 0 ? "," : "", curve->keys[i].value);
    }
    // Each key has its own attributes: the slopes after it and before the next one, and default weights of tangents.
    put(text, "\n}\nKeyAttrFlags: *%d {\na: ", curve->count);
    for (int i = 0; i < curve->count; i++) {
        put(text, "%s%d", i > 0 ? "," : "", flags[curve->interpolation]);
    }
    put(text, "\n}\nKeyAttrDataFloat: *%d {\na: ", 4 * curve->count);
    for (int i = 0; i < curve->count; i++) {
        put(text, "%s%d,%d,218434821,0", i > 0 ? "," : "", bits_of(curve->keys[i].slope),
            bits_of(curve->keys[i + 1 < curve->count ? i + 1 : i].slope));
    }
    put(text, "\n}\nKeyAttrRefCount: *%d {\na: ", curve->count);
    for (int i = 0; i < curve->count; i++) {
        put(text, "%s1", i > 0 ? "," : "");
    }
    put(text, "\n}\n}\n");
}

// Shape k moves vertex k by k + 1 along X.
static void put_mesh(text *text, const fbx_file *file) {
    put(text,
        "Geometry: %d, \"Geometry::Body\", \"Mesh\" {\nVertices: *9 {\na: 0,0,0,1,0,0,0,1,0\n}\n"
        "PolygonVertexIndex: *3 {\na: 0,1,-3\n}\nGeometryVersion: 124\n}\n",
        GEOMETRY);
    if (file->shape_count == 0) {
        return;
    }
    put(text, "Deformer: %d, \"Deformer::\", \"BlendShape\" {\nVersion: 100\n}\n", BLEND);
    put(text,
        "Deformer: %d, \"SubDeformer::Smile\", \"BlendShapeChannel\" {\nVersion: 100\nDeformPercent: %g\n"
        "FullWeights: *%d {\na: ",
        CHANNEL, file->weight, file->shape_count);
    for (int i = 0; i < file->shape_count; i++) {
        put(text, "%s%g", i > 0 ? "," : "", file->full_weights[i]);
    }
    put(text, "\n}\n}\n");
    for (int i = 0; i < file->shape_count; i++) {
        put(text,
            "Geometry: %d, \"Geometry::Shape%d\", \"Shape\" {\nVersion: 100\nIndexes: *1 {\na: %d\n}\n"
            "Vertices: *3 {\na: %d,0,0\n}\n}\n",
            SHAPE + i, i, i, i + 1);
    }
}

static void connect_mesh(text *text, const fbx_file *file) {
    put(text, "C: \"OO\",%d,%d\n", GEOMETRY, NODE);
    if (file->shape_count > 0) {
        put(text, "C: \"OO\",%d,%d\nC: \"OO\",%d,%d\n", BLEND, GEOMETRY, CHANNEL, BLEND);
    }
    for (int i = 0; i < file->shape_count; i++) {
        put(text, "C: \"OO\",%d,%d\n", SHAPE + i, CHANNEL);
    }
}

// The number of the object that has a curve and those of the other axes: that of the first of them.
static int value_of(const fbx_file *file, int index) {
    const fbx_curve *curve = &file->curves[index];
    int first = 0;
    while (file->curves[first].node != curve->node || file->curves[first].property != curve->property ||
           file->curves[first].layer != curve->layer) {
        first++;
    }
    return VALUE + first;
}

// What has the curves of a property: also the values of axes that have none.
static void put_curve_node(text *text, int object, const fbx_file *file, const fbx_curve *curve) {
    put(text, "AnimationCurveNode: %d, \"AnimCurveNode::\", \"\" {\nProperties70: {\n", object);
    for (int axis = 0; axis < 3 && curve->node != FBX_WEIGHT && curve->property != FBX_NUMBER; axis++) {
        put(text, "P: \"d|%c\", \"Number\", \"\", \"A\",%.17g\n", 'X' + axis,
            file->nodes[curve->node].values[curve->property][axis]);
    }
    put(text, "}\n}\n");
}

static void put_animation(text *text, const fbx_file *file) {
    static const fbx_layer single = {.weight = 100};
    const int count = file->layers == NULL ? 1 : file->layer_count;
    put(text,
        "AnimationStack: %d, \"AnimStack::Take\", \"\" {\nProperties70: {\n"
        "P: \"LocalStop\", \"KTime\", \"Time\", \"\",%.0f\n}\n}\n",
        STACK, round(file->stop * TICKS));
    for (int i = 0; i < count; i++) {
        const fbx_layer *layer = file->layers == NULL ? &single : &file->layers[i];
        put(text, "AnimationLayer: %d, \"AnimLayer::L%d\", \"\" {\nProperties70: {\n", LAYER + i, i);
        put(text, "P: \"Weight\", \"Number\", \"\", \"A\",%g\nP: \"BlendMode\", \"enum\", \"\", \"\",%d\n}\n}\n",
            layer->weight, layer->mode);
    }
    for (int i = 0; i < file->curve_count; i++) {
        if (value_of(file, i) == VALUE + i) {
            put_curve_node(text, VALUE + i, file, &file->curves[i]);
        }
        put_curve(text, i, &file->curves[i]);
    }
}

static void connect_animation(text *text, const fbx_file *file) {
    const int count = file->layers == NULL ? 1 : file->layer_count;
    for (int i = 0; i < count; i++) {
        put(text, "C: \"OO\",%d,%d\n", LAYER + i, STACK);
    }
    for (int i = 0; i < file->curve_count; i++) {
        const fbx_curve *curve = &file->curves[i];
        const bool is_weight = curve->node == FBX_WEIGHT;
        const int value = value_of(file, i);
        if (value == VALUE + i) {
            put(text, "C: \"OO\",%d,%d\nC: \"OP\",%d,%d, \"%s\"\n", value, LAYER + curve->layer, value,
                is_weight ? CHANNEL : NODE + curve->node,
                is_weight                       ? "DeformPercent"
                : curve->property == FBX_NUMBER ? "contact"
                                                : properties[curve->property].name);
        }
        put(text, "C: \"OP\",%d,%d, \"d|%s\"\n", CURVE + i, value,
            is_weight                       ? "DeformPercent"
            : curve->property == FBX_NUMBER ? "contact"
                                            : (const char *[]){"X", "Y", "Z"}[curve->axis]);
    }
}

char *fbx_write(const fbx_file *file) {
    static const char metres[] =
        "P: \"UpAxis\", \"int\", \"Integer\", \"\",1\nP: \"UpAxisSign\", \"int\", \"Integer\", \"\",1\n"
        "P: \"FrontAxis\", \"int\", \"Integer\", \"\",2\n"
        "P: \"FrontAxisSign\", \"int\", \"Integer\", \"\",1\n"
        "P: \"CoordAxis\", \"int\", \"Integer\", \"\",0\n"
        "P: \"CoordAxisSign\", \"int\", \"Integer\", \"\",1\n"
        "P: \"UnitScaleFactor\", \"double\", \"Number\", \"\",100\n";
    text text = {0};
    put(&text, "; FBX 7.4.0 project file\nFBXHeaderExtension: {\nFBXHeaderVersion: 1003\nFBXVersion: 7400\n}\n");
    put(&text, "GlobalSettings: {\nVersion: 1000\nProperties70: {\n%s}\n}\nObjects: {\n",
        file->settings != NULL ? file->settings : metres);
    for (int i = 0; i < file->node_count; i++) {
        put_node(&text, i, &file->nodes[i]);
    }
    if (file->full_weights != NULL) {
        put_mesh(&text, file);
    }
    put_animation(&text, file);
    put(&text, "}\nConnections: {\n");
    for (int i = 0; i < file->node_count; i++) {
        put(&text, "C: \"OO\",%d,%d\n", NODE + i, file->nodes[i].parent < 0 ? 0 : NODE + file->nodes[i].parent);
    }
    if (file->full_weights != NULL) {
        connect_mesh(&text, file);
    }
    connect_animation(&text, file);
    put(&text, "}\n");
    return text.bytes;
}
