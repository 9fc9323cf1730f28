// Runs the graph of a document in the library, in steps of 1/60 s, and draws it. What was set and sent is a time line:
// it can be scrubbed, and is a script of `limber play`. A graph that was edited runs the same time line again.
import type { Batch, Character, Graph, GraphUses, Limber, Problem } from 'limber-animation';

import { STEP, apply, readScript } from '../script.ts';
import type { Entry } from '../script.ts';
import { View } from '../view.ts';
import { collect, isObject } from './schema.ts';

const KEY = 60; // frames between snapshots
const BUDGET = 30; // milliseconds of steps between two pictures
const MAX_FRAMES = 60 * 60 * 10;

interface Key {
    state: Uint8Array;
    parameters: Float32Array;
}

export class Preview {
    batch: Batch | undefined;
    graph: Graph | undefined;
    problems: Problem[] = []; // mistakes of the last text; with a graph that is older
    warnings: Problem[] = [];
    frame = 0; // that is shown
    frames = 0; // of the time line
    plays = true;
    character: Character;
    cost = 0; // microseconds of a step
    readonly view: View;
    entries: Entry[] = [];
    files = new Map<string, string>(); // that graphs include
    aliases: object | undefined; // names of the graph for those of the character
    others: Record<string, Character> = {}; // whose clips graphs retarget
    looked: { graph: Graph; batch: Batch } | undefined; // a clip that is shown instead
    #count = 1;
    #clocks: string[] = [];
    #target = 0; // frame to which steps are to be made
    #keys = new Map<number, Key>();
    #text = '';
    #listeners = new Set<() => void>();
    #before = performance.now();
    #owed = 0; // seconds
    #request = 0;

    constructor(readonly limber: Limber, canvas: HTMLCanvasElement, character: Character) {
        this.character = character;
        this.view = new View(canvas);
        this.#request = requestAnimationFrame(this.#animate);
    }

    // Tells when the graph is another, and after each picture.
    subscribe(listener: () => void): () => void {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
    }

    destroy(): void {
        cancelAnimationFrame(this.#request);
        this.#listeners.clear();
        this.#end();
    }

    get count(): number { return this.#count; }
    set count(count: number) {
        this.#count = count;
        this.#begin();
    }

    // Shows a text. If it has mistakes, the graph before it runs on.
    show(text: string, character = this.character): void {
        this.#text = text;
        let graph: Graph;
        try {
            graph = character.createGraph(text, this.#uses);
        } catch (error) {
            const problems = (error as { problems?: Problem[] }).problems ?? [];
            this.problems = problems.length > 0 ? problems
                : [{ path: '', file: '', line: 1, column: 1, message: (error as Error).message }];
            this.warnings = [];
            if (character !== this.character) {
                this.#end();
                this.character = character;
                this.#alone({ op: 'rest' });
            }
            this.#tell();
            return;
        }
        this.#end();
        this.character = character;
        this.graph = graph;
        // Clocks of what keeps a state between frames count seconds, as in `limber play`.
        this.#clocks = collect(JSON.parse(text), ({ op, time }) => (
            (op === 'chain' || op === 'foot-placement') && isObject(time) ? time.param : undefined));
        this.problems = [];
        this.warnings = graph.warnings;
        this.#begin();
    }

    // What graphs use beside the character.
    get #uses(): GraphUses {
        return { aliases: this.aliases, characters: this.others, readFile: path => this.files.get(path) };
    }

    // The text of a machine as JSON.
    machineJson(text: string): string {
        return this.character.machineJson(text, { aliases: this.aliases });
    }

    // A pack of the character and the graph that is shown, under a name.
    pack(name: string): Uint8Array {
        return this.character.pack({ graphs: { [name]: this.#text }, ...this.#uses });
    }

    open(character: Character): void {
        const old = this.character;
        this.show(this.#text, character);
        old.destroy();
    }

    // Plays a clip alone, until it is called without one. The time line stands meanwhile.
    look(clip?: string): void {
        const { looked, character } = this;
        looked?.batch.destroy();
        looked?.graph.destroy();
        this.looked = undefined;
        if (character.clips.some(({ name }) => name === clip)) {
            this.#alone({ op: 'clip', clip, play: true });
        } else if (looked && this.batch) {
            this.#draw(this.batch);
        }
    }

    #alone(json: object): void {
        const graph = this.character.createGraph(json);
        this.looked = { graph, batch: graph.createBatch() };
        this.view.show(this.character, this.looked.batch, 1, false);
    }

    // ---- The time line.

    set(name: string, value: number, character?: number): void {
        this.#add({ frame: this.#now, name, value, character });
    }

    // The value of a parameter, with what was set and is not stepped yet.
    get(name: string, character = 0): number | undefined {
        const isNext = (entry: Entry) => entry.frame > this.frame && entry.frame <= this.#now && entry.name === name
            && (entry.character ?? character) === character;
        return this.entries.findLast(isNext)?.value ?? this.batch?.get(character, name);
    }

    send(name: string, character?: number): void {
        this.#add({ frame: this.#now, name, character });
    }

    // Whether steps are still made to the frame that is asked for.
    get isBehind(): boolean {
        return this.frame < this.#target - 10;
    }

    // The frame to which something belongs that is set now: the next one, or the one at which the time line stands.
    get #now(): number {
        return this.plays ? Math.max(this.frame, this.#target) + 1 : Math.max(this.frame, 0);
    }

    seek(frame: number): void {
        this.#target = Math.min(Math.max(Math.round(frame), 0), this.frames);
        this.plays = false;
        this.#rewind();
    }

    restart(): void {
        this.entries = [];
        this.frames = 0;
        this.#begin();
    }

    script(): string {
        const seconds = (frame: number) => Number((frame * STEP).toFixed(4));
        return this.entries.map(({ frame, name, value, character }) => [seconds(frame),
            ...(value === undefined ? ['send', name] : ['set', name, value]),
            ...(character === undefined ? [] : [character])].join(' ')).join('\n') + '\n';
    }

    load(script: string): void {
        this.entries = readScript(script).sort((a, b) => a.frame - b.frame);
        this.frames = Math.max(this.entries.at(-1)?.frame ?? 0, 60) + 60;
        this.#begin();
    }

    // An entry replaces that of the same frame. Later ones stay.
    #add(entry: Entry): void {
        const isReplaced = ({ frame, name, value, character }: Entry) => value !== undefined && frame === entry.frame
            && name === entry.name && character === entry.character;
        this.entries = [...this.entries.filter(other => !isReplaced(other)), entry].sort((a, b) => a.frame - b.frame);
        [...this.#keys.keys()].filter(frame => frame > entry.frame).forEach(frame => this.#keys.delete(frame));
        if (!this.plays) {
            this.#target = this.frame;
            this.#rewind();
        }
    }

    #apply(frame: number): void {
        const { batch, graph } = this;
        const isKnown = ({ name, value, character = 0 }: Entry) => character < this.#count && (value === undefined
            ? graph!.events.includes(name) : graph!.parameters.some(p => p.name === name && !p.isWritten));
        // Others are of a graph that the time line was made with.
        this.entries.filter(entry => entry.frame === frame && isKnown(entry)).forEach(entry => apply(batch!, entry));
    }

    // ---- Frames.

    #begin(): void {
        if (!this.graph) {
            return;
        }
        this.batch?.destroy();
        this.batch = this.graph.createBatch({ count: this.#count });
        this.#draw(this.batch);
        this.#keys.clear();
        this.frame = -1;
        this.#target = Math.max(this.#target, 0);
        if (this.plays) {
            this.#target = this.frames;
        }
        this.#keys.set(-1, this.#key());
        this.#advance(performance.now() + BUDGET);
        this.#tell();
    }

    #draw(batch: Batch): void {
        this.view.show(this.character, batch, this.#count, batch.motions.length > 0 && this.#count === 1);
    }

    #end(): void {
        this.look();
        this.batch?.destroy();
        this.graph?.destroy();
        this.batch = this.graph = undefined;
    }

    #key(): Key {
        return { state: this.batch!.save(), parameters: this.batch!.parameters.slice() };
    }

    // Goes back to a snapshot that is not after the target.
    #rewind(): void {
        if (this.batch) {
            const at = Math.max(...[...this.#keys.keys()].filter(frame => frame < this.#target), -1);
            const key = this.#keys.get(at)!;
            this.batch.restore(key.state);
            this.batch.parameters.set(key.parameters);
            this.frame = at;
        }
    }

    // Makes steps until the target, or until it is too late for a picture.
    #advance(until: number): void {
        const { batch } = this;
        while (batch && this.frame < this.#target && performance.now() < until) {
            this.frame++;
            this.#clocks.filter(clock => !this.entries.some(({ name }) => name === clock))
                .forEach(clock => batch.setAll(clock, this.frame / 60));
            this.#apply(this.frame);
            const begin = performance.now();
            batch.step(this.frame === 0 ? 0 : STEP);
            this.cost += 0.05 * (1000 * (performance.now() - begin) - this.cost);
            if (this.frame % KEY === 0 && !this.#keys.has(this.frame)) {
                this.#keys.set(this.frame, this.#key());
            }
        }
        this.frames = Math.max(this.frames, this.frame);
    }

    #animate = (now: number): void => {
        this.#request = requestAnimationFrame(this.#animate);
        const passed = Math.min(Math.max((now - this.#before) / 1000, 0), 0.1);
        this.#before = now;
        if (this.looked) {
            this.looked.batch.step(passed);
        } else if (this.plays && this.frame >= this.#target) {
            this.#owed += passed;
            const steps = Math.floor(this.#owed / STEP);
            this.#owed -= steps * STEP;
            this.#target = Math.min(this.frame + steps, MAX_FRAMES);
        }
        this.#advance(performance.now() + (this.looked ? 0 : BUDGET));
        if (!this.looked && this.batch && this.batch.motions.length > 0 && this.#count === 1) {
            this.view.follow(this.batch.motions[0], this.batch.motions[2]);
        }
        this.view.draw();
        this.#tell();
    };

    #tell(): void {
        this.#listeners.forEach(listener => listener());
    }
}
