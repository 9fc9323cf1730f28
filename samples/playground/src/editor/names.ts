// The names that fields offer: those of the character, of the graph that runs, and of the document.
import type { Character, Graph } from 'limber-animation';

import { definitionsOf, statesOf } from './diagram.ts';
import type { GraphDocument } from './document.ts';
import { isObject } from './schema.ts';
import type { Path } from './schema.ts';

export interface Names {
    clips: { name: string; duration: number }[];
    joints: { name: string; parent: number }[];
    channels: string[];
    events: string[];
    parameters: string[];
    machines: { name: string; states: string[] }[];
    states: string[]; // of the machine around what is edited
    definitions: string[];
}

export function namesFor(character: Character, graph: Graph | undefined, document: GraphDocument, at: Path): Names {
    const machine = at.lastIndexOf('states');
    const isMachine = isObject(document.get(at)) && document.at([...at, 'states']) !== undefined;
    const around = isMachine ? at : machine >= 0 ? at.slice(0, machine) : at.at(-2) === 'any' ? at.slice(0, -2) : at;
    return {
        clips: character.clips,
        joints: character.joints,
        channels: character.channels,
        events: graph?.events ?? [],
        parameters: (graph?.parameters ?? []).map(({ name }) => name).filter(name => name !== ''),
        machines: (graph?.machines ?? []).map(({ name, states }) => ({ name, states })),
        states: statesOf(document, around).map(({ state }) => String(state.name)),
        definitions: definitionsOf(document).map(([name]) => name),
    };
}
