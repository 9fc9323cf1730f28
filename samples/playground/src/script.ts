// Scripts of `limber play`: lines "SECONDS set PARAMETER VALUE [CHARACTER]" and "SECONDS send EVENT [CHARACTER]". A
// line takes effect in the frame that is nearest to its time.
import type { Batch } from 'limber-animation';

export interface Line {
    seconds: number;
    apply(batch: Batch): void;
}

export function readScript(text: string): Line[] {
    return text.split('\n').map(line => line.replace(/#.*/, '').trim()).filter(line => line !== '').map(line => {
        const [seconds, kind, name, ...rest] = line.split(/\s+/);
        const [value, character] = kind === 'set' ? rest.map(Number) : [0, ...rest.map(Number)];
        return {
            seconds: Number(seconds),
            apply(batch) {
                if (kind === 'set') {
                    if (character === undefined) {
                        batch.setAll(name, value);
                    } else {
                        batch.set(character, name, value);
                    }
                } else if (character === undefined) {
                    for (let i = 0; i < batch.count; i++) {
                        batch.send(i, name);
                    }
                } else {
                    batch.send(character, name);
                }
            },
        };
    });
}

// Runs a script from the beginning for a number of frames of 1/60 s. Frame 0 takes no time. `clock` names a parameter
// that counts the seconds.
export function play(batch: Batch, script: Line[], frames: number, clock?: string): void {
    let next = 0;
    for (let frame = 0; frame < frames; frame++) {
        while (next < script.length && script[next].seconds * 60 < frame + 0.5 - 6e-8) {
            script[next++].apply(batch);
        }
        if (clock !== undefined) {
            batch.setAll(clock, frame / 60);
        }
        batch.step(frame === 0 ? 0 : 1 / 60);
    }
}
