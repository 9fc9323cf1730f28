// A vertex in the bind pose, and its skinning matrix: the weighted sum of its joints' matrices.
layout(location = 0) in vec3 position;
layout(location = 1) in uvec4 joints_low;
layout(location = 2) in uvec4 joints_high;
layout(location = 3) in vec4 weights_low;
layout(location = 4) in vec4 weights_high;

struct Skin {
    vec4 rows[3];
};

void add_joint(inout Skin skin, uint base, uint joint, float weight) {
    uint row = base + joint * 3;
    skin.rows[0] += weight * push.palette.rows[row];
    skin.rows[1] += weight * push.palette.rows[row + 1];
    skin.rows[2] += weight * push.palette.rows[row + 2];
}

Skin skin_vertex(uint character) {
    Skin skin = Skin(vec4[3](vec4(0.0), vec4(0.0), vec4(0.0)));
    uint base = character * push.joint_count * 3;
    add_joint(skin, base, joints_low.x, weights_low.x);
    if (push.influence_count > 1) {
        add_joint(skin, base, joints_low.y, weights_low.y);
    }
    if (push.influence_count > 2) {
        add_joint(skin, base, joints_low.z, weights_low.z);
        add_joint(skin, base, joints_low.w, weights_low.w);
    }
    if (push.influence_count > 4) {
        add_joint(skin, base, joints_high.x, weights_high.x);
        add_joint(skin, base, joints_high.y, weights_high.y);
        add_joint(skin, base, joints_high.z, weights_high.z);
        add_joint(skin, base, joints_high.w, weights_high.w);
    }
    return skin;
}

vec3 skin_point(Skin skin, vec3 point) {
    vec4 full = vec4(point, 1.0);
    return vec3(dot(skin.rows[0], full), dot(skin.rows[1], full), dot(skin.rows[2], full));
}
