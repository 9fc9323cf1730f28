// Reads a trace that a command wrote, for suites. What is wrong with it fails the test.
#ifndef LIMBER_TESTS_TRACE_TREE_H
#define LIMBER_TESTS_TRACE_TREE_H

// That the text is one JSON value, every event is whole, those on one track follow each other without overlapping, and
// those of parts, on track 2 of a process, are within those of wholes, on track 1. Gives the number of the wholes and of
// the parts of a process.
void trace_tree_expect(const char *text, int process, int *wholes, int *stages);

#endif
