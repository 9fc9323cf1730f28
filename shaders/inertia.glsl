// The inertialized pose of a joint, for the kernels that evaluate poses.

// Returns a pass's result as it is shown: only that of one pass is inertialized.
transform shown_pose(evaluation e, uint pass, transform result) {
    transform shown = result;
    if (USES_INERTIA && HEADER(push.program, PROGRAM, inertia) != 0u &&
        pass == HEADER(push.program, PROGRAM, inertia_pass)) {
        inertia_clock now = load_inertia_clock(e);
        shown = inertialize(e, now, kept_memory(e), result, true);
    }
    return shown;
}
