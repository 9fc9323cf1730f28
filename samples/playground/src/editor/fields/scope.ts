// What all fields share: the document, its schema, names for lists, and how to edit.
import { createContext, useContext } from 'react';
import type { Mistake, Names } from '../names.ts';
import { at, collect, isObject } from '../schema.ts';
import type { Path, Schema, Source } from '../schema.ts';

export interface Props {
    schema: Schema;
    document: unknown; // the parsed JSON of the whole graph
    path: Path; // the object that is shown: a pose, an input, a state or a transition; [] has the fields of the graph
    names: Names;
    mistakes: Mistake[];
    // Sets a value; undefined removes a field or an element, and the index after the last adds one. `merge`: one step
    // of undo with the edit before it of the same path.
    edit: (path: Path, value: unknown, merge?: boolean) => void;
    look: (clip?: string) => void; // shows a clip until it is called without one
}

interface Shared extends Props {
    focus: (path: Path, button?: string) => void; // the row of a value, or a button in it, once it is there
}
export const Scope = createContext<Shared | undefined>(undefined);
export const useScope = (): Shared => useContext(Scope)!;

// The names of the arguments of the definition that has the path.
export function argumentsAt({ document }: Props, path: Path): string[] {
    const names = path[0] === 'define' ? at(document, ['define', path[1], 'arguments']) : undefined;
    return isObject(names) ? Object.keys(names) : [];
}

// The states of the machines around a place, the innermost first.
function statesAround(document: unknown, path: Path): string[][] {
    return path.map((_, i) => at(document, path.slice(0, i))).reverse()
        .filter(value => isObject(value) && value.op === 'machine' && Array.isArray(value.states))
        .map(machine => (machine as { states: { name?: unknown }[] }).states.map(state => String(state?.name)));
}

// The names that a text at a place may be.
export function suggest({ document, names }: Props, source: Source, path: Path): string[] {
    switch (source) {
        case 'clips': return [...new Set(names.clips.map(clip => clip.name))];
        case 'joints': return [...names.joints.map(joint => joint.name), ...names.channels];
        case 'machines': return names.machines.map(machine => machine.name);
        case 'states': {
            const machine = path.at(-2) === 'in' ? names.machines.find(({ name }) => name === path.at(-1)) : undefined;
            const around = statesAround(document, path), isOut = path.includes('out');
            return machine?.states ?? (isOut ? around[1] ?? [...new Set(names.machines.flatMap(({ states }) => states))]
                : around[0] ?? []);
        }
        case 'fades': return collect(document, part => 'op' in part ? undefined : part.in && (part.name ?? part.in));
        case 'groups': return collect(document, part => part.group);
        default: return names[source];
    }
}
