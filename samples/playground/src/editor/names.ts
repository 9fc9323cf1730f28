// The names that fields offer: those of the character, of the graph that runs, and of the document.
import type { Character, Graph } from 'limber-animation';

import { definitionsOf } from './diagram.ts';
import type { GraphDocument } from './document.ts';

export interface Names {
    clips: { name: string; duration: number }[];
    joints: { name: string; parent: number }[]; // parent is an index or -1
    channels: string[];
    events: string[];
    parameters: string[];
    machines: { name: string; states: string[] }[];
    definitions: string[];
}

// Of the library's reports, with a path like "base.inputs[1].weight".
export interface Mistake {
    path: string;
    message: string;
    warning: boolean;
}

export function namesFor(character: Character, graph: Graph | undefined, document: GraphDocument): Names {
    return {
        clips: character.clips,
        joints: character.joints,
        channels: character.channels,
        events: graph?.events ?? [],
        parameters: (graph?.parameters ?? []).map(({ name }) => name).filter(name => name !== ''),
        machines: graph?.machines ?? [],
        definitions: definitionsOf(document).map(([name]) => name),
    };
}
