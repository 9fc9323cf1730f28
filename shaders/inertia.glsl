// The inertialized pose of a joint, for the kernels that evaluate poses.

transform shown_pose(frame f, transform local) {
    transform shown = local;
    if (USES_INERTIA && push.program.at[PROGRAM_INERTIA] != 0u) {
        inertia_clock now = load_inertia_clock(f);
        shown = inertialize(f, now, push.spans.at[f.span].inertia, local, true);
    }
    return shown;
}
