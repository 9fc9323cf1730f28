// Shared by all shaders of the viewer: the frame's data, read by address, and the placement of a character.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require

#define MAX_CONTACTS 6

// Mirrored by renderer.c.
struct Placement {
    vec2 position;
    vec2 heading; // cosine and sine of the turn about Y
    vec3 tint;
    float scale;
    float lift;     // metres above the ground
    uint character; // index in its span
};
struct Contact {
    vec3 position; // in the bind pose's model space
    uint joint;
    float planted; // its min height above the ground, metres
};
layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer Frame {
    mat4 view_projection;
    mat4 sun_projection;
    vec3 eye;
    float unit;   // metres per unit of length of the character
    vec3 right;   // of the view, scaled so that forward + x right + y up points to the edges at x, y = +-1
    float height; // of a character, metres
    vec3 up;
    float fog_distance;
    vec3 forward;
    float shadow_texel; // metres
    vec3 sun;           // towards it
    vec3 origin;        // of the character, model units: the point that is placed on the ground
    uint contact_count;
    Contact contacts[MAX_CONTACTS];
};
layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer Palette {
    vec4 rows[]; // three per joint
};
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Placements {
    Placement items[];
};
// Skinned vertices, of each character.
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Stream {
    vec3 items[];
};
layout(push_constant, scalar) uniform Push {
    Frame frame;
    Palette palette; // of a span of characters
    Placements placements;
    uint joint_count;
    uint first_placement;
    uint influence_count; // max number of influences of a vertex of this mesh
    vec4 base_color;      // w is the share of the character's tint
    Stream positions;     // of a span of characters, if they are skinned by a kernel
    Stream normals;
    uint character_vertices;
}
push;

vec3 place(vec3 model, Placement placement) {
    vec3 scaled = (model - push.frame.origin) * (push.frame.unit * placement.scale);
    vec2 heading = placement.heading;
    return vec3(heading.x * scaled.x + heading.y * scaled.z + placement.position.x, scaled.y + placement.lift,
                heading.x * scaled.z - heading.y * scaled.x + placement.position.y);
}

vec3 turn(vec3 direction, Placement placement) {
    vec2 heading = placement.heading;
    return vec3(heading.x * direction.x + heading.y * direction.z, direction.y,
                heading.x * direction.z - heading.y * direction.x);
}
