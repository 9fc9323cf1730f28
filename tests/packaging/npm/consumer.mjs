// @ts-check
// Uses the npm package as a program would: every function, errors, and the scenes of native.c, whose lines it prints.
// Runs in node and in a page. The type checker reads it with the types of the package.
import { LimberError, load } from 'limber-animation';

/** @param {boolean} holds @param {string} what */
function expect(holds, what) {
    if (!holds) {
        throw new Error(`not so: ${what}`);
    }
}

/** @param {() => void} call @param {string} result @param {RegExp} message @returns {LimberError} */
function refused(call, result, message) {
    try {
        call();
    } catch (error) {
        if (!(error instanceof LimberError)) {
            throw error;
        }
        expect(error.result === result && message.test(error.message),
            `${result} ${message}, not ${error.result} ${error.message}`);
        return error;
    }
    throw new Error(`not refused: ${message}`);
}

/** @param {Parameters<typeof load>[0]} options @param {string} result @param {RegExp} message */
async function rejected(options, result, message) {
    const error = await load(options).then(() => undefined, error => error);
    refused(() => {
        throw error;
    }, result, message);
}

/** @param {bigint} hash */
const hex = hash => hash.toString(16).padStart(16, '0');

// The comparisons of a condition, from the left.
/** @typedef {import('limber-animation').Condition} Condition @typedef {Extract<Condition, {left: any}>} Comparison */
/** @param {Condition} [condition] @returns {Comparison[]} */
function comparisons(condition) {
    return condition === undefined ? [] : 'left' in condition ? [condition] : condition.terms.flatMap(comparisons);
}

// Whether a condition holds by its comparisons. None joins fewer than two, or one of its own kind.
/** @param {Condition} condition @returns {boolean} */
function holds(condition) {
    if ('left' in condition) {
        return condition.holds;
    }
    const { kind, terms } = condition;
    expect(terms.length > 1 && terms.every(term => term.kind !== kind), 'a joint of two or more others');
    return kind === 'and' ? terms.every(holds) : terms.some(holds);
}

// Why a machine takes its transitions or not, as native.c prints it.
/** @param {import('limber-animation').Batch} batch @param {number} character @param {string} machine */
function reasons(batch, character, machine) {
    return batch.explain(character, machine).map(({ to, after, seconds, applies, condition, conditionHolds }) => {
        expect((condition?.holds ?? true) === conditionHolds, 'whether the condition as a whole holds');
        expect(condition === undefined || holds(condition) === conditionHolds, 'a tree that holds by its leaves');
        const terms = comparisons(condition).map(({ kind, left, right, holds }) => (
            ` ${left.value.toFixed(5)} ${kind} ${right.value.toFixed(5)} ${holds ? 1 : 0}`));
        return `  ${to} ${applies ? 1 : 0} ${after.toFixed(5)} ${seconds.toFixed(5)}${terms.join('')}`;
    });
}

// The input of native.c.
/** @param {import('limber-animation').Batch} batch @param {number} frame */
function input(batch, frame) {
    const { points } = batch;
    for (let i = 0; i < batch.count; i++) {
        const stick = i * 7 + Math.floor(frame / 24) * 5;
        batch.set(i, 'speed', stick % 13 * 0.25);
        batch.set(i, 'aside', stick % 5 * 0.5 - 1);
        batch.set(i, 'heading', stick % 7 * 0.5 - 1.5);
        batch.set(i, 'reach', stick % 3 * 0.5);
        for (let point = 0; point < 2; point++) {
            points.set([i * 0.5 + point, 1.5, frame / 128 + 1], (i * 2 + point) * 4);
        }
        if ((frame + i * 11) % 50 === 0) {
            batch.send(i, 'JUMP');
        }
        if ((frame + i * 5) % 70 === 13) {
            batch.send(i, 'WAVE');
        }
        if ((frame + i * 3) % 90 === 60) {
            batch.send(i, 'HIT');
        }
    }
    batch.setAll('time', 1 / 60);
}

/** @param {import('limber-animation').Batch} batch @param {number} frame */
function run(batch, frame) {
    input(batch, frame);
    batch.step(1 / 60);
}

let growths = 0; // of the memory, which made views old

const COUNT = 99;

// 120 frames of all characters. A snapshot of frame 60 is restored in the end and gives frame 90 again.
/**
 * @param {import('limber-animation').Limber} limber @param {import('limber-animation').Graph} graph
 * @param {import('limber-animation').Path} path
 */
function game(limber, graph, path) {
    const batch = graph.createBatch({ count: COUNT, path, outputs: ['palette', 'bounds'] });
    const lines = [];
    let saved = new Uint8Array(), ninety = '', emitted = 0;
    expect(batch.path === path, `the path ${path}`);
    const { palettes } = batch;
    expect(palettes === batch.palettes && palettes.length === COUNT * graph.jointCount * 12, 'a view of all palettes');
    const bounds = batch.output('bounds');
    expect(bounds.length === COUNT * 6 && batch.output('local').length === 0, 'requested outputs alone');
    for (let frame = 0; frame < 120; frame++) {
        if (frame === 60) {
            saved = batch.save();
        }
        run(batch, frame);
        for (let i = 0; i < batch.count; i++) {
            emitted += batch.emitted(i).length;
        }
        const line = `frame ${frame}: palettes ${hex(batch.outputHash())} bounds ${hex(batch.outputHash('bounds'))} `
            + `characters ${hex(batch.hash())}`;
        ninety = frame === 90 ? line : ninety;
        if (frame % 30 === 29) {
            lines.push(line, ...reasons(batch, frame % COUNT, 'body'));
        }
    }
    lines.push(`${emitted} events; character 0: ${batch.state(0, 'body')}`);
    expect(batch.motions.length === COUNT * 4 && batch.motions.some(value => value !== 0), 'characters that moved');
    expect(limber.hash(batch.palettes) === batch.outputHash(), 'the hash of a view');
    expect(limber.hash(batch.palettes.slice()) === batch.outputHash(), 'the hash of a copy');
    expect(batch.emittedWords.length > 0 && batch.states.length > 0, 'words for hashes');
    const weights = batch.stateWeights(3);
    expect(Math.abs(weights.reduce((sum, weight) => sum + weight, 0) - 1) < 1e-5, 'weights that sum to 1');
    expect(batch.players(3).some(({ weight, time }) => weight > 0 && time > 0), 'a clip that plays');

    batch.restore(saved);
    for (let frame = 60; frame <= 90; frame++) {
        run(batch, frame);
    }
    expect(ninety.endsWith(`characters ${hex(batch.hash())}`), 'the same frame after a restore');
    const before = batch.hash();
    const damaged = saved.slice();
    damaged[200] ^= 1;
    refused(() => batch.restore(damaged), 'LMB_ERROR_FORMAT', /./);
    refused(() => batch.restore(saved.subarray(0, 40)), 'LMB_ERROR_FORMAT', /./);
    expect(batch.hash() === before, 'no change by what is refused');
    batch.place(2, { position: [1, 0, 2], yaw: 0.5 });
    expect(batch.hash() !== before, 'a character that was moved');
    batch.respawn(2);
    run(batch, 91);

    refused(() => batch.set(COUNT, 'speed', 1), 'LMB_ERROR_ARGUMENT', /99 is no character/);
    refused(() => batch.set(0, 'sped', 1), 'LMB_ERROR_ARGUMENT', /no parameter "sped"/);
    refused(() => batch.send(0, 'JUMPS'), 'LMB_ERROR_ARGUMENT', /no event "JUMPS"/);
    refused(() => batch.state(0, 'nobody'), 'LMB_ERROR_ARGUMENT', /no machine "nobody"/);
    refused(() => graph.destroy(), 'LMB_ERROR_STATE', /1 batches still use this Graph/);

    // Where no threads share the memory, a view does not outlive its growth; the property makes another one.
    const view = batch.palettes, hash = batch.outputHash();
    graph.createBatch({ count: 20000 }).destroy();
    if (batch.palettes !== view) {
        expect((view.length > 0) === limber.threads > 1, 'a view that is empty, or is shared');
        growths++;
    }
    expect(batch.palettes.length > 0 && batch.outputHash() === hash, 'a new view of palettes');
    batch.destroy();
    batch.destroy();
    refused(() => batch.step(0), 'LMB_ERROR_STATE', /this Batch was destroyed/);
    return lines;
}

// The first frame of a graph of the glTF file.
/** @param {import('limber-animation').Batch} batch */
function begin(batch) {
    for (let i = 0; i < batch.count; i++) {
        batch.set(i, 'time', Math.fround(0.1) * i);
        batch.set(i, 'stretch', i / 63);
    }
    batch.step(0);
}

// A crowd that matches motion on its way, with feet on the ground where it is.
/** @param {import('limber-animation').Graph} graph @param {(line: string) => void} print */
function match(graph, print) {
    const batch = graph.createBatch({ count: 5, ownTransforms: true });
    let jumps = 0;
    for (let frame = 0; frame < 90; frame++) {
        for (let i = 0; i < batch.count; i++) {
            batch.set(i, 'x', frame < 40 ? 0 : i * 0.5 - 1);
            batch.set(i, 'z', i % 3);
        }
        batch.setAll('now', frame / 60);
        batch.step(1 / 60);
        jumps += batch.matching(4)?.found ? 1 : 0;
    }
    const found = batch.matching(4, 'gait');
    if (found?.played === undefined) {
        throw new Error('not so: a take that plays');
    }
    const { asked, played, seconds, recent } = found;
    const numbers = [asked, played.path].flatMap(({ positions, headings }) => [...positions, ...headings].flat());
    print(`match: palettes ${hex(batch.outputHash())}, ${jumps} jumps, plays ${played.take} at row ${played.row}`);
    print([played.time, ...numbers, seconds, ...recent.map(row => row.seconds)].map(x => x.toFixed(5)).join(' '));
    print([...Object.values(played.costs), ...recent.map(({ row }) => row)].join(' '));
    expect(batch.transforms[3] === batch.motions[0] && batch.transforms[11] === batch.motions[2], 'own transforms');
    batch.destroy();
}

// A machine with all kinds of conditions.
const DECISIONS = {
    op: 'machine', name: 'body', any: [{ to: 'hop', event: 'HIT', priority: 2 }], states: [
        { name: 'stand', pose: { op: 'clip', clip: 'idle', play: true }, transitions: [
            { to: 'move', after: 0.25, when: { and: [
                { '>': [{ param: 'speed', max: 3 }, 0.5] },
                { or: [{ trigger: 'GO' }, { '!=': [{ param: 'aim' }, { param: 'speed' }] }] },
                { '<=': [{ param: 'aim' }, 0.25] },
            ] } },
            { to: 'hop', event: 'JUMP', when: { random: 0.5 } },
        ] },
        { name: 'move', pose: { op: 'machine', name: 'gait', states: [
            { name: 'walk', pose: { op: 'clip', clip: 'walk' }, transitions: [
                { to: 'run', when: { '>=': [{ param: 'speed' }, 2] } }] },
            { name: 'run', pose: { op: 'clip', clip: 'run' } },
        ] }, transitions: [
            { to: 'stand', when: { or: [{ in: { gait: 'run' } }, { '<': [{ remaining: 'walk' }, 0.125] }] } },
        ] },
        { name: 'hop', pose: { op: 'clip', clip: 'hop', play: { end: 'hold' } }, transitions: [
            { to: 'stand', end: true }] },
    ],
};

// Why transitions are taken or not: what is listed, in which order, and with which values.
/** @param {import('limber-animation').Character} character */
function explain(character) {
    const graph = character.createGraph(DECISIONS), batch = graph.createBatch();
    /** @param {unknown} found @param {unknown} expected */
    const same = (found, expected) => {
        const texts = [JSON.stringify(found), JSON.stringify(expected)];
        expect(texts[0] === texts[1], `${texts[0]} is ${texts[1]}`);
    };
    batch.set(0, 'speed', 0.75);
    batch.step(0.125);
    const [hit, move, jump, ...more] = batch.explain(0);
    const none = { needsEnd: false, isAtEnd: false, after: 0, seconds: 0.125, conditionHolds: true, applies: true };
    same(hit, { to: 'hop', event: 'HIT', ...none });
    const aim = { of: 'value', value: 0, parameter: 'aim' }, speed = { of: 'value', value: 0.75, parameter: 'speed' };
    const fast = { kind: '>', holds: true, left: speed, right: { of: 'value', value: 0.5 } };
    const go = { kind: '>', holds: false, left: { of: 'trigger', value: 0, event: 'GO' },
        right: { of: 'value', value: 0 } };
    const sides = { left: aim, right: speed };
    const differ = { kind: 'or', holds: true, terms: [
        go, { kind: '<', holds: true, ...sides }, { kind: '>', holds: false, ...sides }] };
    const low = { kind: '<=', holds: true, left: aim, right: { of: 'value', value: 0.25 } };
    same(move, { from: 'stand', to: 'move', ...none, after: 0.25, applies: false, condition: {
        kind: 'and', holds: true, terms: [fast, differ, low] } });
    const drawn = jump.condition && 'left' in jump.condition ? jump.condition : undefined;
    const draw = drawn?.left.value ?? NaN;
    expect(draw >= 0 && draw < 1, `a random number, not ${draw}`);
    const [holds, right] = [draw < 0.5, { of: 'value', value: 0.5 }];
    same(jump, { from: 'stand', to: 'hop', event: 'JUMP', ...none, conditionHolds: holds, applies: holds,
        condition: { kind: '<', holds, left: { of: 'draw', value: draw }, right } });
    expect(more.length === 0, 'three transitions');

    // A trigger that waits holds in place of the other comparisons.
    batch.set(0, 'aim', 0.75);
    batch.send(0, 'GO');
    batch.step(0.0625);
    const waits = comparisons(batch.explain(0, 'body')[1].condition).map(each => [each.left.value, each.holds]);
    same(waits, [[0.75, true], [1, true], [0.75, false], [0.75, false], [0.75, false]]);
    batch.set(0, 'aim', 0);
    batch.step(0.125);
    expect(batch.state(0, 'body') === 'move', 'the transition that was said to apply in 0.25 s');

    // The state of a machine inside, and the time in a clip, whose 0.125 s remain.
    const [, leave] = batch.explain(0, 'body'), walk = graph.players.findIndex(({ clip }) => clip === 'walk');
    const { time } = batch.players(0)[walk], { duration } = graph.players[walk];
    same(leave, { from: 'move', to: 'stand', ...none, seconds: time, conditionHolds: false, applies: false, condition: {
        kind: 'or', holds: false, terms: [
            { kind: '==', holds: false, left: { of: 'state', value: 0, state: 'walk', machine: 'gait' },
                right: { of: 'value', value: 1, state: 'run' } },
            { kind: '>', holds: false, left: { of: 'phase', value: time, player: walk, clip: 'walk' },
                right: { of: 'value', value: duration - 0.125 } }] } });
    same(batch.explain(0, 'gait').map(({ to, applies }) => [to, applies]), [['run', false]]);
    batch.set(0, 'speed', 2);
    same(batch.explain(0, 'gait').map(({ to, applies }) => [to, applies]), [['run', true]]);
    batch.send(0, 'HIT');
    batch.step(1 / 60);
    const [end] = batch.explain(0);
    same([end.to, end.needsEnd, end.isAtEnd, end.applies], ['stand', true, false, false]);
    refused(() => batch.explain(1), 'LMB_ERROR_ARGUMENT', /1 is no character/);
    refused(() => batch.explain(0, 'nobody'), 'LMB_ERROR_ARGUMENT', /no machine "nobody"/);
    batch.destroy();
    graph.destroy();
}

// Returns what a document has at a path.
/** @param {any} document @param {string | undefined} path */
function valueAt(document, path = 'nowhere') {
    return path.match(/[^.[\]]+/g)?.reduce((value, key) => value?.[key], document) ?? document;
}

// Where players, machines and fades are in the text.
/**
 * @param {import('limber-animation').Character} character @param {import('limber-animation').Graph} graph
 * @param {any} json
 */
function places(character, graph, json) {
    for (const { clip, path, file } of graph.players) {
        const pose = valueAt(json, path);
        expect(pose.op === 'clip' && pose.clip === clip && file === '', `the clip "${clip}" at ${path}`);
    }
    const paths = new Set(graph.players.map(({ path }) => path));
    expect(graph.players.length === 8 && paths.size === 8, 'the places of 8 clips');
    const [fade, body] = ['wave', 'body'].map(name => graph.machines[graph.machineIndex(name)]);
    expect(!body.isFade && valueAt(json, body.path).states.length === 6, `a machine at ${body.path}`);
    expect(fade.isFade && fade.path === 'base.base.base.b', `a fade at ${fade.path}`);
    expect(fade.states.join() === 'out,in', 'the states of a fade');

    // The outermost pose, a definition, and copies of one with arguments.
    const own = character.createGraph({
        op: 'machine', states: [
            { name: 'a', pose: { use: 'd', with: { clip: 'walk' } } }, { name: 'b', pose: { use: 'd' } },
            { name: 'c', pose: { use: 'e' } }],
        define: {
            d: { op: 'clip', arguments: { clip: 'run' }, clip: { argument: 'clip' }, play: true },
            e: { op: 'clip', clip: 'idle' },
        },
    });
    const found = own.players.map(({ clip, path }) => `${clip} ${path}`).sort().join();
    expect(found === 'idle define.e,run define.d,walk define.d', `places in definitions, not ${found}`);
    expect(own.machines[0].path === '' && own.machines[0].file === '', 'the outermost pose');
    own.destroy();
}

// A graph whose definitions are in files is the same as one that has them itself.
/** @param {import('limber-animation').Character} character */
function includes(character) {
    const clip = (/** @type {string} */ name) => ({ op: 'clip', clip: name, play: true });
    const blend = { op: 'blend', a: { use: 'walk' }, b: { use: 'run' } };
    /** @type {Record<string, any>} */
    const files = {
        'clips.json': JSON.stringify({ comment: 'gehört dazu', include: ['more/run.json'],
            define: { walk: clip('walk') } }),
        'more/run.json': { define: { run: clip('run') } },
        'wrong.json': '{"define": {\n"walk": {"op": "clip", "clip": "wlak"}, "run": {"op": "rest"}}}',
    };
    /** @type {string[]} */
    const asked = [];
    const readFile = (/** @type {string} */ path) => {
        asked.push(path);
        return files[path];
    };
    const graph = character.createGraph({ ...blend, include: ['clips.json'] }, { readFile });
    const whole = character.createGraph({ ...blend, define: { walk: clip('walk'), run: clip('run') } });
    expect(asked.join() === 'clips.json,more/run.json', `two files, not ${asked}`);
    expect(graph.fingerprint === whole.fingerprint, 'the graph that has the definitions itself');
    const places = graph.players.map(({ clip, path, file }) => `${clip} ${path} ${file}`).sort().join();
    expect(places === 'run define.run more/run.json,walk define.walk clips.json', `places in files, not ${places}`);

    /** @param {string} file @param {(path: string) => any} [read] */
    const include = (file, read) => () => character.createGraph({ ...blend, include: [file] }, { readFile: read });
    const { problems: [missing] } = refused(include('none.json', readFile), 'LMB_ERROR_FORMAT', /no such file/);
    expect(missing.path === 'include[0]' && missing.file === '', 'a mistake in the graph');
    const { problems: [wrong] } = refused(include('wrong.json', readFile), 'LMB_ERROR_FORMAT', /wlak|no clip/);
    expect(wrong.file === 'wrong.json' && wrong.line === 2 && wrong.path === 'define.walk.clip', 'a mistake in a file');
    refused(include('clips.json'), 'LMB_ERROR_FORMAT', /reads no files/);
    refused(include('clips.json', () => character.createGraph(blend)), 'LMB_ERROR_STATE', /while a graph is read/);
    refused(include('clips.json', () => character.destroy()), 'LMB_ERROR_STATE', /while a graph is read/);
    refused(include('clips.json', () => {
        throw new LimberError('not today', 'mine');
    }), 'mine', /not today/);
    expect(include('clips.json', readFile)().fingerprint === whole.fingerprint, 'no harm by what was refused');
}

// Names of a graph for those of this character, and all mistakes of one.
/**
 * @param {import('limber-animation').Limber} limber @param {import('limber-animation').Character} hello
 * @param {import('limber-animation').Graph} graph
 */
function mistakes(limber, hello, graph) {
    const renamed = hello.createGraph({ op: 'clip', clip: 'Bow' }, { aliases: { clips: { Bow: 'bend' } } });
    expect(renamed.jointCount === graph.jointCount, 'a graph by aliases');
    const wrong = '{"op": "blend",\n "a": {"op": "clip", "clip": "bent"},\n "b": {"op": "rest"}, "c": 1}';
    const { problems } = refused(() => hello.createGraph(wrong), 'LMB_ERROR_FORMAT', /./);
    const found = problems.find(({ path }) => path === 'a.clip');
    expect(problems.length >= 2 && found?.line === 2 && /no clip of this name/.test(found.message),
        `all mistakes, not ${JSON.stringify(problems)}`);
    const bad = new TextEncoder().encode('{"asset": {}');
    refused(() => limber.open(bad, { name: 'bad.gltf' }), 'LMB_ERROR_FORMAT', /^bad\.gltf/);
    refused(() => limber.open(new Uint8Array(100)), 'LMB_ERROR_FORMAT', /./);
    refused(() => graph.createBatch({ count: -1 }), 'LMB_ERROR_ARGUMENT', /-1 is no number/);
    refused(() => graph.createBatch({ count: 4e9 }), 'LMB_ERROR_LIMIT', /./);
}

// Texts of machines as JSON. That of the sample is the one of the native library.
/**
 * @param {import('limber-animation').Character} character @param {string} sample @param {(line: string) => void} print
 */
function machineText(character, sample, print) {
    const jump = character.machineJson(sample), graph = character.createGraph(jump);
    print(`${jump}machine ${hex(graph.fingerprint)}`);
    expect(graph.players[1].path === 'states[1].pose', `the place of a clip, not ${graph.players[1].path}`);
    graph.destroy();

    const json = character.machineJson(
        'machine "\\"Tor\\"" # …\nauf = walk { ZU "zu…" fade 0.5 }\n"zu…" = idle { END auf }');
    const { name, states: [open, shut] } = JSON.parse(json);
    expect(name === '"Tor"' && open.transitions[0].to === 'zu…' && shut.transitions[0].end === true, json);
    character.createGraph(json).destroy();
    const renamed = character.machineJson('a = Gait { }', { aliases: { clips: { Gait: 'walk' } } });
    expect(JSON.parse(renamed).states[0].pose.clip === 'Gait', 'the name that the text has');
    const { problems } = refused(() => character.machineJson('a = walk { GO b }\nb = wlak { }\nc { }'),
        'LMB_ERROR_FORMAT', /^machine: line 2, column 5: b: there is no clip .*1 more mistake/);
    expect(problems.map(({ path, line, column }) => `${path} ${line} ${column}`).join() === 'b 2 5,c 3 1',
        `all mistakes, not ${JSON.stringify(problems)}`);
    refused(() => character.machineJson('a = walk { }', { aliases: '{' }), 'LMB_ERROR_FORMAT', /^aliases: /);
    refused(() => character.machineJson(''), 'LMB_ERROR_FORMAT', /where a state was expected/);
}

// Prints the size and a hash of a pack, and opens it.
/**
 * @param {import('limber-animation').Limber} limber @param {string} name @param {Uint8Array} bytes
 * @param {(line: string) => void} print
 */
function openPack(limber, name, bytes, print) {
    print(`${name} pack: ${bytes.length} bytes, ${hex(limber.hash(new Uint32Array(bytes.buffer)))}`);
    return limber.open(bytes, { name });
}

// A pack has what its character has, and graphs beside those that this has.
/**
 * @param {import('limber-animation').Limber} limber @param {import('limber-animation').Character} character
 * @param {string} json @param {(line: string) => void} print
 */
function packs(limber, character, json, print) {
    const [name] = character.graphs, given = { graphs: { again: json } };
    const packed = openPack(limber, 'game', character.pack(given), print);
    expect(packed.graphs.join() === `${name},again`, `two graphs, not ${packed.graphs}`);
    const [stored, again] = packed.graphs.map(each => packed.graph(each));
    expect(stored.fingerprint === again.fingerprint && again.machines.length === stored.machines.length, 'one graph');
    for (const of of /** @type {const} */ (['joints', 'meshes', 'images', 'sockets', 'channels'])) {
        expect(JSON.stringify(packed[of]) === JSON.stringify(character[of]), `the same ${of}`);
    }
    expect(character.clips.every((clip, i) => JSON.stringify(clip) === JSON.stringify(packed.clips[i])), 'all clips');

    // A graph of a name that the file has; names and files that all graphs use.
    const rest = limber.open(character.pack({
        graphs: { [name]: { op: 'rest' }, more: { op: 'blend', a: { use: 'gait' }, b: { op: 'clip', clip: 'Gait' },
            include: ['gait.json'] } },
        aliases: { clips: { Gait: 'walk' } },
        readFile: path => (path === 'gait.json' ? { define: { gait: { op: 'clip', clip: 'Gait' } } } : undefined),
    }));
    expect(rest.graphs.join() === `${name},more` && rest.graph(name).players.length === 0, 'a graph that is replaced');
    expect(rest.clips.length === character.clips.length, 'no other clips');
    expect(limber.open(character.pack()).graphs.join() === name, 'a pack without more graphs');

    // What is refused, and what is written, leaves no memory behind.
    const wrong = { graphs: { good: json, bad: '{"op": "rest",\n "weight": 1, "c": {}}' } };
    const batch = again.createBatch();
    let bytes = 0;
    for (let i = 0; i < 12; i++) {
        const { problems } = refused(() => character.pack(wrong), 'LMB_ERROR_FORMAT', /^bad: line 2, column 2: weight/);
        expect(problems.map(({ path, line }) => `${path} ${line}`).join() === 'weight 2,c 2', JSON.stringify(problems));
        refused(() => character.pack({ graphs: { '': json } }), 'LMB_ERROR_ARGUMENT', /name/);
        refused(() => character.pack({ ...given, aliases: '[' }), 'LMB_ERROR_FORMAT', /^aliases/);
        character.pack(given);
        expect(i < 2 || batch.palettes.buffer.byteLength === bytes, 'memory that does not grow');
        bytes = batch.palettes.buffer.byteLength;
    }
    batch.destroy();
    [packed, rest].forEach(each => each.destroy());
    refused(() => packed.pack(), 'LMB_ERROR_STATE', /destroyed/);
}

// A step throws if a thread ends in it. The next one has the other threads.
/** @param {Uint8Array | ArrayBuffer} pack */
async function trap(pack) {
    const limber = await load({ threads: 2, worker: new URL('./trapping.mjs', import.meta.url) });
    const character = limber.open(pack), batch = character.graph(character.graphs[0]).createBatch({ count: 2000 });
    const until = () => {
        for (let i = 0; i < 1000; i++) {
            batch.step(1 / 60); // in which the worker may be too late
        }
    };
    refused(until, 'LMB_ERROR_STATE', /a thread has ended/);
    batch.step(1 / 60);
    limber.close();
}

// How many threads there may be, what says that one does not start, and what remains without them.
/** @param {import('limber-animation').Limber} limber @param {Uint8Array | ArrayBuffer} pack */
async function threads(limber, pack) {
    for (const count of [0, 1.5, 257]) {
        await rejected({ threads: count }, 'LMB_ERROR_LIMIT', /threads are not 1 to 256/);
    }
    if (limber.threads > 1) {
        await rejected({ threads: 3, worker: './no_worker.js' }, 'LMB_ERROR_UNSUPPORTED', /thread [12] does not start/);
        await trap(pack);
    }
    const character = limber.open(pack), graph = character.graph(character.graphs[0]);
    const batch = graph.createBatch({ count: 100 });
    const two = () => [0, 1].map(() => (batch.step(1 / 60), batch.outputHash())).join();
    const saved = batch.save(), hashes = two();
    limber.close();
    limber.close();
    expect(limber.threads === 1, 'no thread but the one of the caller');
    batch.restore(saved);
    expect(two() === hashes, 'the same bits without threads');
    expect(graph.createBatch({ count: 100 }).palettes.length > 0, 'batches that are created then');
}

/**
 * @param {(name: string) => Promise<ArrayBuffer | Uint8Array>} read @param {(line: string) => void} print
 * @param {number} asked threads @param {number} given
 */
export async function consume(read, print, asked, given) {
    const limber = await load({ threads: asked });
    expect(limber.threads === given, `${given} threads, not ${limber.threads}`);
    const paths = limber.paths.filter(path => path !== 'fast');
    expect(paths.join() === 'reference,simd 4', `two paths, not ${paths.join()}`);

    const { schema } = limber, written = new TextDecoder().decode(await read('graph.schema.json'));
    expect(schema === written && schema === limber.schema, 'the schema that the native library writes');

    // A pack, with its graph and with the same graph as JSON.
    const character = limber.open(await read('game.lmb'), { name: 'game.lmb' });
    const json = new TextDecoder().decode(await read('game.json'));
    expect(character.clips.some(({ name, duration }) => name === 'walk' && duration > 0), 'a clip "walk"');
    expect(character.joints[0].parent === -1 && character.joints.every(({ parent }, i) => parent < i), 'parents first');
    const [mesh] = character.meshes;
    expect(mesh.indices.every(index => index * 3 < mesh.positions.length), 'indices of vertices');
    expect(mesh.weights.subarray(0, 8).reduce((sum, weight) => sum + weight, 0) > 0.999, 'weights of a vertex');
    expect(mesh.joints.every(joint => joint < character.joints.length), 'joints of vertices');
    const stored = character.graph(character.graphs[0]);
    const graphs = [stored, character.createGraph(json), character.createGraph(JSON.parse(json))];
    const matching = character.createGraph(new TextDecoder().decode(await read('match.json')));
    const standing = character.createGraph({ op: 'clip', clip: 'idle', play: true });
    refused(() => standing.createBatch({ ownTransforms: true }), 'LMB_ERROR_ARGUMENT', /no transforms of its own/);
    machineText(character, new TextDecoder().decode(await read('jump.txt')), print);
    packs(limber, character, json, print);
    explain(character);
    places(character, graphs[1], JSON.parse(json));
    includes(character);
    expect(stored.players[0].path === undefined && stored.machines.some(({ isFade }) => isFade), 'no places in a pack');

    // A graph of a glTF file that plays a clip of the pack.
    const hello = limber.open(await read('hello.gltf'), { name: 'hello.gltf' });
    const borrow = new TextDecoder().decode(await read('borrow.json'));
    const borrowing = hello.createGraph(borrow, { characters: { adult: hello, mannequin: character } });
    refused(() => hello.createGraph(borrow), 'LMB_ERROR_FORMAT', /from/);
    await rejected({ wasm: 'data:text/html,page' }, 'LMB_ERROR_FILE', /is no WebAssembly/);
    const stranger = (await load()).open(await read('hello.gltf'), { name: 'hello.gltf' });
    const strange = { characters: { mannequin: stranger } };
    refused(() => hello.createGraph(borrow, strange), 'LMB_ERROR_ARGUMENT', /another load/);
    const helloJson = new TextDecoder().decode(await read('hello.json'));
    const helloPack = hello.pack({ graphs: { hello: helloJson, borrow }, characters: { mannequin: character } });
    character.destroy();
    const fingerprints = new Set(graphs.map(({ fingerprint }) => fingerprint));
    expect(fingerprints.size === 1, 'one fingerprint');
    const { fingerprint, jointCount, parameters } = stored;
    print(`graph ${hex(fingerprint)}, ${jointCount} joints, ${parameters.length} parameters`);
    const games = graphs.slice(0, 2).flatMap(graph => paths.map(path => game(limber, graph, path)));
    expect(new Set(games.map(lines => lines.join('\n'))).size === 1, 'the same bits by all paths and graphs');
    expect(growths > 0, 'memory that has grown');
    games[0].forEach(print);
    match(matching, print);
    graphs.forEach(graph => graph.destroy());

    // Two graphs of the glTF file, and the same from a pack.
    const graph = hello.createGraph(helloJson);
    const [batch, other] = [graph, borrowing].map(each => each.createBatch({ count: 64 }));
    begin(batch);
    begin(other);
    print(`hello: palettes ${hex(batch.outputHash())}`);
    print(`borrow: palettes ${hex(other.outputHash())}`);
    const packed = openPack(limber, 'hello', helloPack, print);
    for (const [name, each] of Object.entries({ hello: batch, borrow: other })) {
        const again = packed.graph(name).createBatch({ count: 64 });
        begin(again);
        expect(again.outputHash() === each.outputHash(), `the graph "${name}" of a pack`);
    }
    batch.setAll('time', NaN);
    batch.step(0);
    expect(batch.refused.time > 0 && batch.refused.weight === 0, 'counted refusals');
    mistakes(limber, hello, graph);
    await threads(limber, await read('game.lmb'));
}
