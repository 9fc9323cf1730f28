// The page of motion matching. The first character goes where a stick points, seen from the camera; all others are
// pedestrians (../pedestrians.c), who walk from place to place. They say a velocity, and no more. The page shows what
// the first asks for and what the search has chosen.
import type { Batch, MatchedRow } from 'limber-animation';
import { Stick, add, addMeter } from './controls.ts';
import type { View } from './view.ts';

const RUN = 3; // metres a second
const ROW = 8; // floats of a pedestrian: x, z, heading, desired velocity, goal, seconds to wait

export interface Pedestrians {
    memory: WebAssembly.Memory;
    begin(count: number): number;
    walk(seconds: number): void;
}

export async function loadPedestrians(wasm: ArrayBuffer): Promise<Pedestrians> {
    const { instance } = await WebAssembly.instantiate(wasm);
    return instance.exports as unknown as Pedestrians;
}

const GROUPS: [keyof MatchedRow['costs'], string][] = [
    ['path', 'path'], ['headings', 'headings'], ['footPositions', 'foot positions'],
    ['footVelocities', 'foot velocities'], ['hipVelocity', 'hip velocity'],
];

export class Matched {
    readonly #view: View;
    readonly #stick: Stick;
    readonly #pedestrians: Pedestrians;
    readonly #plays: HTMLElement;
    readonly #moves: HTMLElement;
    readonly #meters: ((value: number, text: string) => void)[];
    readonly #jumps: HTMLElement[];
    #list = new Float32Array();
    #before = [0, 0];
    #speed = 0;
    #highest = 1; // of all costs until now

    constructor(view: View, controls: Element, pedestrians: Pedestrians) {
        this.#view = view;
        this.#pedestrians = pedestrians;
        this.#stick = new Stick(document.getElementById('picture')!, 'Stick: drag, or arrow keys, with Shift to run');
        const legend = { asked: 'It asks for this path of a second.', played: 'It plays this one.' };
        for (const [name, what] of Object.entries(legend)) {
            const line = add(controls, 'p');
            add(line, 'i').className = name;
            line.append(what);
        }
        this.#moves = add(controls, 'p');
        this.#plays = add(controls, 'p');
        const table = add(controls, 'table');
        table.className = 'costs';
        table.createCaption().textContent = 'Costs, in thousands';
        const heads = add(table, 'tr');
        add(heads, 'td').colSpan = 2;
        ['now', 'last jump'].forEach(head => add(heads, 'th', head));
        this.#meters = GROUPS.map(([, name]) => addMeter(table, name, `cost: ${name}`));
        this.#jumps = Array.from(table.rows).slice(1).map(row => add(row, 'td'));
    }

    remove(): void {
        this.#stick.remove();
        this.#view.showPath('asked');
        this.#view.showPath('played');
    }

    // Places a crowd that was just created.
    begin(batch: Batch): void {
        const at = this.#pedestrians.begin(batch.count);
        this.#list = new Float32Array(this.#pedestrians.memory.buffer, at, batch.count * ROW);
        for (let i = 0; i < batch.count; i++) {
            const [x, z, yaw] = this.#list.subarray(i * ROW);
            batch.place(i, i === 0 ? {} : { position: [x, 0, z], yaw });
        }
        batch.step(0);
        this.#before = [0, 0];
    }

    // Sets what all ask for.
    ask(batch: Batch, seconds: number): void {
        const { right, up } = this.#stick, [x, z] = this.#view.ahead(), { motions } = batch, list = this.#list;
        batch.set(0, 'x', RUN * (up * x - right * z));
        batch.set(0, 'z', RUN * (up * z + right * x));
        for (let i = 0; i < batch.count; i++) {
            list.set([motions[i * 4], motions[i * 4 + 2], motions[i * 4 + 3]], i * ROW);
        }
        this.#pedestrians.walk(seconds);
        for (let i = 1; i < batch.count; i++) {
            batch.set(i, 'x', list[i * ROW + 3]);
            batch.set(i, 'z', list[i * ROW + 4]);
        }
    }

    // Shows the first character after a step.
    show(batch: Batch, seconds: number): void {
        const [x, , z, yaw] = batch.motions, report = batch.matching(0);
        this.#view.follow(x, z);
        this.#view.showPath('asked', report?.asked, x, z, yaw);
        this.#view.showPath('played', report?.played?.path, x, z, yaw);
        if (seconds > 0) {
            const speed = Math.hypot(x - this.#before[0], z - this.#before[1]) / seconds;
            this.#speed += (speed - this.#speed) * (1 - Math.exp(-seconds / 0.2));
        }
        this.#before = [x, z];
        const asked = Math.hypot(batch.get(0, 'x'), batch.get(0, 'z'));
        this.#moves.textContent = `It asks for ${asked.toFixed(2)} m/s and moves at ${this.#speed.toFixed(2)} m/s.`;
        const row = report?.found ?? report?.played, since = report?.recent[0]?.seconds;
        this.#plays.textContent = row === undefined ? 'No take plays.' : `${report?.found ? 'Jumps to' : 'Plays'} ${
            row.take} at ${row.time.toFixed(2)} s${since === undefined ? '' : `, chosen ${since.toFixed(1)} s ago`}.`;
        GROUPS.forEach(([group], index) => {
            const cost = row?.costs[group] ?? 0;
            this.#highest = Math.max(this.#highest, cost);
            this.#meters[index](cost / this.#highest, (cost / 1000).toFixed(1));
            if (report?.found) {
                this.#jumps[index].textContent = (cost / 1000).toFixed(1);
            }
        });
    }
}
