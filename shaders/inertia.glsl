// The inertialized pose of a joint, for the kernels that evaluate poses.

transform shown_pose(evaluation e, transform local) {
    transform shown = local;
    if (USES_INERTIA && push.program.at[PROGRAM_INERTIA] != 0u) {
        inertia_clock now = load_inertia_clock(e);
        shown = inertialize(e, now, kept_memory(e), local, true);
    }
    return shown;
}
