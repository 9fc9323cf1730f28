// What an editor does to a document: connecting, wrapping, deleting and pasting poses, states and transitions. Each
// function is one step of undo.
//
// Poses are nested in the text. A box without a connection is a definition that nothing uses; connecting it puts it
// into the text where it is used, and a box with several connections is a definition with uses.
import { definitionsOf, hasArguments, nameOf, portsOf, statesOf, usesIn } from './diagram.ts';
import type { Diagram, Operations, Port } from './diagram.ts';
import { indentOf, pathOf, write } from './document.ts';
import type { GraphDocument } from './document.ts';
import { isObject } from './schema.ts';
import type { Path } from './schema.ts';

type Json = Record<string, unknown>;
export interface ClipsAndJoints {
    clips: string[];
    joints: string[];
}

function isWithin(path: Path, outer: Path): boolean {
    return outer.every((part, i) => String(path[i]) === String(part));
}

function freshName(taken: Iterable<string>, wish: string): string {
    const names = new Set(taken), base = wish || 'pose';
    for (let i = 1; ; i++) {
        const name = i === 1 ? base : `${base} ${i}`;
        if (!names.has(name)) {
            return name;
        }
    }
}

const isRest = (pose: unknown) => isObject(pose) && pose.op === 'rest' && Object.keys(pose).length === 1;
const isUse = (pose: unknown) => isObject(pose) && typeof pose.use === 'string';

// All places of a document that hold a value for which `test` is true, outermost first.
function find(document: GraphDocument, test: (value: Json) => boolean, path: Path = [], found: Path[] = []): Path[] {
    const value = path.length === 0 ? document.value : document.get(path);
    const visit = (value: unknown, at: Path) => {
        if (isObject(value) && test(value)) {
            found.push(at);
        }
        if (value !== null && typeof value === 'object') {
            Object.entries(value).forEach(([key, member]) => (
                visit(member, [...at, Array.isArray(value) ? Number(key) : key])));
        }
    };
    visit(value, path);
    return found;
}

// ---- Definitions.

function addDefinition(document: GraphDocument, wish: string): Path {
    if (!document.at(['define'])) {
        document.set(['define'], {});
    }
    return ['define', freshName(definitionsOf(document).map(([name]) => name), wish)];
}

function dropEmptyDefine(document: GraphDocument): void {
    const define = document.get(['define']);
    if (isObject(define) && Object.keys(define).length === 0) {
        document.set(['define'], undefined);
    }
}

// Lets a pose float: it becomes a definition. What is left behind is `leaves`, or nothing. Returns its new place.
function float(document: GraphDocument, path: Path, leaves?: (name: string) => unknown): Path {
    const mark = document.mark(path);
    const to = addDefinition(document, nameOf(document.get(path)));
    document.move(mark.path!, to, leaves?.(String(to[1])));
    return to;
}

// ---- The outermost pose, which shares its object with the fields of the graph. An edit of it puts it into a member
// "pose" of its own for a while.

const ROOT = 'pose';

function box(document: GraphDocument, operations: Operations): void {
    const { offset, length, children } = document.tree!;
    const isOfGraph = (name: unknown) => operations.graphFields.includes(String(name));
    const poses = children!.filter(member => !isOfGraph(member.children![0].value));
    const others = children!.filter(member => isOfGraph(member.children![0].value));
    let text = `{"${ROOT}":\n{`; // its lines stay as far right
    const moved = [{ from: offset, length: 1, at: text.length - 1 }];
    [...poses, ...others].forEach((member, i) => {
        text += i === 0 ? '' : `${i === poses.length ? '}' : ''},${document.gap(document.tree!)}`;
        moved.push({ from: member.offset, length: member.length, at: text.length });
        text += document.text.slice(member.offset, member.offset + member.length);
    });
    text += others.length > 0 ? '}' : '}}';
    document.apply([{ offset, length, text, moved }]);
}

function unbox(document: GraphDocument): void {
    const root = document.get([ROOT]);
    if (isUse(root)) {
        const name = String((root as Json).use), definition = document.get(['define', name]);
        if (usesIn(document.value).filter(use => use === name).length > 1 || hasArguments(definition) || !definition) {
            throw new Error('The result may not be a pose that is used elsewhere, too.');
        }
        document.move(['define', name], [ROOT]);
        dropEmptyDefine(document);
    } else if (root === undefined) {
        document.set([ROOT], { op: 'rest' });
    }
    const pose = document.at([ROOT])!, others = document.tree!.children!.filter(member => member !== pose.parent);
    const { offset, length } = document.tree!, gap = document.gap(document.tree!);
    let { text, moved } = document.moving({ offset: pose.offset, length: pose.length - 1 }, '');
    for (const member of others) {
        text += `,${gap}`;
        moved.push({ from: member.offset, length: member.length, at: text.length });
        text += document.text.slice(member.offset, member.offset + member.length);
    }
    document.apply([{ offset, length, text: `${text}}`, moved }]);
}

// Makes an edit of poses at some paths, whose outermost one is apart from the fields of the graph meanwhile.
function editPoses(document: GraphDocument, operations: Operations, label: string, paths: Path[],
    change: (paths: Path[]) => void): void {
    const view = document.view, touches = paths.some(path => path.length === 0);
    document.edit(label, () => {
        if (touches) {
            box(document, operations);
        }
        change(paths.map(path => (
            touches && !operations.graphFields.includes(String(path[0])) ? [ROOT, ...path] : path)));
        if (touches) {
            unbox(document);
        }
        if (touches && view.length === 0) {
            document.open([], document.selected.map(pathOf));
        }
    });
}

// ---- Connections.

// The definitions that the pose at a path uses, also through others.
function reachable(document: GraphDocument, value: unknown, found = new Set<string>()): Set<string> {
    for (const name of usesIn(value)) {
        if (!found.has(name)) {
            found.add(name);
            reachable(document, document.get(['define', name]), found);
        }
    }
    return found;
}

export function mayConnect(document: GraphDocument, source: Path, port: Path): boolean {
    const inside = [...reachable(document, document.get(source))].some(name => isWithin(port, ['define', name]));
    return !isWithin(port, source) && !inside && !(port.length > 0 && source.length === 0);
}

// Takes a pose out of its place, unless it is only a use or nothing of interest.
function vacate(document: GraphDocument, path: Path): void {
    const pose = document.get(path);
    if (pose !== undefined && !isUse(pose) && !isRest(pose)) {
        float(document, path, () => ({ op: 'rest' }));
    }
}

// Connects the pose of a box to a port. What was connected there floats.
export function connect(document: GraphDocument, operations: Operations, source: Path, port: Port): void {
    editPoses(document, operations, 'connect', [source, port.path, port.adds ?? port.path], ([from, to, list]) => {
        const owner = document.get(list.slice(0, -1));
        if (port.adds) {
            const index = list.length === to.length ? to.length - 1 : list.length;
            document.set([...list, ...to.slice(index, index + 1)],
                operations.element(isObject(owner) ? String(owner.op) : '', String(list.at(-1)), to[index] as number));
        }
        // The place is named by what is around it, as what is there now may float away.
        const begin = document.mark(from), around = document.mark(to.slice(0, -1));
        vacate(document, to);
        attach(document, begin.path!, [...around.path!, to.at(-1)!]);
    });
}

function attach(document: GraphDocument, source: Path, to: Path): void {
    const definition = source[0] === 'define' && source.length === 2 ? String(source[1]) : undefined;
    const pose = document.get(source);
    if (isObject(pose) && hasArguments(pose)) {
        const values = Object.entries(pose.arguments as Json).filter(([, value]) => value === null);
        const given = values.length > 0 ? { with: Object.fromEntries(values.map(([name]) => [name, 0])) } : {};
        document.set(to, { use: definition, ...given });
    } else if (isUse(pose)) {
        document.move(source, to);
    } else if (definition === undefined) {
        const place = document.mark(to.slice(0, -1));
        const defined = float(document, source, name => ({ use: name }));
        document.set([...place.path!, to.at(-1)!], { use: defined[1] });
    } else if (usesIn(document.value).includes(definition)) {
        document.set(to, { use: definition });
    } else {
        document.move(source, to);
        dropEmptyDefine(document);
    }
}

export function disconnect(document: GraphDocument, operations: Operations, port: Path): void {
    editPoses(document, operations, 'disconnect', [port], ([path]) => {
        if (isUse(document.get(path))) {
            document.set(path, undefined);
        } else {
            float(document, path);
        }
    });
}

// Connects another pose, or the same one elsewhere, instead of what is connected to a port.
export function reconnect(document: GraphDocument, operations: Operations, old: Path, source: Path, port: Port): void {
    document.edit('connect', () => {
        const from = document.mark(source), to = document.mark(port.path.slice(0, -1));
        disconnect(document, operations, old);
        connect(document, operations, from.path ?? source, { ...port, path: [...to.path!, port.path.at(-1)!] });
    });
}

// ---- Boxes.

// Adds a pose without a connection. Returns its path.
export function addPose(document: GraphDocument, operations: Operations, pose: unknown, wish = nameOf(pose)): Path {
    let path: Path = [];
    document.edit(`add ${wish}`, () => {
        path = addDefinition(document, wish);
        document.set(path, pose);
    });
    return path;
}

// Deletes poses. What they were made of floats, unless it is deleted, too, or all inputs are.
export function deletePoses(document: GraphDocument, operations: Operations, poses: Path[], withInputs = false): void {
    editPoses(document, operations, 'delete', poses, paths => {
        const marks = paths.map(path => document.mark(path));
        const deepestFirst = [...marks].sort((a, b) => b.path!.length - a.path!.length);
        for (const mark of deepestFirst) {
            const path = mark.path;
            if (path === undefined || document.at(path) === undefined) {
                continue;
            }
            for (const port of withInputs ? [] : portsOf(document, operations, path).reverse()) {
                const kept = document.get(port.path);
                if (kept !== undefined && !isUse(kept) && !isRest(kept)) {
                    float(document, port.path, () => ({ op: 'rest' }));
                }
            }
            deletePose(document, mark.path!);
        }
        dropEmptyDefine(document);
    });
}

function deletePose(document: GraphDocument, path: Path): void {
    if (path[0] === 'define' && path.length === 2) {
        document.set(path, undefined);
        for (const use of find(document, value => value.use === path[1]).reverse()) {
            document.set(use, undefined);
        }
    } else {
        document.set(path, undefined);
    }
}

// Puts a new operation around a pose, which becomes its first input.
export function wrap(document: GraphDocument, operations: Operations, path: Path, op: string,
    names: ClipsAndJoints): void {
    editPoses(document, operations, `wrap in ${op}`, [path], ([at]) => {
        const placeholder = { op: 'pose that is wrapped' }, pose = operations.create(op, names);
        const port = operations.portsOf(op)[0];
        if (op === 'machine') {
            (pose.states as Json[])[0].pose = placeholder;
        } else if (port.list === 'inputs') {
            const [first, ...others] = pose[port.name] as Json[];
            pose[port.name] = [{ ...first, pose: placeholder }, ...others];
        } else {
            pose[port.name] = port.list ? [placeholder, ...(pose[port.name] as unknown[]).slice(1)] : placeholder;
        }
        const node = document.at(at)!, { offset, length } = node, line = document.lineTo(offset);
        const [before, after] = write(pose, line.length, indentOf(line)).split(write(placeholder));
        const { text, moved } = document.moving(node, line + before, before.length);
        document.apply([{ offset, length, text: before + text + after, moved }]);
    });
}

// Gives a pose another operation. Fields that fit this one, too, are kept; poses that do not take places that are
// free, or float.
export function replace(document: GraphDocument, operations: Operations, path: Path, op: string,
    names: ClipsAndJoints): void {
    editPoses(document, operations, `replace by ${op}`, [path], ([at]) => {
        const { schema } = operations, mark = document.mark(at), old = document.get(at) as Json;
        const own = schema.resolve(schema.pose, { ...old, op }, undefined).properties!;
        const ports = operations.portsOf(op), before = operations.portsOf(String(old.op));
        const listOf = (all: typeof ports, name: string) => all.find(port => port.name === name)?.list;
        const keeps = (name: string) => name in own && (before.some(port => port.name === name)
            ? listOf(before, name) === listOf(ports, name) : schema.problem(own[name], old[name]) === undefined);
        const free = ports.filter(({ name, list }) => !list && old[name] === undefined).map(({ name }) => name);
        for (const port of portsOf(document, operations, at)) {
            const name = String(port.path[at.length]), pose = document.get(port.path);
            if (!port.adds && pose !== undefined && !keeps(name) && !isRest(pose)) {
                const next = free.shift();
                const from = [...mark.path!, ...port.path.slice(at.length)];
                if (next) {
                    document.move(from, [...mark.path!, next], { op: 'rest' });
                } else if (!isUse(pose)) {
                    float(document, from, () => ({ op: 'rest' }));
                }
            }
        }
        Object.keys(old).filter(name => name !== 'op' && !keeps(name))
            .forEach(name => document.set([...mark.path!, name], undefined));
        document.set([...mark.path!, 'op'], op);
        const now = document.get(mark.path!) as Json;
        for (const [name, value] of Object.entries(operations.create(op, names))) {
            if (now[name] === undefined) {
                document.set([...mark.path!, name], value);
            }
        }
        ports.filter(({ list }) => list === 'inputs')
            .forEach(({ name }) => fitInputs(document, operations, mark.path!, name));
    });
}

// Gives the inputs of a pose what those of its operation have beside their poses.
function fitInputs(document: GraphDocument, operations: Operations, pose: Path, list: string): void {
    const { schema } = operations, owner = document.get(pose) as Json;
    const item = schema.child(schema.child(schema.pose, owner, list, owner), undefined, 0, owner);
    (owner[list] as Json[]).forEach((input, i) => {
        const path = [...pose, list, i], fields = schema.fields(item, input, owner);
        const fresh = operations.element(String(owner.op), list, i) as Json;
        Object.keys(input).filter(name => !fields.some(field => field.name === name))
            .forEach(name => document.set([...path, name], undefined));
        fields.filter(({ name, schema: node, required }) => (required || name in input)
            && schema.problem(node, input[name]) !== undefined)
            .forEach(({ name }) => document.set([...path, name], fresh[name]));
    });
}

// Makes a definition of a pose, so that others can use it.
export function define(document: GraphDocument, operations: Operations, path: Path): void {
    document.edit('make a definition', () => {
        const defined = float(document, path, name => ({ use: name }));
        document.open(document.view, [defined]);
    });
}

// ---- Machines.

function namesOf(document: GraphDocument, machine: Path): string[] {
    return statesOf(document, machine).map(({ state }) => String(state.name));
}

export function addState(document: GraphDocument, machine: Path, state?: Json): Path {
    const list = [...machine, 'states'], count = document.at(list)?.children?.length ?? 0;
    const name = freshName(namesOf(document, machine), String(state?.name ?? 'state'));
    document.edit('add a state', () => document.set([...list, count], { name, pose: state?.pose ?? { op: 'rest' } }));
    return [...list, count];
}

export function addTransition(document: GraphDocument, from: Path, to: string, isOut = false): Path {
    const list = [...from, document.get([...from, 'states']) === undefined ? 'transitions' : 'any'];
    let path: Path = [];
    document.edit('add a transition', () => {
        if (!document.at(list)) {
            document.set(list, []);
        }
        path = [...list, document.at(list)!.children!.length];
        document.set(path, { [isOut ? 'out' : 'to']: to, end: true });
        document.open(document.view, [path]);
    });
    return path;
}

// Lets a transition lead to another state. `index` is that of the target in its list.
export function retarget(document: GraphDocument, transition: Path, index: number | undefined, to: string): void {
    const field = document.at([...transition, 'out']) ? 'out' : 'to', target = [...transition, field];
    const at = index === undefined ? target : [...target, index];
    document.edit('lead to another state', () => (
        document.set(isObject(document.get(at)) ? [...at, 'state'] : at, to)));
}

// Lets a transition begin at another state, or at any: `from` is a state or the machine. It keeps all fields.
export function moveTransition(document: GraphDocument, transition: Path, from: Path): void {
    const list = [...from, document.get([...from, 'states']) === undefined ? 'transitions' : 'any'];
    if (pathText(list) === pathText(transition.slice(0, -1))) {
        return;
    }
    document.edit('begin at another state', () => {
        if (!document.at(list)) {
            document.set(list, []);
        }
        const mark = document.mark(transition);
        const to = [...list, document.at(list)!.children!.length];
        document.move(mark.path!, to);
        dropEmptyList(document, transition.slice(0, -1));
        document.open(document.view, mark.path ? [mark.path] : []);
    });
}

function dropEmptyList(document: GraphDocument, list: Path): void {
    const left = document.get(list);
    if (Array.isArray(left) && left.length === 0) {
        document.set(list, undefined);
    }
}

// The places in which names of states of a machine stand.
function stateNames(document: GraphDocument, machine: Path): Path[] {
    const found: Path[] = [], value = document.get(machine) as Json;
    const name = (path: Path) => document.at(path)?.type === 'string' && found.push(path);
    const list = (path: Path) => {
        const values = document.get(path);
        Array.isArray(values) ? values.forEach((entry, i) => (
            name(isObject(entry) ? [...path, i, 'state'] : [...path, i]))) : name(path);
    };
    const transition = (path: Path) => ['to', 'from', 'except'].forEach(field => list([...path, field]));
    const transitions = (path: Path) => {
        const values = document.get(path);
        Array.isArray(values) && values.forEach((_, i) => transition([...path, i]));
    };
    name([...machine, 'initial']);
    transitions([...machine, 'any']);
    statesOf(document, machine).forEach(({ index }) => transitions([...machine, 'states', index, 'transitions']));
    // Machines inside lead out to its states, and conditions anywhere ask for them.
    const isInner = (path: Path) => {
        const inner = [...path].reverse().findIndex((part, i) => part === 'states' && i > 1);
        return inner >= 0 && pathText(path.slice(0, path.length - 1 - inner)) === pathText(machine);
    };
    for (const path of find(document, value => value.op === 'machine', machine).filter(isInner)) {
        find(document, inner => inner.out !== undefined, path)
            .filter(inner => machineOf(inner) === pathText(path)).forEach(inner => list([...inner, 'out']));
    }
    const own = value.name;
    if (typeof own === 'string') {
        find(document, ({ in: test }) => isObject(test) && typeof test[own] === 'string')
            .forEach(path => name([...path, 'in', own]));
    }
    return found;
}

const pathText = (path: Path) => path.join('/');

// The machine to which a transition belongs.
function machineOf(transition: Path): string {
    const list = transition.at(-2);
    return pathText(transition.slice(0, list === 'any' ? -2 : -4));
}

export function renameState(document: GraphDocument, state: Path, name: string, merge?: string): void {
    const machine = state.slice(0, -2), old = document.get([...state, 'name']);
    if (name !== old && namesOf(document, machine).includes(name)) {
        throw new Error(`Another state is called ${name}.`);
    }
    document.edit('rename a state', () => {
        const changes = stateNames(document, machine).filter(path => document.get(path) === old)
            .flatMap(path => document.setting(path, JSON.stringify(name)));
        document.apply([...changes, ...document.setting([...state, 'name'], JSON.stringify(name))]);
    }, merge);
}

// Deletes states with the transitions that lead to them, and transitions.
export function deleteInMachine(document: GraphDocument, machine: Path, states: Path[], transitions: Path[]): void {
    document.edit('delete', () => {
        const gone = new Set(states.map(path => document.get([...path, 'name'])));
        const marks = [...states, ...transitions].map(path => document.mark(path));
        const names = stateNames(document, machine).filter(path => gone.has(document.get(path)));
        const uses = names.map(path => document.mark(path));
        for (const mark of uses) {
            mark.path && deleteName(document, mark.path);
        }
        for (const mark of marks) {
            if (mark.path) {
                const list = mark.path.slice(0, -1);
                document.set(mark.path, undefined);
                list.at(-1) !== 'states' && dropEmptyList(document, list);
            }
        }
    });
}

// Deletes the name of a state where it stands, and the transition that led there alone.
function deleteName(document: GraphDocument, path: Path): void {
    const field = path.findLastIndex(part => typeof part === 'string' && ['to', 'out', 'from', 'except', 'initial']
        .includes(part));
    if (field < 0) {
        return; // a condition: its mistake is reported
    }
    const owner = path.slice(0, field), list = document.get(path.slice(0, field + 1));
    if (Array.isArray(list) && list.length > 1) {
        document.set(path.slice(0, field + 2), undefined);
    } else if (path[field] === 'to' || path[field] === 'out') {
        document.set(owner, undefined);
        dropEmptyList(document, owner.slice(0, -1));
    } else {
        document.set(path.slice(0, field + 1), undefined);
    }
}

// Deletes the boxes and connections that are selected.
export function deleteSelected(document: GraphDocument, operations: Operations, diagram: Diagram,
    withInputs = false): void {
    const paths = selectedPaths(document, diagram);
    const links = diagram.links.filter(({ id }) => document.selected.includes(id));
    if (diagram.kind === 'machine') {
        deleteInMachine(document, document.view.slice(0, -1), paths, links.map(({ transition }) => transition!));
    } else if (paths.length > 0) {
        deletePoses(document, operations, paths, withInputs);
    } else {
        document.edit('disconnect', () => {
            const ports = links.map(({ target, port }) => diagram.boxes.find(({ id }) => id === target)!.ports[port!]);
            const marks = ports.map(({ path }) => document.mark(path));
            marks.forEach(({ path }) => path && disconnect(document, operations, path));
        });
    }
}

// The poses or states that are selected.
export function selectedPaths(document: GraphDocument, diagram: Diagram): Path[] {
    return diagram.boxes.filter(({ id, kind }) => document.selected.includes(id)
        && ['pose', 'use', 'state'].includes(kind)).map(({ path }) => path);
}

// ---- Copies: what the clipboard holds is JSON, a pose or states, with the definitions that they use.

export function copy(document: GraphDocument, operations: Operations, paths: Path[]): string {
    const isStates = paths.some(path => path.at(-2) === 'states');
    const outer = paths.filter(path => !paths.some(other => other !== path && isWithin(path, other)));
    const values = outer.map(path => (path.length > 0 ? document.get(path) : poseOf(document.value, operations)));
    const names = [...values.reduce<Set<string>>((found, value) => reachable(document, value, found), new Set())];
    const define = Object.fromEntries(names.map(name => [name, document.get(['define', name])]));
    const used = names.length > 0 ? { define } : {};
    if (isStates) {
        return JSON.stringify({ states: values, ...used }, null, 2);
    }
    return values.length === 1 && isObject(values[0]) ? JSON.stringify({ ...values[0], ...used }, null, 2)
        : JSON.stringify({ poses: values, ...used }, null, 2);
}

// The outermost pose without the fields of the graph.
function poseOf(value: unknown, operations: Operations): Json {
    return Object.fromEntries(Object.entries(isObject(value) ? value : {})
        .filter(([name]) => !operations.graphFields.includes(name)));
}

// Adds what was copied. Poses float, states join the machine of the view. Returns what is added.
export function paste(document: GraphDocument, operations: Operations, text: string): Path[] {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) {
        throw new Error('The clipboard has no poses or states.');
    }
    const { define = {}, states, poses, op } = value;
    const added: Path[] = [];
    document.edit('paste', () => {
        const renamed = pasteDefinitions(document, isObject(define) ? define : {});
        if (Array.isArray(states) && op === undefined) {
            const machine = document.view.at(-1) === 'states' ? document.view.slice(0, -1) : undefined;
            if (!machine) {
                throw new Error('States belong into a machine: open one.');
            }
            added.push(...pasteStates(document, machine, states.filter(isObject).map(state => renamed(state) as Json)));
        } else {
            for (const one of Array.isArray(poses) ? poses : [poseOf(value, operations)]) {
                if (!isObject(one) || !('op' in one || 'use' in one || 'arguments' in one)) {
                    throw new Error('The clipboard has no poses or states.');
                }
                const path = addDefinition(document, nameOf(one));
                document.set(path, renamed(one));
                added.push(path);
            }
        }
        document.open(document.view, added);
    });
    return added;
}

// Adds definitions that are not there alike. Returns what renames their uses.
function pasteDefinitions(document: GraphDocument, define: Json): (value: unknown) => unknown {
    const names = new Map<string, string>();
    for (const [name, value] of Object.entries(define)) {
        const there = document.get(['define', name]);
        if (there === undefined || JSON.stringify(there) !== JSON.stringify(value)) {
            const [, fresh] = addDefinition(document, name);
            names.set(name, String(fresh));
            document.set(['define', fresh], null);
        }
    }
    const rename = (value: unknown): unknown => (Array.isArray(value) ? value.map(rename)
        : !isObject(value) ? value : Object.fromEntries(Object.entries(value).map(([key, member]) => (
            [key, key === 'use' && typeof member === 'string' ? names.get(member) ?? member : rename(member)]))));
    names.forEach((fresh, name) => document.set(['define', fresh], rename(define[name])));
    return rename;
}

function pasteStates(document: GraphDocument, machine: Path, states: Json[]): Path[] {
    const there = namesOf(document, machine), names = new Map<string, string>();
    const taken = [...there];
    const fresh = states.map(({ name }) => {
        const found = freshName(taken, String(name ?? 'state'));
        taken.push(found);
        names.set(String(name), found);
        return found;
    });
    const known = new Set(taken);
    const target = (to: unknown): unknown => (isObject(to) ? { ...to, state: target(to.state) }
        : names.get(String(to)) ?? to);
    const retargeted = (transition: Json): Json[] => {
        const to = (Array.isArray(transition.to) ? transition.to : [transition.to]).map(target)
            .filter(entry => known.has(String(isObject(entry) ? entry.state : entry)));
        return transition.to === undefined ? [transition]
            : to.length === 0 ? [] : [{ ...transition, to: Array.isArray(transition.to) ? to : to[0] }];
    };
    return states.map((state, i) => {
        const path = [...machine, 'states', document.at([...machine, 'states'])!.children!.length];
        const transitions = Array.isArray(state.transitions)
            ? { transitions: state.transitions.filter(isObject).flatMap(retargeted) } : {};
        document.set(path, { ...state, name: fresh[i], ...transitions });
        return path;
    });
}
