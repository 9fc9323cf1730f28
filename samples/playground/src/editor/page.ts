// What all parts of the editor share.
import type { ClipsAndJoints } from './change.ts';
import type { Diagram, Operations } from './diagram.ts';
import type { GraphDocument } from './document.ts';

export interface Page {
    document: GraphDocument;
    diagram: Diagram; // of what is open
    operations: Operations;
    names: ClipsAndJoints;
    edit: (change: () => void) => void; // shows the message of an edit that is refused
}
