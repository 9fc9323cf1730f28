// The index of a workgroup, and of an invocation, in a grid that has a second axis if one axis allows too few
// workgroups.
uint grid_group() {
    return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
}

uint grid_index() {
    return grid_group() * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
}
