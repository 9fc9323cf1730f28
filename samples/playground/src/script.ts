// Scripts of `limber play`: lines "SECONDS set PARAMETER VALUE [CHARACTER]" and "SECONDS send EVENT [CHARACTER]". A
// line takes effect in the frame that is nearest to its time.
import type { Batch } from 'limber-animation';

export interface Entry {
    frame: number; // of 1/60 s
    name: string;
    value?: number; // of a parameter; otherwise an event
    character?: number; // otherwise all
}

export const STEP = 1 / 60;

export function readScript(text: string): Entry[] {
    const lines = text.split('\n').map(line => line.replace(/#.*/, '').trim()).filter(line => line !== '');
    return lines.map((line, i) => {
        const [time, kind, name, ...rest] = line.split(/\s+/);
        const [value, character] = kind === 'set' ? rest.map(Number) : [undefined, ...rest.map(Number)];
        if (!(Number(time) >= 0) || !['set', 'send'].includes(kind) || (kind === 'set' && isNaN(value!))) {
            throw new Error(`line ${i + 1} of the script: ${line}`);
        }
        return { frame: Math.round(Number(time) / STEP + 6e-8), name, value, character };
    });
}

export function apply(batch: Batch, { name, value, character }: Entry): void {
    for (let i = character ?? 0; i <= (character ?? batch.count - 1); i++) {
        value === undefined ? batch.send(i, name) : batch.set(i, name, value);
    }
}

// Runs a script from the beginning for a number of frames. Frame 0 takes no time. With `clock` the parameter "time"
// counts the seconds.
export function play(batch: Batch, script: Entry[], frames: number, clock = false): void {
    for (let frame = 0; frame < frames; frame++) {
        script.filter(entry => entry.frame === frame).forEach(entry => apply(batch, entry));
        if (clock) {
            batch.setAll('time', frame / 60);
        }
        batch.step(frame === 0 ? 0 : STEP);
    }
}
