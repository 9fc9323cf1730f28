// The names that fields offer: those of the character, of the graph that runs, of its time line, and of the document.
import { definitionsOf } from './diagram.ts';
import type { GraphDocument } from './document.ts';
import type { Preview } from './preview.ts';

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

export function namesFor({ character, graph, entries }: Preview, document: GraphDocument): Names {
    const played = (isEvent: boolean) => entries.filter(({ value }) => (value === undefined) === isEvent)
        .map(({ name }) => name);
    const parameters = (graph?.parameters ?? []).map(({ name }) => name).filter(name => name !== '');
    return {
        clips: character.clips,
        joints: character.joints,
        channels: character.channels,
        events: [...new Set([...graph?.events ?? [], ...played(true)])],
        parameters: [...new Set([...parameters, ...played(false)])],
        machines: graph?.machines ?? [],
        definitions: definitionsOf(document).map(([name]) => name),
    };
}
