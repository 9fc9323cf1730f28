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

/** @param {bigint} hash */
const hex = hash => hash.toString(16).padStart(16, '0');

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

let growths = 0; // of the memory, which made views empty

// 120 frames of 9 characters. A snapshot of frame 60 is restored in the end and gives frame 90 again.
/**
 * @param {import('limber-animation').Limber} limber @param {import('limber-animation').Graph} graph
 * @param {import('limber-animation').Path} path
 */
function game(limber, graph, path) {
    const batch = graph.createBatch({ count: 9, path, outputs: ['palette', 'bounds'] });
    const lines = [];
    let saved = new Uint8Array(), ninety = '', emitted = 0;
    expect(batch.path === path, `the path ${path}`);
    const { palettes } = batch;
    expect(palettes === batch.palettes && palettes.length === 9 * graph.jointCount * 12, 'a view of all palettes');
    expect(batch.output('bounds').length === 9 * 6 && batch.output('local').length === 0, 'requested outputs alone');
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
            lines.push(line);
        }
    }
    lines.push(`${emitted} events; character 0: ${batch.state(0, 'body')}`);
    expect(batch.motions.length === 9 * 4 && batch.motions.some(value => value !== 0), 'characters that moved');
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

    refused(() => batch.set(9, 'speed', 1), 'LMB_ERROR_ARGUMENT', /9 is no character/);
    refused(() => batch.set(0, 'sped', 1), 'LMB_ERROR_ARGUMENT', /no parameter "sped"/);
    refused(() => batch.send(0, 'JUMPS'), 'LMB_ERROR_ARGUMENT', /no event "JUMPS"/);
    refused(() => batch.state(0, 'nobody'), 'LMB_ERROR_ARGUMENT', /no machine "nobody"/);
    refused(() => graph.destroy(), 'LMB_ERROR_STATE', /1 batches still use this Graph/);

    // A view does not outlive the growth of the memory; the property makes another one.
    const view = batch.palettes, hash = batch.outputHash();
    graph.createBatch({ count: 20000 }).destroy();
    growths += view.length === 0 ? 1 : 0;
    expect(batch.palettes.length > 0 && batch.outputHash() === hash, 'a new view of palettes');
    batch.destroy();
    batch.destroy();
    refused(() => batch.step(0), 'LMB_ERROR_STATE', /this Batch was destroyed/);
    return lines;
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

/** @param {(name: string) => Promise<ArrayBuffer | Uint8Array>} read @param {(line: string) => void} print */
export async function consume(read, print) {
    const limber = await load();
    const paths = limber.paths.filter(path => path !== 'fast');
    expect(paths.join() === 'reference,simd 4', `two paths, not ${paths.join()}`);

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

    // A glTF file.
    const hello = limber.open(await read('hello.gltf'), { name: 'hello.gltf' });
    const graph = hello.createGraph(new TextDecoder().decode(await read('hello.json')));
    const batch = graph.createBatch({ count: 64 });
    for (let i = 0; i < batch.count; i++) {
        batch.set(i, 'time', Math.fround(0.1) * i);
        batch.set(i, 'stretch', i / 63);
    }
    batch.step(0);
    print(`hello: palettes ${hex(batch.outputHash())}`);
    batch.setAll('time', NaN);
    batch.step(0);
    expect(batch.refused.time > 0 && batch.refused.weight === 0, 'counted refusals');

    // Names of a graph for those of this character, and all mistakes of one.
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
