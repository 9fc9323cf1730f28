// Limber in browsers and in node: objects around the functions of limber.wasm (exports.c). index.d.ts documents them.
//
// All objects of one load() share a memory. Views of it are made again after it has grown, which only functions that
// create something can cause. With threads it is limber-threads.wasm, whose memory workers share (threads.c).
import { instantiate } from './instance.js';

// The numbers of exports.c.
const JOINTS = 0, CLIPS = 1, GRAPHS = 2, MESHES = 3, IMAGES = 4, SOCKETS = 5, CHANNELS = 6, NOTES = 7;
const PARAMETERS = 0, EVENTS = 1, MACHINES = 2, PLAYERS = 3, GRAPH_JOINTS = 4;
const MEMORY_OF = ['parameters', 'states', 'inertia', 'motions', 'points', 'transforms', 'reached', 'emitted'];
const FIRST_MEMORY = 8, POSES = FIRST_MEMORY + MEMORY_OF.length;
const REFUSALS = ['clip', 'time', 'weight', 'pose', 'character', 'shear'];
const VERTEX_FLOATS = 24; // of lmb_vertex: position, normal, texcoord, 8 joints, 8 weights
const TERM_WORDS = 10, TRANSITION_WORDS = 8 + 16 * TERM_WORDS; // of the reports of transitions and their terms
const AND = 5; // kinds of terms below it compare
const NONE = 0xffffffff;
// The memory of limber-threads.wasm, in pages of 64 KiB: what it begins with, and what it may have. CMakeLists.txt reads
// this line.
const INITIAL_PAGES = 256, MAX_PAGES = 32768;
const MAX_THREADS = 256;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class LimberError extends Error {
    constructor(message, result, problems = []) {
        super(message);
        this.name = 'LimberError';
        this.result = result;
        this.problems = problems;
    }
}

function range(count, value) {
    return Array.from({ length: count }, (_, index) => value(index));
}

// The module's memory and functions, with views, texts, errors.
class Module {
    #bytes = new Uint8Array();
    #words;
    #floats;
    #doubles;
    #reader; // of files, while a graph is read
    names = {}; // of paths, outputs and so on, from functions of that name

    constructor(exports, memory) {
        this.call = exports;
        this.memory = memory;
    }

    #view() {
        const { buffer } = this.memory;
        if (this.#bytes.buffer !== buffer) {
            this.#bytes = new Uint8Array(buffer);
            this.#words = new Uint32Array(buffer);
            this.#floats = new Float32Array(buffer);
            this.#doubles = new Float64Array(buffer);
        }
    }

    get buffer() {
        return this.memory.buffer;
    }
    get bytes() {
        this.#view();
        return this.#bytes;
    }
    word(address, index) {
        this.#view();
        return this.#words[(address >>> 2) + index];
    }
    float(address, index) {
        this.#view();
        return this.#floats[(address >>> 2) + index];
    }
    double(address, index) {
        this.#view();
        return this.#doubles[(address >>> 3) + index];
    }
    hash(address) {
        return (BigInt(this.word(address, 1)) << 32n) | BigInt(this.word(address, 0));
    }
    text(address) {
        const bytes = this.bytes;
        return decoder.decode(bytes.slice(address >>> 0, bytes.indexOf(0, address >>> 0)));
    }

    error(problems) {
        return new LimberError(this.text(this.call.error_text()), this.text(this.call.error_name()), problems);
    }
    // Throws if a function has returned 0.
    check(result, problems) {
        if (result === 0) {
            throw this.error(problems);
        }
        return result >>> 0;
    }

    // Copies bytes into memory that free() releases.
    copy(given) {
        // A view of this memory would be empty after malloc() has let it grow.
        const bytes = given.buffer === this.buffer ? given.slice() : given;
        const address = this.call.malloc(bytes.length + 1) >>> 0;
        if (address === 0) {
            throw new LimberError('no memory', 'LMB_ERROR_MEMORY');
        }
        this.bytes.set(bytes, address);
        this.bytes[address + bytes.length] = 0;
        return address;
    }
    // Calls a function with the addresses of copies.
    with(list, use) {
        const addresses = [];
        try {
            for (const bytes of list) {
                addresses.push(this.copy(bytes));
            }
            return use(...addresses);
        } finally {
            addresses.forEach(address => this.call.free(address));
        }
    }

    // Calls a function while `readFile` gives the files that a graph includes. What that throws, this throws.
    reading(readFile, use) {
        const reader = { readFile, thrown: undefined };
        this.#reader = reader;
        try {
            const result = use();
            if (reader.thrown !== undefined) {
                throw reader.thrown.error;
            }
            return result;
        } finally {
            this.#reader = undefined;
        }
    }
    // Returns a copy of such a file, and stores its size; or 0. No error may pass the functions of the module.
    readFile(path, size) {
        const reader = this.#reader;
        try {
            const text = reader.readFile(this.text(path));
            if (text !== undefined) {
                const bytes = json(text), address = this.copy(bytes);
                new Uint32Array(this.buffer)[size >>> 2] = bytes.length;
                return address;
            }
        } catch (error) {
            reader.thrown ??= { error };
        }
        return 0;
    }
    // Throws inside of readFile(), where a graph is half read.
    checkIdle() {
        if (this.#reader !== undefined) {
            throw new LimberError('readFile() uses an object while a graph is read', 'LMB_ERROR_STATE');
        }
    }
}

// An object of the library, until destroy(). What others still use cannot be destroyed.
class Owned {
    #address;
    #release;
    #owner;
    #users = 0;

    constructor(module, address, release, owner) {
        this.module = module;
        this.#address = address;
        this.#release = release;
        this.#owner = owner;
        if (owner) {
            owner.#users++;
        }
        Object.defineProperty(this, 'module', { enumerable: false });
    }

    get address() {
        this.module.checkIdle();
        if (this.#address === 0) {
            throw new LimberError(`this ${this.constructor.name} was destroyed`, 'LMB_ERROR_STATE');
        }
        return this.#address;
    }

    destroy() {
        this.module.checkIdle();
        if (this.#users > 0) {
            throw new LimberError(`${this.#users} batches still use this ${this.constructor.name}`, 'LMB_ERROR_STATE');
        }
        if (this.#address !== 0) {
            this.module.call[this.#release](this.#address);
            this.#address = 0;
            if (this.#owner) {
                this.#owner.#users--;
            }
        }
    }
}

function json(value) {
    return encoder.encode(typeof value === 'string' ? value : JSON.stringify(value));
}

class Character extends Owned {
    constructor(module, address) {
        super(module, address, 'file_close');
        const names = of => range(module.call.file_count(address, of) >>> 0,
            index => module.text(module.call.file_name(address, of, index)));
        this.joints = names(JOINTS).map((name, index) => {
            const parent = module.call.file_joint_parent(address, index) >>> 0;
            return { name, parent: parent === NONE ? -1 : parent };
        });
        this.clips = names(CLIPS).map((name, index) => (
            { name, duration: module.call.file_clip_duration(address, index) }));
        this.graphs = names(GRAPHS);
        this.sockets = names(SOCKETS);
        this.channels = names(CHANNELS);
        this.notes = names(NOTES);
        this.meshes = names(MESHES).map((name, index) => this.#mesh(name, index));
        this.images = names(IMAGES).map((name, index) => {
            const image = module.call.file_image(address, index);
            const start = module.word(image, 0);
            const bytes = module.bytes.slice(start, start + module.word(image, 1));
            return { name, bytes, type: bytes[0] === 0x89 ? 'image/png' : 'image/jpeg' };
        });
    }

    // Vertices are copied, as arrays that a renderer takes as they are.
    #mesh(name, index) {
        const { module } = this;
        const mesh = module.call.file_mesh(this.address, index);
        const word = at => module.word(mesh, at);
        const count = word(1);
        const column = (Type, first, width) => {
            const values = new Type(count * width), from = new Type(module.buffer, word(0), count * VERTEX_FLOATS);
            for (let vertex = 0; vertex < count; vertex++) {
                for (let i = 0; i < width; i++) {
                    values[vertex * width + i] = from[vertex * VERTEX_FLOATS + first + i];
                }
            }
            return values;
        };
        const optional = (start, width) => (
            start === 0 ? undefined : new Float32Array(module.buffer, start, count * width).slice());
        const imageAt = at => (word(at) === NONE ? -1 : word(at));
        return {
            name,
            positions: column(Float32Array, 0, 3),
            normals: column(Float32Array, 3, 3),
            texcoords: column(Float32Array, 6, 2),
            joints: Uint16Array.from(column(Uint32Array, 8, 8)),
            weights: column(Float32Array, 16, 8),
            indices: new Uint32Array(module.buffer, word(2), word(3)).slice(),
            tangents: optional(word(4), 4),
            colors: optional(word(5), 4),
            influences: word(7),
            material: {
                name: module.text(word(6)),
                doubleSided: word(8) !== 0,
                color: range(4, i => module.float(mesh, 12 + i)),
                metallic: module.float(mesh, 16),
                roughness: module.float(mesh, 17),
                normalScale: module.float(mesh, 18),
                image: imageAt(9),
                metallicRoughnessImage: imageAt(10),
                normalImage: imageAt(11),
            },
        };
    }

    // Encodes what graphs may use.
    #uses({ aliases, readFile, characters = {} }) {
        const others = Object.entries(characters);
        if (others.some(([, other]) => other.module !== this.module)) {
            throw new LimberError('a character of another load()', 'LMB_ERROR_ARGUMENT');
        }
        return { names: aliases === undefined ? undefined : json(aliases), readFile, others };
    }
    // Calls a function with the addresses and sizes of a graph's text and of what it may use.
    #reading(text, { names, readFile, others }, use) {
        const { module } = this;
        const copies = [text, names ?? new Uint8Array(), ...others.map(([name]) => encoder.encode(name))];
        return module.with(copies, (at, namesAt, ...othersAt) => {
            const words = Uint32Array.from(others.flatMap(([, other], i) => [othersAt[i], other.address]));
            return module.with([new Uint8Array(words.buffer)], wordsAt => module.reading(readFile, () => (
                use(at, text.length, names === undefined ? 0 : namesAt, names?.length ?? 0, wordsAt, others.length,
                    readFile !== undefined))));
        });
    }

    createGraph(text, options = {}) {
        const { module } = this, own = json(text), uses = this.#uses(options), { address } = this;
        try {
            const graph = this.#reading(own, uses, (...given) => module.call.graph_of_text(address, ...given));
            const problems = readProblems(module);
            return new Graph(module, module.check(graph, problems), problems);
        } finally {
            module.call.text_end();
        }
    }

    pack({ graphs = {}, ...options } = {}) {
        const { module } = this, { call } = module, uses = this.#uses(options);
        const texts = Object.entries(graphs).map(([name, graph]) => [encoder.encode(name), json(graph)]);
        const packing = module.check(call.pack_begin(this.address));
        try {
            for (const [name, text] of texts) {
                const added = module.with([name], nameAt => this.#reading(text, uses,
                    (...given) => call.pack_add(packing, nameAt, ...given)));
                module.check(added, readProblems(module));
            }
            const written = module.check(call.pack_write(packing)), start = module.word(written, 0);
            return module.bytes.slice(start, start + module.word(written, 1));
        } finally {
            call.pack_end(packing);
        }
    }

    machineJson(text, { aliases } = {}) {
        const own = encoder.encode(text), names = aliases === undefined ? new Uint8Array() : json(aliases);
        const { module, address } = this;
        return module.with([own, names], (at, namesAt) => {
            const written = module.call.machine_json(address, at, own.length, aliases === undefined ? 0 : namesAt,
                names.length);
            try {
                return module.text(module.check(written, readProblems(module)));
            } finally {
                module.call.free(written);
            }
        });
    }

    graph(name) {
        const index = this.graphs.indexOf(name);
        if (index < 0) {
            throw new LimberError(`the file has no graph "${name}"`, 'LMB_ERROR_ARGUMENT');
        }
        return new Graph(this.module, this.module.check(this.module.call.graph_of_pack(this.address, index)), []);
    }
}

function readProblems(module) {
    return range(module.call.problem_count() >>> 0, index => {
        const problem = module.call.problem_at(index);
        return {
            path: module.text(module.word(problem, 2)),
            line: module.word(problem, 0),
            column: module.word(problem, 1),
            message: module.text(module.word(problem, 3)),
            file: module.text(module.word(problem, 4)),
        };
    });
}

class Graph extends Owned {
    #parameters = new Map();
    #events = new Map();
    #machines = new Map();

    constructor(module, address, warnings) {
        super(module, address, 'graph_destroy');
        const { call } = module;
        const count = of => call.graph_count(address, of) >>> 0;
        const names = of => range(count(of), index => module.text(call.graph_name(address, of, index)));
        const placeOf = (of, index) => {
            const place = call.graph_place(address, of, index);
            const text = at => module.text(module.word(place, at));
            return place === 0 ? {} : { path: text(0), file: text(1) };
        };
        this.warnings = warnings;
        this.jointCount = count(GRAPH_JOINTS);
        this.parameters = names(PARAMETERS).map((name, index) => {
            const parameter = call.graph_parameter(address, index);
            return {
                name,
                initial: module.float(parameter, 0),
                min: module.float(parameter, 1),
                max: module.float(parameter, 2),
                isWritten: module.word(parameter, 3) !== 0,
            };
        });
        this.events = names(EVENTS);
        this.machines = names(MACHINES).map((name, machine) => ({
            name,
            states: range(call.graph_state_count(address, machine) >>> 0,
                state => module.text(call.graph_state_name(address, machine, state))),
            isFade: call.graph_is_fade(address, machine) !== 0,
            ...placeOf(MACHINES, machine),
        }));
        this.players = names(PLAYERS).map((clip, index) => (
            { clip, duration: call.graph_player_duration(address, index), ...placeOf(PLAYERS, index) }));
        this.fingerprint = module.hash(call.graph_fingerprint(address));
        const keep = (map, name, index) => name !== '' && !map.has(name) && map.set(name, index);
        this.parameters.forEach(({ name, isWritten }, index) => !isWritten && keep(this.#parameters, name, index));
        this.events.forEach((name, index) => keep(this.#events, name, index));
        this.machines.forEach(({ name }, index) => keep(this.#machines, name, index));
    }

    #find(map, kind, name) {
        const index = map.get(name);
        if (index === undefined) {
            throw new LimberError(`the graph has no ${kind} "${name}"`, 'LMB_ERROR_ARGUMENT');
        }
        return index;
    }
    parameterIndex(name) {
        return this.#find(this.#parameters, 'parameter', name);
    }
    eventIndex(name) {
        return this.#find(this.#events, 'event', name);
    }
    machineIndex(name) {
        return this.#find(this.#machines, 'machine', name);
    }

    createBatch({ count = 1, path = 'fast', outputs = ['palette'], ownTransforms = false } = {}) {
        const { module } = this;
        const pathIndex = pathsOf(module).indexOf(path);
        if (pathIndex < 0) {
            throw new LimberError(`there is no path "${path}"`, 'LMB_ERROR_UNSUPPORTED');
        }
        const all = outputsOf(module);
        const bits = outputs.reduce((sum, name) => {
            if (!all.includes(name)) {
                throw new LimberError(`there is no output "${name}"`, 'LMB_ERROR_ARGUMENT');
            }
            return sum | 1 << all.indexOf(name);
        }, 0);
        if (!Number.isInteger(count) || count < 0 || count >= NONE) {
            throw new LimberError(`${count} is no number of characters`, 'LMB_ERROR_ARGUMENT');
        }
        const address = module.check(module.call.batch_create(this.address, count, pathIndex, bits, ownTransforms));
        return new Batch(module, address, this, count);
    }
}

const namesOf = (module, of) => (module.names[of] ??= range(8, index => module.text(module.call[of](index))));
const pathsOf = module => namesOf(module, 'path_name');
const outputsOf = module => namesOf(module, 'output_name');

class Batch extends Owned {
    #views = new Map();

    constructor(module, address, graph, count) {
        super(module, address, 'batch_destroy', graph);
        this.graph = graph;
        this.count = count;
        this.path = module.text(module.call.path_name(module.call.batch_path(address)));
    }

    #memory(which, Type) {
        let view = this.#views.get(which);
        if (view === undefined || view.buffer !== this.module.buffer) {
            const { call } = this.module;
            const words = this.count * (call.batch_words(this.address, which) >>> 0);
            view = new Type(this.module.buffer, call.batch_memory(this.address, which) >>> 0, words);
            this.#views.set(which, view);
        }
        return view;
    }
    #row(character) {
        if (!Number.isInteger(character) || character < 0 || character >= this.count) {
            throw new LimberError(`${character} is no character of the batch`, 'LMB_ERROR_ARGUMENT');
        }
        return character;
    }

    output(name) {
        const which = outputsOf(this.module).indexOf(name);
        if (which < 0) {
            throw new LimberError(`there is no output "${name}"`, 'LMB_ERROR_ARGUMENT');
        }
        return this.#memory(which, Float32Array);
    }
    get palettes() {
        return this.#memory(2, Float32Array);
    }
    get parameters() {
        return this.#memory(FIRST_MEMORY, Float32Array);
    }
    get states() {
        return this.#memory(FIRST_MEMORY + 1, Uint32Array);
    }
    get motions() {
        return this.#memory(FIRST_MEMORY + 3, Float32Array);
    }
    get points() {
        return this.#memory(FIRST_MEMORY + 4, Float32Array);
    }
    get transforms() {
        return this.#memory(FIRST_MEMORY + 5, Float32Array);
    }
    get reached() {
        return this.#memory(FIRST_MEMORY + 6, Uint32Array);
    }
    get emittedWords() {
        return this.#memory(FIRST_MEMORY + 7, Uint32Array);
    }
    poses(index) {
        return this.#memory(POSES + index, Float32Array);
    }

    set(character, parameter, value) {
        const { length } = this.graph.parameters;
        this.parameters[this.#row(character) * length + this.graph.parameterIndex(parameter)] = value;
    }
    setAll(parameter, value) {
        const { parameters, graph } = this, { length } = graph.parameters;
        for (let at = graph.parameterIndex(parameter); at < parameters.length; at += length) {
            parameters[at] = value;
        }
    }
    get(character, parameter) {
        const { length } = this.graph.parameters;
        return this.parameters[this.#row(character) * length + this.graph.parameterIndex(parameter)];
    }
    send(character, event) {
        const { module } = this;
        module.check(module.call.batch_send(this.address, this.#row(character), this.graph.eventIndex(event)));
    }

    step(seconds) {
        this.module.check(this.module.call.batch_step(this.address, seconds));
    }

    get refused() {
        const counters = this.module.call.batch_refused(this.address);
        return Object.fromEntries(REFUSALS.map((name, index) => [name, this.module.word(counters, index)]));
    }
    emitted(character) {
        const { module, address } = this;
        return range(module.call.batch_emitted_count(address, this.#row(character)) >>> 0, index => {
            const emitted = module.call.batch_emitted(address, character, index);
            return {
                event: this.graph.events[module.word(emitted, 0)],
                weight: module.float(emitted, 1),
                passes: module.word(emitted, 2) | 0,
                source: module.text(module.word(emitted, 3)),
                seconds: module.double(emitted, 2),
            };
        });
    }
    state(character, machine = this.graph.machines[0]?.name) {
        const index = this.graph.machineIndex(machine);
        const state = this.module.call.batch_current_state(this.address, this.#row(character), index) >>> 0;
        return this.graph.machines[index].states[state];
    }
    stateWeights(character, machine = this.graph.machines[0]?.name) {
        const index = this.graph.machineIndex(machine);
        return this.graph.machines[index].states.map((_, state) => this.module.call.batch_state_weight(
            this.address, this.#row(character), index, state));
    }
    players(character) {
        const { call } = this.module;
        return this.graph.players.map(({ clip }, player) => ({
            clip,
            weight: call.batch_player_weight(this.address, this.#row(character), player),
            time: call.batch_player_time(this.address, character, player),
        }));
    }

    explain(character, machine = this.graph.machines[0]?.name) {
        const { module, graph } = this, index = graph.machineIndex(machine), { states } = graph.machines[index];
        const answer = module.call.batch_explain(this.address, this.#row(character), index);
        const count = module.word(answer, 0), reports = module.word(answer, 1);
        return range(count, at => {
            const report = reports + at * TRANSITION_WORDS * 4;
            const word = i => module.word(report, i), flag = (i, byte) => (word(i) >> 8 * byte & 0xff) !== 0;
            return {
                from: states[word(0)],
                to: states[word(1)],
                event: graph.events[word(2)],
                needsEnd: flag(3, 0),
                isAtEnd: flag(3, 1),
                after: module.float(report, 4),
                seconds: module.float(report, 5),
                conditionHolds: flag(6, 0),
                applies: flag(6, 1),
                condition: this.#condition(report, word(7)),
            };
        });
    }
    // Makes a tree of terms in postfix order. What joins two of its own kind has their terms.
    #condition(report, count) {
        const { module } = this, stack = [];
        const kinds = namesOf(module, 'kind_name');
        for (let i = 0; i < count; i++) {
            const term = report + (8 + i * TERM_WORDS) * 4;
            const kind = kinds[module.word(term, 0)], holds = (module.word(term, 9) & 0xff) !== 0;
            if (module.word(term, 0) < AND) {
                stack.push({ kind, holds, ...this.#sides(term) });
            } else {
                const joined = stack.splice(-2).flatMap(part => (part.kind === kind ? part.terms : part));
                stack.push({ kind, holds, terms: joined });
            }
        }
        return stack[0];
    }
    #sides(term) {
        const { module, graph } = this, word = at => module.word(term, at);
        const machine = graph.machines[word(7)], player = graph.players[word(5)];
        const side = (value, parameter) => ({
            value,
            parameter: graph.parameters[parameter]?.name,
            state: machine?.states[value],
        });
        const left = {
            of: namesOf(module, 'operand_name')[word(6)],
            ...side(module.float(term, 1), word(3)),
            machine: machine?.name,
            event: graph.events[word(8)],
            player: player && word(5),
            clip: player?.clip,
        };
        return { left, right: { of: 'value', ...side(module.float(term, 2), word(4)) } };
    }

    matching(character, machine = this.graph.machines[0]?.name) {
        const { module } = this, index = this.graph.machineIndex(machine);
        const report = module.call.batch_matching(this.address, this.#row(character), index);
        if (report === 0) {
            return undefined;
        }
        const word = at => module.word(report, at), float = at => module.float(report, at);
        const pairs = first => range(3, i => [float(first + 2 * i), float(first + 2 * i + 1)]);
        const path = first => ({ positions: pairs(first), headings: pairs(first + 6) });
        const row = first => (word(first) === NONE ? undefined : {
            row: word(first),
            take: this.graph.machines[index].states[word(first + 1)],
            time: float(first + 2),
            mirrored: (word(first + 3) & 0xff) !== 0,
            path: path(first + 4),
            costs: {
                footPositions: word(first + 16),
                footVelocities: word(first + 17),
                hipVelocity: word(first + 18),
                path: word(first + 19),
                headings: word(first + 20),
                joints: word(first + 21),
            },
        });
        const recent = range(word(57), i => ({ row: word(58 + i), seconds: float(62 + i) }));
        return { asked: path(0), played: row(12), found: row(34), seconds: float(56), recent };
    }

    place(character, { position = [0, 0, 0], yaw = 0 } = {}) {
        this.#place(character, position, yaw, 0);
    }
    respawn(character, { position = [0, 0, 0], yaw = 0 } = {}) {
        this.#place(character, position, yaw, 1);
    }
    #place(character, position, yaw, respawns) {
        const { module } = this;
        module.check(module.call.batch_place(this.address, this.#row(character), ...position, yaw, respawns));
    }

    save() {
        const { module } = this, size = module.call.batch_snapshot_size(this.address) >>> 0;
        return module.with([new Uint8Array(size)], at => {
            module.check(module.call.batch_save(this.address, at, size));
            return module.bytes.slice(at, at + size);
        });
    }
    restore(snapshot) {
        const { module } = this;
        module.with([snapshot], at => module.check(module.call.batch_restore(this.address, at, snapshot.length)));
    }
    hash() {
        return this.module.hash(this.module.check(this.module.call.batch_hash(this.address)));
    }
    outputHash(name = 'palette') {
        const { module } = this, values = this.output(name);
        return module.hash(module.call.hash_words(values.byteOffset, values.length));
    }
}

class Limber {
    #module;
    #workers;
    #schema;

    constructor(module, workers) {
        this.#module = module;
        this.#workers = workers;
        this.paths = pathsOf(module).filter(name => name !== '');
        this.outputs = outputsOf(module).slice();
    }

    get threads() {
        return this.#workers.length + 1;
    }
    close() {
        if (this.#workers.length > 0) {
            this.#module.call.threads_use(1, false);
            this.#workers.splice(0).forEach(worker => worker.terminate());
        }
    }

    get schema() {
        const module = this.#module, { graph_schema: write } = module.call;
        return this.#schema ??= module.with([new Uint8Array(write(0, 0))], at => {
            write(at, write(0, 0) + 1);
            return module.text(at);
        });
    }

    hash(words) {
        const module = this.#module;
        if (words.buffer === module.buffer) {
            return module.hash(module.call.hash_words(words.byteOffset, words.length));
        }
        const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
        return module.with([bytes], at => module.hash(module.call.hash_words(at, words.length)));
    }

    open(bytes, { name = '' } = {}) {
        const module = this.#module;
        const size = bytes.byteLength;
        const copy = module.copy(ArrayBuffer.isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, size)
            : new Uint8Array(bytes)); // file_open() takes it
        const address = module.with([encoder.encode(name)],
            at => module.call.file_open(copy, size, name === '' ? 0 : at));
        return new Character(module, module.check(address));
    }
}

// Addresses are relative to the page, in node to the current folder. Those of files of the package are written out, and
// relative to import.meta.url, because bundlers look for them.
function addressOf(text) {
    return new URL(text, globalThis.location?.href ?? `file://${globalThis.process.cwd()}/`);
}

// Compiles limber.wasm from what load() was given.
async function compile(wasm) {
    if (wasm instanceof WebAssembly.Module) {
        return wasm;
    }
    if (wasm instanceof ArrayBuffer || ArrayBuffer.isView(wasm)) {
        return WebAssembly.compile(wasm);
    }
    const url = addressOf(wasm);
    if (url.protocol === 'file:') {
        return WebAssembly.compile(globalThis.process.getBuiltinModule('node:fs').readFileSync(url));
    }
    const response = await fetch(url);
    if (!response.ok) {
        throw new LimberError(`${url}: ${response.status} ${response.statusText}`, 'LMB_ERROR_FILE');
    }
    const bytes = await response.arrayBuffer();
    // Some servers answer with a page where a file is not.
    if (bytes.byteLength < 4 || new DataView(bytes).getUint32(0) !== 0x0061736d) {
        throw new LimberError(`${url} is no WebAssembly: give the address of limber.wasm to load()`, 'LMB_ERROR_FILE');
    }
    return WebAssembly.compile(bytes);
}

// Threads need a memory that they share. A page has one only if it is isolated.
function canShareMemory() {
    return typeof SharedArrayBuffer === 'function' && globalThis.crossOriginIsolated !== false;
}

// The main thread of a page must not sleep.
function maySleep() {
    try {
        return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1) === 'not-equal';
    } catch {
        return false;
    }
}

function createWorker(url) {
    if (globalThis.process?.getBuiltinModule !== undefined) {
        const { Worker: NodeWorker } = globalThis.process.getBuiltinModule('node:worker_threads');
        return new NodeWorker(url === undefined ? new URL('./worker.js', import.meta.url) : addressOf(url));
    }
    // Bundlers find the file by an expression of this form.
    return url === undefined ? new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
        : new Worker(url, { type: 'module' });
}

// Resolves when a worker runs its thread.
function start(worker, message) {
    return new Promise((resolve, reject) => {
        const fail = problem => reject(new LimberError(
            `the worker of thread ${message.thread} does not start: ${problem}`, 'LMB_ERROR_UNSUPPORTED'));
        const listeners = {
            message: event => {
                const { problem } = event.data ?? event;
                return problem === undefined ? resolve() : fail(problem);
            },
            error: event => fail(event.message ?? 'its file is not found'),
        };
        for (const [kind, listener] of Object.entries(listeners)) {
            worker.on?.(kind, listener) ?? worker.addEventListener(kind, listener);
        }
        worker.postMessage(message);
    });
}

// Starts all threads but the caller's. None is left if one does not start.
async function startAll(module, compiled, threads, url) {
    const { call, memory } = module, workers = [];
    try {
        const starts = range(threads - 1, i => {
            workers.push(createWorker(url));
            const stack = module.check(call.threads_stack());
            return start(workers[i], { compiled, memory, thread: i + 1, stack });
        });
        await Promise.all(starts);
    } catch (error) {
        workers.forEach(worker => worker.terminate());
        throw error instanceof LimberError ? error : new LimberError(
            `the worker of thread ${workers.length + 1} does not start: ${error.message}`, 'LMB_ERROR_UNSUPPORTED');
    }
    workers.forEach(worker => worker.unref?.()); // so that node ends without close()
    call.threads_use(threads, maySleep());
    return workers;
}

export async function load({
    wasm = new URL('./limber.wasm', import.meta.url),
    threadsWasm = new URL('./limber-threads.wasm', import.meta.url),
    threads = 1,
    worker,
} = {}) {
    if (!Number.isInteger(threads) || threads < 1 || threads > MAX_THREADS) {
        throw new LimberError(`${threads} threads are not 1 to ${MAX_THREADS}`, 'LMB_ERROR_LIMIT');
    }
    const shares = threads > 1 && canShareMemory();
    const shared = shares
        ? new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: MAX_PAGES, shared: true }) : undefined;
    const compiled = await compile(shares ? threadsWasm : wasm);
    const exports = await instantiate(compiled, (path, size) => module.readFile(path, size), shared);
    const module = new Module(exports, shared ?? exports.memory);
    exports._initialize?.();
    return new Limber(module, shares ? await startAll(module, compiled, threads, worker) : []);
}
