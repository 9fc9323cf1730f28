/**
 * Limber evaluates character animation for crowds, with the same bits in a browser, in node, natively and on GPUs.
 *
 * `load()` gives a `Limber`, which opens files. A `Character` is what a file has; it creates graphs. A `Graph` creates
 * batches: a number of characters that run it. All of them are memory of WebAssembly, so call `destroy()` when you need
 * one no longer. A graph needs its character no longer, a batch needs its graph.
 *
 * Words and ranges are those of the C headers (`limber/graph.h`, `limber/batch.h`, `limber/control.h`). All functions
 * throw a {@link LimberError} if they are refused, and change nothing then.
 */

/** An error of the library, with its message. */
export class LimberError extends Error {
    constructor(message: string, result: string, problems?: Problem[]);
    /** The name of the result: "LMB_ERROR_FORMAT" and so on. */
    readonly result: string;
    /** All mistakes of a graph's JSON, or of a machine's text; otherwise empty. */
    readonly problems: Problem[];
}

/** A mistake or a warning in the JSON of a graph, or in the text of a machine. */
export interface Problem {
    /** Where in the document: "base.inputs[1].pose.clip"; "" for all of it. In the text of a machine: the state. */
    path: string;
    /** From 1. */
    line: number;
    /** In bytes, from 1. */
    column: number;
    message: string;
    /** The included file that it is in; "" for the graph itself. */
    file: string;
}

/** How a batch is evaluated. All give the same bits. "fast" is the widest that there is. */
export type Path = 'reference' | 'fast' | 'simd 4';

/** What a batch may have for each character; see `limber/batch.h` for their layouts. */
export type Output =
    | 'local'
    | 'model'
    | 'palette'
    | 'previous palette'
    | 'dual quaternions'
    | 'bounds'
    | 'sockets'
    | 'channels';

/** An address, the bytes there, or a compiled module. */
export type Wasm = string | URL | ArrayBuffer | ArrayBufferView | WebAssembly.Module;

/**
 * Loads the library: `limber.wasm` beside this module, or with threads `limber-threads.wasm`. Other addresses are
 * relative to the page, in node to the current folder.
 */
export function load(options?: {
    /** In place of `limber.wasm`. */
    wasm?: Wasm;
    /** In place of `limber-threads.wasm`. */
    threadsWasm?: Wasm;
    /**
     * How many threads run a step, with the one that calls `step()`: 1 to 256, and 1 if it is not given. The others are
     * workers, which sleep between steps. The bits do not depend on it. More threads than processors gain nothing. A
     * batch has scratch memory for each: up to 6 MiB.
     *
     * Threads need a memory that they share. node has it; a page has it if it is isolated (`crossOriginIsolated`),
     * otherwise it gets one thread: see `Limber.threads`.
     */
    threads?: number;
    /** The address of a worker's module, in place of `worker.js`. */
    worker?: string | URL;
}): Promise<Limber>;

/** The library in a memory of its own. */
export interface Limber {
    /** The paths that there are. */
    readonly paths: Path[];
    /** The names of all outputs. */
    readonly outputs: Output[];
    /** How many threads run a step. */
    readonly threads: number;
    /**
     * Ends the workers, if there are threads; pages call it when they need this `Limber` no longer. What it has
     * created goes on in one thread.
     */
    close(): void;
    /** The JSON schema (draft 7) of graphs, with which editors complete and check them. */
    readonly schema: string;
    /**
     * Opens a pack (`limber pack`), or reads a glTF file with its buffers inside (.glb or data URIs) or a BVH file. The
     * bytes are copied.
     */
    open(bytes: ArrayBuffer | ArrayBufferView, options?: {
        /** Begins messages; its ending may give the format. */
        name?: string;
    }): Character;
    /** `lmb_hash_words()` of words. */
    hash(words: Uint32Array | Float32Array): bigint;
}

interface Destroyable {
    /** Releases its memory. It must not be used afterwards. Throws if a batch still uses it. */
    destroy(): void;
}

/** What the JSON of a graph may use beside the character. */
export interface GraphUses {
    /** Names in the graph for those of this character: `{"clips": {"Walk": "walk_01"}}`. */
    aliases?: string | object;
    /**
     * Returns the JSON of a file that the graph includes, by its path there; undefined if there is no such file. It
     * must not use objects of this `Limber`. What it throws is thrown.
     */
    readFile?: (path: string) => string | object | undefined;
    /**
     * Characters whose clips the graph plays through retargets, by the names that are `"from"` there. The graph
     * needs them no longer.
     */
    characters?: Record<string, Character>;
}

/** What a file has: a rig, clips, meshes and images, and the graphs of a pack. */
export interface Character extends Destroyable {
    /** In the order of palettes. `parent` is an index, or -1. */
    readonly joints: { name: string; parent: number }[];
    /** `duration` is in seconds. */
    readonly clips: { name: string; duration: number }[];
    /** The names of the graphs in a pack. */
    readonly graphs: string[];
    readonly sockets: string[];
    readonly channels: string[];
    /** What the importer left out or changed. */
    readonly notes: string[];
    readonly meshes: Mesh[];
    readonly images: Image[];
    /**
     * Creates a graph from JSON: a text, or an object that is written as one. The manual has the format: "Graphs as
     * JSON". A mistake throws an error with all mistakes as its `problems`.
     */
    createGraph(json: string | object, options?: GraphUses): Graph;
    /**
     * The compact text of a state machine (`limber/machine.h`) as JSON for `createGraph()`, which gives the same graph:
     * a line for each state and for each transition. Comments are left out. A mistake throws an error with all mistakes
     * as its `problems`, whose paths are names of states.
     */
    machineJson(text: string, options?: {
        /** Names in the text for those of this character. They stay in the JSON. */
        aliases?: string | object;
    }): string;
    /**
     * Writes a pack, as `limber pack` does: the rig, clips, meshes and images, the graphs of the file if it is a pack,
     * and those that are given. One of a name that the file has replaces that. A library without JSON reads it, and so
     * does `open()`. A mistake in a graph throws as `createGraph()` does, with the graph's name before the message.
     */
    pack(options?: {
        /** JSON by names, which are not empty. */
        graphs?: Record<string, string | object>;
    } & GraphUses): Uint8Array;
    /** Creates a graph of the pack. */
    graph(name: string): Graph;
}

/** Triangles with one material, in the bind pose. The arrays are copies. */
export interface Mesh {
    name: string;
    /** 3 floats a vertex. */
    positions: Float32Array;
    /** 3 floats a vertex. */
    normals: Float32Array;
    /** 2 floats a vertex. (0, 0) is the top left of an image. */
    texcoords: Float32Array;
    /** 8 joints a vertex, as indices into palettes; 0 where the weight is 0. */
    joints: Uint16Array;
    /** 8 weights a vertex, which sum to 1. */
    weights: Float32Array;
    /** 3 vertices a triangle, counter-clockwise front. */
    indices: Uint32Array;
    /** 4 floats a vertex. */
    tangents?: Float32Array;
    /** 4 floats a vertex, linear. */
    colors?: Float32Array;
    /** How many joints and weights of a vertex are used: 1 to 8. The others are 0. */
    influences: number;
    material: {
        name: string;
        doubleSided: boolean;
        /** Linear: red, green, blue, alpha. */
        color: number[];
        metallic: number;
        roughness: number;
        normalScale: number;
        /** Indices of images, or -1. */
        image: number;
        metallicRoughnessImage: number;
        normalImage: number;
    };
}

/** A PNG or JPEG as it is in the file. */
export interface Image {
    name: string;
    bytes: Uint8Array;
    type: 'image/png' | 'image/jpeg';
}

/**
 * Where the JSON of a graph has a pose. Undefined if the graph is from a pack, and for a fade of a definition that has
 * other uses.
 */
export interface Place {
    /**
     * The object with the operation, as in a problem but never shortened: "base.inputs[1].pose"; "define.gait" for all
     * uses of a definition, and for each if it has arguments; "" for the outermost pose.
     */
    readonly path?: string;
    /** The included file that it is in; "" for the graph itself. */
    readonly file?: string;
}

/** A graph: it is checked and compiled, and does not change. */
export interface Graph extends Destroyable {
    /** What is allowed in its JSON, but probably a mistake. */
    readonly warnings: Problem[];
    readonly jointCount: number;
    /**
     * The columns of `Batch.parameters`. Those that the graph writes (`isWritten`) are for reading, and are not found
     * by name.
     */
    readonly parameters: { name: string; initial: number; min: number; max: number; isWritten: boolean }[];
    readonly events: string[];
    /** State machines, and fades: a fade has the states "out" and "in", and its place is that of the pose it fades. */
    readonly machines: ({ name: string; states: string[]; isFade: boolean } & Place)[];
    /** Clips that play by themselves. */
    readonly players: ({ clip: string; duration: number } & Place)[];
    /** Names the graph: equal on two sides if snapshots of one fit the other. */
    readonly fingerprint: bigint;
    parameterIndex(name: string): number;
    eventIndex(name: string): number;
    machineIndex(name: string): number;
    /** Creates a number of characters that run this graph. */
    createBatch(options?: {
        /** 1 if it is not given. */
        count?: number;
        /** "fast" if it is not given. */
        path?: Path;
        /** The palette if it is not given. */
        outputs?: Output[];
        /** Steps write `Batch.transforms`, by where the graph has moved each character. Refused if it moves none. */
        ownTransforms?: boolean;
    }): Batch;
}

/** A side of a comparison. */
export interface Operand {
    /** Only the left side may be something else than a value. A phase stands for a remaining time, too. */
    of: 'value' | 'phase' | 'state' | 'trigger' | 'draw' | 'choice';
    /**
     * The number that is compared. Beside a phase: seconds in the clip. Beside a state: the index of a state. A trigger
     * is 1 while its event waits.
     */
    value: number;
    /** From which the value is. */
    parameter?: string;
    /** Of a phase: an index of `graph.players`. */
    player?: number;
    /** Of that player. */
    clip?: string;
    /** Of a state. */
    machine?: string;
    /** On both sides of a comparison of states. */
    state?: string;
    /** Of a trigger. */
    event?: string;
}

/** A condition of a transition, and whether it holds: a comparison, or what joins two or more conditions. */
export type Condition =
    | { kind: '<' | '<=' | '>' | '>=' | '=='; holds: boolean; left: Operand; right: Operand }
    | { kind: 'and' | 'or'; holds: boolean; terms: Condition[] };

/** A transition that leaves the current state of a machine, and what it requires (`lmb_transition_report`). */
export interface Transition {
    /** Undefined: from any state. */
    from?: string;
    to: string;
    /** That it requires. */
    event?: string;
    /** Whether it requires the end of the state's clip. */
    needsEnd: boolean;
    /** Whether the state's clip is at its end; false if the state has none. */
    isAtEnd: boolean;
    /** Seconds in the state that it requires; 0 if it requires none. */
    after: number;
    /** Since the state began. */
    seconds: number;
    /** Whether `condition` holds, or there is none. */
    conditionHolds: boolean;
    /** Whether all is met but its event, and the machine may take transitions. */
    applies: boolean;
    condition?: Condition;
}

/** Where a character will be and head in 1/3, 2/3 and 1 s: x and z in its own frame, in which z is forward. */
export interface MotionPath {
    positions: [number, number][];
    /** Of length 1. */
    headings: [number, number][];
}

/** A row of a database: a moment of a take. */
export interface MatchedRow {
    row: number;
    /** The state that plays it. */
    take: string;
    /** Seconds in its clip. */
    time: number;
    /** Whether it is the mirrored row. */
    mirrored: boolean;
    path: MotionPath;
    /** Beside what is asked for in this frame, without a bonus. */
    costs: {
        footPositions: number;
        footVelocities: number;
        hipVelocity: number;
        path: number;
        headings: number;
        /** Of further joints. */
        joints: number;
    };
}

/** What a machine that matches motion asks for, and what it does (`lmb_matching_report`). */
export interface Matching {
    asked: MotionPath;
    /** The row that plays. */
    played?: MatchedRow;
    /** The row to which the next step jumps. */
    found?: MatchedRow;
    /** Since its turn to search. */
    seconds: number;
    /** What was chosen last, and how long ago; the latest first. */
    recent: { row: number; seconds: number }[];
}

/**
 * Characters that run one graph.
 *
 * Its arrays are views of the library's memory, not copies. They show each step. If the memory grows, a view becomes
 * empty (its `length` is 0): so read the property again after something was opened or created. `step()` never lets it
 * grow.
 *
 * With threads the memory is a `SharedArrayBuffer`, whose views stay when it grows. Functions that refuse such a view
 * take a copy: `batch.palettes.slice()`.
 */
export interface Batch extends Destroyable {
    readonly graph: Graph;
    readonly count: number;
    /** The path that is used, never "fast". */
    readonly path: Path;

    /** float [count][joints][3][4], row-major: from the bind pose to the pose, in model space. */
    readonly palettes: Float32Array;
    /** An output that the batch was created with; empty for others. */
    output(name: Output): Float32Array;
    /** float [count][graph.parameters.length]. You may write what the graph does not write. */
    readonly parameters: Float32Array;
    /**
     * float [count][points][4]: x, y, z and a number that is not read. The targets of `{"point": index}`, which you
     * write.
     */
    readonly points: Float32Array;
    /**
     * float [count][3][4]: from model space to world space, for points in world space and feet. Yours to write, unless
     * the batch was created with `ownTransforms`.
     */
    readonly transforms: Float32Array;
    /** The pose buffer of that index; yours to write. */
    poses(index: number): Float32Array;
    /** float [count][4]: x, y, z and yaw of each character, if the graph moves it; with full rotation 7 floats. */
    readonly motions: Float32Array;
    /** uint32 [count][...]: the states of all characters. */
    readonly states: Uint32Array;
    /** uint32 [count][...]: 1 where a node of the graph reaches its target. */
    readonly reached: Uint32Array;
    /** uint32 [count][...]: what `emitted()` reads, for hashes. */
    readonly emittedWords: Uint32Array;

    /** Sets a parameter of a character. */
    set(character: number, parameter: string, value: number): void;
    /** Sets a parameter of all characters. */
    setAll(parameter: string, value: number): void;
    get(character: number, parameter: string): number;
    /** Sends an event, which takes effect at the beginning of the next step. */
    send(character: number, event: string): void;

    /** Advances all characters by a time, which is clamped to 0 to 60 s, and evaluates the outputs. */
    step(seconds: number): void;

    /** Invalid inputs that the last step replaced, by kind. */
    readonly refused: { clip: number; time: number; weight: number; pose: number; character: number; shear: number };
    /** The events that a character emitted in the last step. */
    emitted(character: number): {
        event: string;
        weight: number;
        passes: number;
        /** What emitted it: the name of a clip, or a machine and its state ("body/run"). */
        source: string;
        /** Since the step began. */
        seconds: number;
    }[];
    /** The current state of a machine, the first one if none is named. */
    state(character: number, machine?: string): string;
    /** The weights of the states of a machine, in the order of `graph.machines`. */
    stateWeights(character: number, machine?: string): number[];
    /** The clips that play by themselves, with their weights in the pose and their times in seconds. */
    players(character: number): { clip: string; weight: number; time: number }[];

    /**
     * The transitions that leave the current state of a machine, the first one if none is named, in the order in which
     * they are tried. They say what the next step would decide at its beginning if the parameters stayed as they are.
     */
    explain(character: number, machine?: string): Transition[];

    /** What a machine asks for that matches motion, the first if none is named; undefined while it plays no take. */
    matching(character: number, machine?: string): Matching | undefined;

    /** Moves a character, if the graph moves it: its next step begins there. */
    place(character: number, at?: { position?: [number, number, number]; yaw?: number }): void;
    /** Begins a character anew. */
    respawn(character: number, at?: { position?: [number, number, number]; yaw?: number }): void;

    /** What the next step continues from, as the bytes of a snapshot. Parameters and points are not in it. */
    save(): Uint8Array;
    /** Restores a snapshot of this or another batch of the same graph and count, wherever it comes from. */
    restore(snapshot: Uint8Array): void;
    /** A hash of what `save()` saves: `lmb_hash_words()` of the `lmb_characters_hash()` of each character. */
    hash(): bigint;
    /** `lmb_hash_words()` of an output, the palette if none is named. */
    outputHash(name?: Output): bigint;
}
