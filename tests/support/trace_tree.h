// Reads a trace that a command wrote, for suites. An invalid trace fails the test.
#ifndef LIMBER_TESTS_SUPPORT_TRACE_TREE_H
#define LIMBER_TESTS_SUPPORT_TRACE_TREE_H

// Checks that the text is one JSON value, that every event is complete, and that events of one track do not overlap.
// The events on track 2 of a process must lie within the events on track 1. Returns the number of events of a process
// on track 1 (`wholes`) and on track 2 (`stages`).
void trace_tree_expect(const char *text, int process, int *wholes, int *stages);

#endif
