// Compares every clip of the glTF files in folders with three.js: the matrices of all nodes in model space, at key times,
// between keys and at the ends. Prints a table of file, clips, joints, largest difference and result.
//
//   npm install --prefix tests/peers/three
//   node tests/peers/three/compare.mjs build/release/limber FOLDER... [--tolerance 1e-5]
//
// A difference is that of a position in units of the character's extent, or that of a matrix's other entries. Exits with
// 1 if one is above the tolerance, or if Limber refuses a file for a reason that include/limber/import.h does not list.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import * as THREE from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { MeshoptDecoder } from 'three/examples/jsm/libs/meshopt_decoder.module.js';

globalThis.self ??= globalThis;
globalThis.ProgressEvent ??= class extends Event {};
console.warn = () => {};

// What may be refused, by include/limber/import.h.
const refusals = [/not read, and may change shapes or motion/, /is read by a build with/, /sheared/, /last row is not 0 0 0 1/,
    /is read$/, /there are none, so there is no rig/, /URI with the scheme/, /is an absolute path/, /does not name a file/,
    /cannot be opened/, /JSON line/, /before the key before it/, /the rotation is zero/, /elements, the \d+ keys need/,
    /no index/, /bytes/, /is missing/, /occurs twice/, /hangs on joint/, /there are \d+ vertices/, /two parents/, /own ancestor/, /is no root/,
    /not an? /, /above 2\^40/, /not finite/, /at most/, /MiB/, /has a type/, /elements, POSITION has/];
// Notes on motion that Limber mends in another way than three.js.
const mended = [/divided by their last/, /several keys at one time/, /its keys were moved to 0/, /two channels of one property/, /sheared/, /begin/];

function filesIn(path) {
    if (!statSync(path).isDirectory()) {
        return [path];
    }
    return readdirSync(path).sort().flatMap((name) => {
        const below = join(path, name);
        return statSync(below).isDirectory() ? filesIn(below) : /\.(gltf|glb)$/i.test(name) ? [below] : [];
    });
}

function readDocument(path) {
    const bytes = readFileSync(path);
    if (bytes.toString('latin1', 0, 4) !== 'glTF') {
        return JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
    }
    const jsonSize = bytes.readUInt32LE(12);
    const json = JSON.parse(bytes.toString('utf8', 20, 20 + jsonSize));
    if (json.buffers?.[0] && json.buffers[0].uri === undefined && bytes.length > 28 + jsonSize) {
        const binary = bytes.subarray(28 + jsonSize, 28 + jsonSize + bytes.readUInt32LE(20 + jsonSize));
        json.buffers[0].uri = 'data:application/octet-stream;base64,' + binary.toString('base64');
    }
    return json;
}

// three.js reads no KHR_animation_pointer. One to a node is a channel as any other.
function resolvePointer(channel) {
    const pointer = channel.target.extensions?.KHR_animation_pointer?.pointer ?? '';
    const parts = pointer.match(/^\/nodes\/(\d+)\/(translation|rotation|scale)$/);
    if (parts) {
        channel.target = { node: Number(parts[1]), path: parts[2] };
    }
}

// three.js interpolates keys of rotations as they are. The specification asks for unit quaternions, which those of
// quantised files are not.
function normaliseRotations(clip) {
    for (const track of clip.tracks.filter((each) => each.name.endsWith('.quaternion'))) {
        if (track.values.length !== 4 * track.times.length) {
            continue; // a spline, whose result three.js normalises
        }
        const values = new Float32Array(track.values);
        for (let i = 0; i < values.length; i += 4) {
            const length = Math.hypot(...values.subarray(i, i + 4));
            for (let k = i; k < i + 4; k++) {
                values[k] /= length;
            }
        }
        track.values = values;
    }
}

// Keeps what moves: nodes, animations and their data.
function strip(json, folder) {
    for (const buffer of json.buffers ?? []) {
        if (buffer.uri !== undefined && !buffer.uri.startsWith('data:')) {
            const bytes = readFileSync(resolve(folder, decodeURIComponent(buffer.uri)));
            buffer.uri = 'data:application/octet-stream;base64,' + bytes.toString('base64');
        }
    }
    for (const node of json.nodes ?? []) {
        for (const key of ['mesh', 'skin', 'camera', 'weights', 'extensions']) {
            delete node[key];
        }
    }
    for (const animation of json.animations ?? []) {
        animation.channels.forEach(resolvePointer);
        const isKept = (channel) => channel.target.path !== 'weights' && channel.target.path !== 'pointer' &&
            channel.target.node !== undefined;
        animation.channels = animation.channels.filter(isKept);
    }
    for (const key of ['meshes', 'skins', 'materials', 'textures', 'images', 'cameras', 'samplers', 'extensions']) {
        delete json[key];
    }
    const kept = (name) => name === 'EXT_meshopt_compression' || name === 'KHR_mesh_quantization';
    json.extensionsUsed = json.extensionsUsed?.filter(kept);
    json.extensionsRequired = json.extensionsRequired?.filter(kept);
    return json;
}

function load(json) {
    return new Promise((accept, reject) => {
        const loader = new GLTFLoader();
        loader.setMeshoptDecoder(MeshoptDecoder);
        loader.parse(JSON.stringify(json), '', accept, reject);
    });
}

// The names above nodes of one name, and their order, distinguish them.
function keysOf(count, nameOf, parentOf) {
    const paths = [], seen = new Map();
    for (let i = 0; i < count; i++) {
        const names = [];
        for (let at = i; at >= 0; at = parentOf(at)) {
            names.push(nameOf(at));
        }
        const path = names.join(' < '), number = seen.get(path) ?? 0;
        seen.set(path, number + 1);
        paths.push(`${path} ${number}`);
    }
    return paths;
}

function nodeKeys(json) {
    const nodes = json.nodes ?? [], parents = nodes.map(() => -1);
    nodes.forEach((node, i) => (node.children ?? []).forEach((child) => (parents[child] = i)));
    return keysOf(nodes.length, (i) => nodes[i].name || `node_${i}`, (i) => parents[i]);
}

function timesOf(duration) {
    const times = [];
    for (let i = 0; i <= 12; i++) {
        times.push(Math.fround((duration * i) / 12));
    }
    for (let i = 0; i < 12; i++) {
        times.push(Math.fround(duration * ((i + 0.381966) / 12)));
    }
    return times;
}

// The matrix of each node of the scene in model space, at a time of a clip.
function poseOf(gltf, action, mixer, time) {
    mixer.stopAllAction();
    action.reset();
    action.setLoop(THREE.LoopOnce, 1);
    action.clampWhenFinished = true;
    action.play();
    mixer.setTime(time);
    gltf.scene.updateMatrixWorld(true);
    const matrices = new Map();
    gltf.scene.traverse((object) => {
        const node = gltf.parser.associations.get(object)?.nodes;
        if (node !== undefined) {
            matrices.set(node, [...object.matrixWorld.elements]);
        }
    });
    return matrices;
}

function run(limber, ...options) {
    return JSON.parse(execFileSync(limber, options, { encoding: 'utf8', maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'pipe'] }));
}

function extentOf(poses) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (const pose of poses) {
        for (const matrix of pose.values()) {
            for (let i = 0; i < 3; i++) {
                low[i] = Math.min(low[i], matrix[12 + i]);
                high[i] = Math.max(high[i], matrix[12 + i]);
            }
        }
    }
    const extent = Math.hypot(...high.map((value, i) => value - low[i]));
    return extent > 1e-9 && Number.isFinite(extent) ? extent : 1;
}

// The largest difference of a matrix of Limber, 3x4 by rows, and one of three.js, 4x4 by columns.
function differenceOf(ours, theirs, extent) {
    let most = 0;
    for (let column = 0; column < 4; column++) {
        const length = Math.hypot(theirs[column * 4], theirs[column * 4 + 1], theirs[column * 4 + 2]);
        const unit = column === 3 ? extent : Math.max(length, 1);
        for (let row = 0; row < 3; row++) {
            most = Math.max(most, Math.abs(ours[row * 4 + column] - theirs[column * 4 + row]) / unit);
        }
    }
    return most;
}

async function compare(limber, path) {
    const info = run(limber, 'info', '--json', '--exact-scales', path);
    const row = { clips: info.clips.length, joints: info.joints.length, difference: 0, where: '', notes: info.notes };
    const json = readDocument(path), nodes = nodeKeys(json);
    const names = (json.animations ?? []).map((animation, i) => animation.name || `animation_${i}`);
    const gltf = await load(strip(json, dirname(path)));
    const mixer = new THREE.AnimationMixer(gltf.scene);
    const joints = keysOf(info.joints.length, (i) => info.joints[i].name, (i) => info.joints[i].parent);
    const jointOf = new Map(joints.map((key, i) => [key, i]));
    for (let c = 0, a = -1; c < info.clips.length; c++) {
        for (a++; a < names.length && names[a] !== info.clips[c].name; a++) {
        }
        if (a >= names.length || !gltf.animations[a]) {
            return { ...row, result: `no animation of three.js for clip ${c}` };
        }
        const times = timesOf(info.clips[c].duration);
        const sampled = run(limber, 'sample', path, '--clip', String(c), ...times.flatMap((t) => ['--time', String(t)]),
            '--exact-scales', '--json');
        normaliseRotations(gltf.animations[a]);
        const action = mixer.clipAction(gltf.animations[a]);
        const poses = times.map((time) => poseOf(gltf, action, mixer, time));
        const extent = extentOf(poses);
        poses.forEach((pose, t) => {
            for (const [node, matrix] of pose) {
                const joint = jointOf.get(nodes[node]);
                if (joint === undefined) {
                    continue;
                }
                const difference = differenceOf(sampled.poses[t].joints[joint].model, matrix, extent);
                if (difference > row.difference) {
                    row.difference = difference;
                    row.where = `${info.clips[c].name}, ${times[t].toFixed(4)} s, ${info.joints[joint].name}`;
                }
            }
        });
        mixer.uncacheAction(gltf.animations[a]);
    }
    return row;
}

const args = process.argv.slice(2), at = args.indexOf('--tolerance');
const tolerance = at >= 0 ? Number(args.splice(at, 2)[1]) : 1e-5;
const [limber, ...folders] = args;
if (limber === undefined || folders.length === 0) {
    console.error('usage: node compare.mjs LIMBER FOLDER... [--tolerance 1e-5]');
    process.exit(2);
}
let failed = 0, files = 0;
console.log(`${'file'.padEnd(44)} clips joints  difference  result`);
for (const path of folders.flatMap(filesIn)) {
    let row = { clips: 0, joints: 0, difference: 0 };
    files++;
    try {
        row = await compare(limber, path);
        const mends = row.notes.find((note) => mended.some((pattern) => pattern.test(note)));
        row.result ??= row.difference <= tolerance ? 'same' : mends ? `mended: ${mends}` : `DIFFERS: ${row.where}`;
    } catch (error) {
        const message = String(error.stderr || error.message || error).trim().split('\n').pop();
        const refused = error.stderr !== undefined;
        row.result = !refused ? `three.js does not read it: ${message}`
            : refusals.some((pattern) => pattern.test(message)) ? `refused: ${message}` : `REFUSED: ${message}`;
    }
    failed += /^(DIFFERS|REFUSED)/.test(row.result);
    console.log(`${path.slice(-44).padEnd(44)} ${String(row.clips).padStart(5)} ${String(row.joints).padStart(6)}  ` +
        `${row.difference.toExponential(2).padStart(10)}  ${row.result}`);
}
console.log(`${files} files, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
