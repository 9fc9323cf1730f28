// Edits documents of the editor at random: 250 edits of the first graph, and 25 of each other, are undone to the
// first byte and done again to the last one. No edit may lose a pose, a field that is set to the value it has changes
// nothing, positions of boxes are the same after they were saved, documents with mistakes are drawn, and what is built
// box by box has lines as in the samples.
//
//   node editor_document.mjs CORE SCHEMA GRAPH...     CORE is the bundle that samples/playground/build.sh has made
//
// EDITS=100 in the environment makes four times as many.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

const [corePath, schemaPath, ...graphs] = process.argv.slice(2);
const core = await import(pathToFileURL(corePath));
const { GraphDocument, Operations } = core;
const operations = new Operations(JSON.parse(readFileSync(schemaPath, 'utf8')));
const names = { clips: ['walk', 'run'], joints: ['head'] };
const EDITS = Number(process.env.EDITS ?? 25), MANY = 10 * EDITS; // of most graphs, and of the first
const BROKEN = 40; // documents of each graph
const LARGE = 15000; // bytes of a document that is not to grow by copies

// A number that says how the run went is printed, so that a failure can be repeated.
let seed = Number(process.env.SEED ?? 1);
const random = n => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor(seed / 2 ** 32 * n);
};
const pick = list => list[random(list.length)];

// How often clips stand in a document. What connects or moves poses changes no clip.
function clipsOf(value, found = {}) {
    if (value !== null && typeof value === 'object') {
        if (value.op === 'clip') {
            const key = JSON.stringify(value.clip);
            found[key] = (found[key] ?? 0) + 1;
        }
        Object.values(value).forEach(member => clipsOf(member, found));
    }
    return found;
}
const same = (a, b) => JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());

function members(value) {
    return Object.entries(value).map(([key, member]) => [Array.isArray(value) ? Number(key) : key, member]);
}

// Every view of a document.
function viewsOf(document) {
    const found = [];
    const visit = (value, path) => {
        if (value === null || typeof value !== 'object') {
            return;
        }
        if (Array.isArray(value.states)) {
            found.push([...path, 'states']);
        }
        const isStatePose = path.at(-1) === 'pose' && path.at(-3) === 'states';
        if (path.length === 0 || isStatePose) {
            found.push(path);
        }
        members(value).forEach(([key, member]) => visit(member, [...path, key]));
    };
    visit(document.value, []);
    return found;
}

function fields(value, path = [], found = []) {
    found.push(path);
    if (value !== null && typeof value === 'object') {
        members(value).forEach(([key, member]) => fields(member, [...path, key], found));
    }
    return found;
}

const edits = {
    connect(document, diagram) {
        const target = pick(diagram.boxes.filter(({ ports }) => ports.length > 0));
        const source = pick(diagram.boxes.filter(({ kind }) => kind !== 'result'));
        const port = target && pick(target.ports);
        if (!port || !source || !core.mayConnect(document, source.path, port.adds ?? port.path)) {
            return undefined;
        }
        core.connect(document, operations, source.path, port);
        return 'keeps';
    },
    disconnect(document, diagram) {
        const link = pick(diagram.links.filter(({ port }) => port !== undefined));
        if (!link) {
            return undefined;
        }
        core.disconnect(document, operations, diagram.boxes.find(({ id }) => id === link.target).ports[link.port].path);
        return 'keeps';
    },
    wrap(document, diagram) {
        const box = pick(diagram.boxes.filter(({ kind }) => kind === 'pose'));
        const op = pick(operations.names.filter(op => (operations.portsOf(op).length > 0 && op !== 'clip')
            || op === 'machine'));
        box && core.wrap(document, operations, box.path, op, names);
        return box && 'keeps';
    },
    replace(document, diagram) {
        const box = pick(diagram.boxes.filter(({ kind }) => kind === 'pose'));
        const value = box && document.get(box.path);
        if (!box || value.op === 'machine' || value.op === 'clip') {
            return undefined; // whose states or clip would be lost
        }
        const op = pick(operations.names.filter(op => !['clip', 'machine'].includes(op)));
        core.replace(document, operations, box.path, op, names);
        return 'keeps';
    },
    define(document, diagram) {
        const isLocal = ({ kind, path }) => kind === 'pose' && path.length > 0 && path[0] !== 'define';
        const box = pick(diagram.boxes.filter(isLocal));
        box && core.define(document, operations, box.path);
        return box && 'keeps';
    },
    add(document, diagram) {
        if (diagram.kind !== 'pose') {
            return undefined;
        }
        core.addPose(document, operations, operations.create(pick(operations.names), names));
        return 'changes';
    },
    remove(document, diagram) {
        const boxes = diagram.boxes.filter(({ kind }) => kind === 'pose' || kind === 'use');
        if (boxes.length === 0) {
            return undefined;
        }
        const isCut = random(2) === 0, paths = [...new Set([pick(boxes), pick(boxes)])].map(({ path }) => path);
        core.deletePoses(document, operations, paths, isCut);
        return 'changes';
    },
    transition(document, diagram) {
        const state = pick(diagram.boxes.filter(({ kind }) => kind === 'state' || kind === 'any'));
        const to = pick(diagram.boxes.filter(({ kind }) => kind === 'state'));
        state && to && core.addTransition(document, state.path, to.title);
        return state && to && 'keeps';
    },
    reattach(document, diagram) {
        const link = pick(diagram.links.filter(({ transition }) => transition));
        const state = pick(diagram.boxes.filter(({ kind }) => kind === 'state'));
        if (!link || !state || link.source === state.id) {
            return undefined;
        }
        const before = document.get(link.transition);
        if (random(2) === 0) {
            core.retarget(document, link.transition, link.index, state.title);
            return 'keeps';
        }
        core.moveTransition(document, link.transition, state.path);
        const after = document.get(core.pathOf(document.selected[0]));
        return JSON.stringify(before) === JSON.stringify(after) ? 'keeps' : 'a transition that lost something';
    },
    state(document, diagram) {
        diagram.kind === 'machine' && core.addState(document, document.view.slice(0, -1));
        return diagram.kind === 'machine' && 'keeps';
    },
    rename(document, diagram) {
        const state = pick(diagram.boxes.filter(({ kind }) => kind === 'state'));
        const links = diagram.links.length;
        if (!state) {
            return undefined;
        }
        core.renameState(document, state.path, `renamed ${random(1000000)}`);
        const after = core.diagramOf(document, operations, document.view).links.length;
        return after === links ? 'keeps' : 'transitions that lost their state';
    },
    removeState(document, diagram) {
        const state = pick(diagram.boxes.filter(({ kind }) => kind === 'state'));
        const links = diagram.links.filter(({ transition }) => transition);
        if (!state || diagram.boxes.length < 3) {
            return undefined;
        }
        const gone = links.slice(0, 1).map(({ transition }) => transition);
        core.deleteInMachine(document, document.view.slice(0, -1), [state.path], gone);
        return 'changes';
    },
    copyAndPaste(document, diagram) {
        const boxes = diagram.boxes.filter(({ kind }) => ['pose', 'use', 'state'].includes(kind));
        if (boxes.length === 0) {
            return undefined;
        }
        const copied = core.copy(document, operations, [pick(boxes), pick(boxes)].map(({ path }) => path));
        if (copied.length + document.text.length > LARGE) {
            return undefined;
        }
        core.paste(document, operations, copied);
        return 'changes';
    },
    // A number is set, and nothing else.
    set(document) {
        const path = pick(fields(document.value)), value = document.get(path);
        if (typeof value !== 'number') {
            return undefined;
        }
        const expected = structuredClone(document.value), number = value + random(10);
        path.slice(0, -1).reduce((inner, part) => inner[part], expected)[path.at(-1)] = number;
        document.edit('set', () => document.set(path, number));
        const isSet = isDeepStrictEqual(structuredClone(document.value), expected);
        return isSet ? 'changes' : 'more than a number that was set';
    },
    type(document) {
        const at = document.text.indexOf('}', random(document.text.length));
        const text = `${document.text.slice(0, at)} ${document.text.slice(at)}`;
        at > 0 && document.edit('type', () => document.replace(text));
        return at > 0 && 'keeps';
    },
};

// Documents with something senseless in them are drawn, too.
function drawBroken(name, text) {
    for (let i = 0; i < BROKEN; i++) {
        const document = new GraphDocument(text), path = pick(fields(document.value).slice(1));
        const value = pick([{}, [], null, 1, 'x', [null], [{}], { op: 'blend' }, { use: 'x' },
            { op: 'machine', states: [1] }]);
        const views = viewsOf(document);
        document.edit('break', () => (i % 4 === 0 ? document.replace(text.slice(0, random(text.length)))
            : document.set(path, value)));
        try {
            [...views, ...viewsOf(document)].forEach(view => {
                const diagram = core.diagramOf(document, operations, view);
                core.arrange(diagram, {});
                core.crumbs(document, view);
            });
        } catch (error) {
            fail(name, `${JSON.stringify(value)} at ${core.placeOf(path)}: ${error.stack}`);
            return;
        }
    }
}

let failed = 0, done = 0;
const fail = (name, message) => {
    console.log(`FAILED ${name}: ${message}`);
    failed++;
};

function drawSpace() {
    const document = new GraphDocument('{"op": "rest"}\n'), clips = ['idle', 'walk', 'run', 'sprint'];
    const boxOf = (op, label) => core.diagramOf(document, operations, []).boxes.find(({ path }) => {
        const pose = document.get(path);
        return label === undefined ? pose?.op === op : pose?.clip === label;
    });
    clips.forEach(clip => core.addPose(document, operations, { op: 'clip', clip, play: true }));
    core.addPose(document, operations, operations.create('space1d', names));
    for (const clip of clips) {
        const port = boxOf('space1d').ports.find(({ adds, path }) => adds || document.get(path)?.op === 'rest');
        core.connect(document, operations, boxOf('clip', clip).path, port);
    }
    const result = core.diagramOf(document, operations, []).boxes.find(({ kind }) => kind === 'result');
    core.connect(document, operations, boxOf('space1d').path, result.ports[0]);
    core.wrap(document, operations, [], 'machine', names);
    const inputs = clips.map((clip, i) => `    {"pose": {"op": "clip", "clip": "${clip}", "play": true}, "at": ${i}}`);
    const expected = `{"op": "machine", "states": [
  {"name": "state", "pose": {"op": "space1d", "at": 0, "inputs": [
${inputs.join(',\n')}]}}]}
`;
    if (document.text !== expected) {
        fail('a blend space in a machine', `\n${document.text}`);
    }
}

drawSpace();
for (const [index, name] of graphs.entries()) {
    const text = readFileSync(name, 'utf8'), document = new GraphDocument(text);
    if (!document.tree) {
        fail(name, 'is no JSON');
        continue;
    }
    for (const view of viewsOf(document)) {
        const diagram = core.diagramOf(document, operations, view);
        core.arrange(diagram, document.positions);
        if (diagram.boxes.length < 2) {
            fail(name, `draws no box for ${core.placeOf(view) || 'the graph'}`);
        }
    }
    for (const path of fields(document.value).filter(path => path.length > 0)) {
        const value = document.get(path);
        const isSimple = value === null || typeof value !== 'object';
        if (isSimple && JSON.stringify(value) === document.source(path)) {
            document.edit('same', () => document.set(path, value));
        }
    }
    if (document.text !== text || document.undoes !== undefined) {
        fail(name, 'is changed by values that it has');
    }
    drawBroken(name, text);
    const first = seed, kinds = Object.keys(edits);
    const count = index === 0 ? MANY : EDITS;
    for (let i = 0, tries = 0; i < count && tries < 20 * count; tries++) {
        document.open(pick(viewsOf(document)));
        const diagram = core.diagramOf(document, operations, document.view), kind = pick(kinds);
        if (i % 10 === 0) {
            document.keep(core.arrange(diagram, document.positions));
        }
        const before = clipsOf(document.value), { text, undoes } = document;
        let result;
        try {
            result = edits[kind](document, diagram);
        } catch (error) {
            if (document.text !== text || document.undoes !== undoes) {
                fail(name, `seed ${first}: ${kind} was refused, but changed the text or undo: ${error.message}`);
            }
            if (!/may not be a pose that is used elsewhere|belong into a machine/.test(error.message)) {
                fail(name, `seed ${first}, edit ${i}: ${kind}: ${error.stack}\n${text}`);
                break;
            }
        }
        if (!result) {
            continue;
        }
        i++;
        if (!document.tree) {
            fail(name, `seed ${first}, edit ${i}: ${kind} leaves no JSON:\n${text}\n${document.text}`);
            break;
        }
        // Positions in a file are those of the boxes that there are.
        const again = i % 10 === 0 && new GraphDocument(document.text, document.toNames());
        if (again && !same(again.positions, document.positions)) {
            fail(name, `seed ${first}, edit ${i}: ${kind}: positions are others after they were saved`);
            break;
        }
        if (result === 'keeps' && !same(before, clipsOf(document.value))) {
            fail(name, `seed ${first}, edit ${i}: ${kind} loses or doubles a clip:\n${text}\n---\n${document.text}`);
            break;
        }
        if (result !== 'keeps' && result !== 'changes') {
            fail(name, `seed ${first}, edit ${i}: ${kind}: ${result}`);
            break;
        }
        done++;
    }
    const last = document.text;
    while (document.undoes !== undefined) {
        document.undo();
    }
    if (document.text !== text) {
        fail(name, `seed ${first}: undo does not give the first bytes`);
    }
    while (document.redoes !== undefined) {
        document.redo();
    }
    if (document.text !== last) {
        fail(name, `seed ${first}: redo does not give the last bytes`);
    }
}
console.log(`${graphs.length} graphs, ${done} edits, ${failed} failed`);
process.exitCode = failed > 0 || done < 1000 ? 1 : 0;
