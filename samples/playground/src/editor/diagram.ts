// What is drawn of a document: the boxes and connections of a pose, or the states and transitions of a machine.
import { pointer } from './document.ts';
import type { GraphDocument } from './document.ts';
import { create, spread } from './samples.ts';
import { Schema, isObject } from './schema.ts';
import type { Object as Json, Path, Source } from './schema.ts';

// An input of a box, to which a pose may be connected.
export interface Port {
    path: Path; // of the pose in the document
    label: string;
    required: boolean;
    adds?: Path; // the list to which a connection adds an element: `path` is not there yet
}

export interface Box {
    id: string; // pointer to its pose or state
    path: Path;
    kind: 'pose' | 'use' | 'result' | 'state' | 'any' | 'out';
    title: string;
    lines: string[];
    ports: Port[];
    opens?: Path; // what a double click shows: a machine, the pose of a state, a definition with arguments
    initial?: boolean;
    floats?: boolean; // no pose uses it
}

export interface Link {
    id: string;
    source: string;
    target: string;
    port?: number; // of the target, where poses are connected
    transition?: Path;
    label?: string;
    index?: number; // of the target in the list of a transition that has several
}

export interface Diagram {
    kind: 'pose' | 'machine';
    boxes: Box[];
    links: Link[];
}

// Which fields of operations are poses, from the schema.
export class Operations {
    readonly names: string[];
    // Fields in their order: a pose, or a list of poses or of inputs that have one.
    readonly #ports = new Map<string, { name: string; list?: 'poses' | 'inputs'; required: boolean; min: number;
        max: number }[]>();
    readonly schema: Schema;
    readonly #definitions: Record<string, any>;
    readonly graphFields: string[]; // of the outermost pose alone

    constructor(schema: any) {
        this.schema = new Schema(schema);
        this.#definitions = schema.definitions;
        this.names = schema.definitions.pose.properties.op.enum;
        this.graphFields = Object.keys(schema.properties).filter(name => !['op', 'name', 'comment'].includes(name));
        const isPose = (entry: any) => entry?.$ref === '#/definitions/pose';
        for (const op of this.names) {
            const { properties, required = [] } = this.#definitions[`op-${op}`];
            this.#ports.set(op, Object.entries<any>(properties).flatMap(([name, entry]) => {
                const list = isPose(entry.items) ? 'poses' as const
                    : isPose(entry.items?.properties?.pose) ? 'inputs' as const : undefined;
                return isPose(entry) || list
                    ? [{ name, list, required: required.includes(name), min: entry.minItems ?? 0,
                        max: entry.maxItems ?? 1 }] : [];
            }));
        }
    }

    portsOf(op: string) {
        return this.#ports.get(op) ?? [];
    }

    // A new pose of an operation, with what it needs.
    create(op: string, names: { clips: string[]; joints: string[] }): Json {
        const suggest = (source: Source) => (source === 'clips' || source === 'joints' ? names[source] : []);
        return create(this.schema, op, suggest);
    }

    // A new element of a list of poses or inputs.
    element(op: string, list: string, index: number): unknown {
        const [first] = this.create(op, { clips: [], joints: [] })[list] as unknown[];
        return isObject(first) ? spread(first, index) : first;
    }
}

// What a pose is called: by its own name, its clip, its definition or its operation.
export function nameOf(pose: unknown): string {
    const { name, clip, use, op } = isObject(pose) ? pose : {};
    return [name, clip, use, op].find((one): one is string => typeof one === 'string' && one !== '') ?? 'pose';
}

function titleOf(pose: Json): string {
    const op = String(pose.op ?? pose.use ?? 'no operation');
    return typeof pose.name === 'string' && pose.name !== op ? `${pose.name} (${op})` : op;
}

export function shown(value: unknown): string {
    if (isObject(value)) {
        const { param, in: begins, curve, fade, argument } = value;
        const curved = curve ? `${shown(value.value ?? value.of)}, curved` : '…';
        return String(param ?? argument ?? fade ?? begins ?? curved);
    }
    return Array.isArray(value) ? value.map(shown).join(', ') : String(value);
}

function linesOf(pose: Json): string[] {
    const lines: string[] = [];
    for (const field of ['clip', 'weight', 'at', 'from', 'joint', 'start', 'mid', 'end', 'axis', 'slot']) {
        if (pose[field] !== undefined && !(field === 'from' && pose.op === 'clip')) {
            lines.push(field === 'clip' ? shown(pose.clip) : `${field}: ${shown(pose[field])}`);
        }
    }
    if (Array.isArray(pose.states)) {
        lines.push(statesIn(pose).map(({ state }) => state.name).join(', '));
    }
    return lines;
}

// The definitions of a document, and whether they are copied for each use.
export function definitionsOf(document: GraphDocument): [string, Json][] {
    const define = document.get(['define']);
    return Object.entries(isObject(define) ? define : {})
        .filter((entry): entry is [string, Json] => isObject(entry[1]));
}

export function hasArguments(pose: unknown): boolean {
    return isObject(pose) && isObject(pose.arguments);
}

// The names of all definitions that a value uses, directly.
export function usesIn(value: unknown, found: string[] = []): string[] {
    if (isObject(value) && typeof value.use === 'string') {
        found.push(value.use);
    }
    if (value !== null && typeof value === 'object') {
        Object.values(value).forEach(member => usesIn(member, found));
    }
    return found;
}

// ---- Poses.

function portLabel(element: unknown, name: string, index: number): string {
    if (isObject(element)) {
        const { at, weight, fade, priority } = element;
        const said = at ?? weight ?? fade ?? priority;
        return said === undefined ? `${name} ${index + 1}` : `${name} ${index + 1}: ${shown(said)}`;
    }
    return `${name} ${index + 1}`;
}

export function portsOf(document: GraphDocument, operations: Operations, path: Path): Port[] {
    const pose = document.get(path);
    if (!isObject(pose)) {
        return [];
    }
    if (typeof pose.use === 'string') {
        const definition = document.get(['define', pose.use]);
        const values = isObject(definition) && isObject(definition.arguments) ? definition.arguments : {};
        const given = isObject(pose.with) ? pose.with : {};
        const isPose = (value: unknown) => isObject(value) && ('op' in value || 'use' in value);
        return Object.keys(values).filter(name => isPose(given[name])).map(name => (
            { path: [...path, 'with', name], label: name, required: values[name] === null }));
    }
    return operations.portsOf(String(pose.op)).flatMap(({ name, list, required, max }) => {
        if (!list) {
            return [{ path: [...path, name], label: name, required }];
        }
        const elements = Array.isArray(pose[name]) ? pose[name] : [], inner = list === 'inputs' ? ['pose'] : [];
        const label = name === 'inputs' ? 'input' : name;
        const ports: Port[] = elements.map((element, i) => (
            { path: [...path, name, i, ...inner], label: portLabel(element, label, i), required: true }));
        if (elements.length < max) {
            ports.push({ path: [...path, name, elements.length, ...inner], label: 'add', required: false,
                adds: [...path, name] });
        }
        return ports;
    });
}

// The boxes of a pose. `root` is the outermost pose, the pose of a state, or a definition with arguments.
export function poseDiagram(document: GraphDocument, operations: Operations, root: Path): Diagram {
    const boxes = new Map<string, Box>(), links: Link[] = [];
    const visit = (path: Path): string | undefined => {
        const pose = document.get(path);
        if (!isObject(pose)) {
            return undefined;
        }
        const definition = typeof pose.use === 'string' ? document.get(['define', pose.use]) : undefined;
        if (isObject(definition) && !hasArguments(definition)) {
            return visit(['define', pose.use as string]);
        }
        const id = pointer(path);
        if (boxes.has(id)) {
            return id;
        }
        const isUse = typeof pose.use === 'string';
        const box: Box = {
            id, path,
            kind: isUse ? 'use' : 'pose',
            title: isUse ? String(pose.use) : path[0] === 'define' && path.length === 2
                ? titleOf({ ...pose, name: path[1] }) : titleOf(pose),
            lines: isUse ? Object.entries(isObject(pose.with) ? pose.with : {}).filter(([, value]) => !isObject(value))
                .map(([name, value]) => `${name}: ${shown(value)}`) : linesOf(pose),
            ports: portsOf(document, operations, path),
            opens: pose.op === 'machine' ? [...path, 'states']
                : definition ? ['define', pose.use as string] : undefined,
        };
        boxes.set(id, box);
        box.ports.forEach((port, index) => {
            const source = visit(port.path);
            if (source !== undefined) {
                links.push({ id: `${id}|${index}`, source, target: id, port: index });
            }
        });
        return id;
    };
    const source = visit(root), target = `result:${pointer(root)}`;
    boxes.set(target, {
        id: target, path: root, kind: 'result', title: 'Result', lines: [],
        ports: [{ path: root, label: 'pose', required: true }],
    });
    if (source !== undefined) {
        links.push({ id: `${target}|0`, source, target, port: 0 });
    }
    const used = new Set(usesIn(document.value));
    for (const [name, definition] of definitionsOf(document)) {
        if (!used.has(name)) {
            const id = visit(['define', name]);
            if (id !== undefined && hasArguments(definition)) {
                boxes.get(id)!.opens = ['define', name];
            }
            if (id !== undefined) {
                boxes.get(id)!.floats = true;
            }
        }
    }
    return { kind: 'pose', boxes: [...boxes.values()], links };
}

// ---- Machines.

// What a transition waits for, in a few words.
export function conditionText(value: unknown): string {
    if (!isObject(value)) {
        return shown(value);
    }
    const [kind, inner] = Object.entries(value)[0] ?? ['nothing', undefined];
    switch (kind) {
        case 'and':
        case 'or': return Array.isArray(inner) ? inner.map(conditionText).join(` ${kind} `) : kind;
        case 'not': return `not (${conditionText(inner)})`;
        case 'trigger':
        case 'param': return String(inner);
        case 'random': return `chance ${shown(inner)}`;
        case 'in': return isObject(inner) ? Object.entries(inner).map(entry => entry.join(' in ')).join() : kind;
        default: return Array.isArray(inner) ? inner.map(operandText).join(` ${kind} `) : kind;
    }
}

function operandText(value: unknown): string {
    const name = isObject(value) ? ['phase', 'remaining'].find(kind => kind in value) : undefined;
    return name ? `${name} of ${shown((value as Json)[name])}` : shown(value);
}

export function transitionText(transition: Json): string {
    const parts = [transition.event, transition.end === true ? 'at the end' : undefined,
        transition.after !== undefined ? `after ${transition.after} s` : undefined,
        transition.when !== undefined ? conditionText(transition.when) : undefined];
    return parts.filter(part => part !== undefined).join(', ');
}

// Targets of a transition: names, each with its index where there are several.
export function targetsOf(transition: Json): { name: string; index?: number; out: boolean }[] {
    const out = transition.out !== undefined, to = out ? transition.out : transition.to;
    const nameOf = (entry: unknown) => (isObject(entry) ? String(entry.state) : String(entry));
    return Array.isArray(to) ? to.map((entry, index) => ({ name: nameOf(entry), index, out }))
        : to === undefined ? [] : [{ name: nameOf(to), out }];
}

// The states of a machine that are objects, with their indices.
function statesIn(machine: unknown): { state: Json; index: number }[] {
    const states = isObject(machine) && Array.isArray(machine.states) ? machine.states : [];
    return states.map((state, index) => ({ state, index })).filter(({ state }) => isObject(state));
}

export function statesOf(document: GraphDocument, machine: Path): { state: Json; index: number }[] {
    return statesIn(document.get(machine));
}

export function machineDiagram(document: GraphDocument, machine: Path): Diagram {
    const states = statesOf(document, machine), boxes: Box[] = [], links: Link[] = [];
    const found = document.get(machine), value = isObject(found) ? found : {};
    const first = value.initial ?? states[0]?.state.name;
    const ids = new Map<string, string>();
    for (const { state, index } of states) {
        const path = [...machine, 'states', index], pose = state.pose;
        const line = isObject(pose) ? [String(pose.clip !== undefined ? shown(pose.clip) : pose.use ?? pose.op)] : [];
        boxes.push({
            id: pointer(path), path, kind: 'state', title: String(state.name ?? ''), lines: line, ports: [],
            opens: viewOf(document, [...path, 'pose']),
            initial: state.name === first,
        });
        ids.set(String(state.name), pointer(path));
    }
    const outs = new Set<string>();
    const add = (source: string, list: unknown, path: Path) => Array.isArray(list) && list.forEach((transition, i) => {
        for (const { name, index, out } of isObject(transition) ? targetsOf(transition) : []) {
            const target = out ? `out:${name}` : ids.get(name);
            if (target !== undefined) {
                out && outs.add(name);
                links.push({
                    id: `${pointer([...path, i])}${index === undefined ? '' : `|${index}`}`, source, target, index,
                    transition: [...path, i], label: transitionText(transition),
                });
            }
        }
    });
    states.forEach(({ state, index }, i) => (
        add(boxes[i].id, state.transitions, [...machine, 'states', index, 'transitions'])));
    if (Array.isArray(value.any) && value.any.length > 0) {
        const id = `any:${pointer(machine)}`;
        boxes.push({ id, path: machine, kind: 'any', title: 'Any state', lines: [], ports: [] });
        add(id, value.any, [...machine, 'any']);
    }
    outs.forEach(name => boxes.push({
        id: `out:${name}`, path: machine, kind: 'out', title: `${name} (outside)`, lines: [], ports: [],
    }));
    return { kind: 'machine', boxes, links };
}

// A view is named by the path of a pose, or of the list of states of a machine.
export function diagramOf(document: GraphDocument, operations: Operations, view: Path): Diagram {
    return view.at(-1) === 'states' ? machineDiagram(document, view.slice(0, -1))
        : poseDiagram(document, operations, view);
}

// What a double click on a pose, or an opened document, shows.
export function viewOf(document: GraphDocument, pose: Path): Path {
    const value = document.get(pose);
    return isObject(value) && value.op === 'machine' ? [...pose, 'states'] : pose;
}

// The way from the outermost pose to a view: machines, states, definitions.
export function crumbs(document: GraphDocument, view: Path): { path: Path; label: string }[] {
    const found: { path: Path; label: string }[] = [{ path: [], label: 'Graph' }];
    for (let i = 1; i <= view.length; i++) {
        const path = view.slice(0, i), last = path.at(-1);
        if (last === 'states') {
            const name = document.get([...path.slice(0, -1), 'name']);
            found.push({ path, label: typeof name === 'string' ? name : 'machine' });
        } else if (last === 'pose' && path.at(-3) === 'states') {
            found.push({ path, label: String(document.get([...path.slice(0, -1), 'name'])) });
        } else if (path.length === 2 && path[0] === 'define') {
            found.push({ path, label: String(last) });
        }
    }
    return found;
}
