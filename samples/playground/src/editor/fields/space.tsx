// Blend spaces: the places of the inputs on a line or in a plane, and the place that is asked for.
import type { ReactElement } from 'react';
import { nameOf } from '../diagram.ts';
import { isObject } from '../schema.ts';
import type { Path } from '../schema.ts';
import { Plot, around } from './plot.tsx';
import type { Point } from './plot.tsx';
import { useScope } from './scope.ts';

// A number, or the default that a parameter states, with what sets it.
function placeOf(value: unknown, path: Path): { number: number; path?: Path } {
    return typeof value === 'number' ? { number: value, path }
        : isObject(value) && typeof value.default === 'number' ? { number: value.default, path: [...path, 'default'] }
            : { number: 0 };
}

export function Space({ path, pose }: { path: Path; pose: Record<string, unknown> }): ReactElement | null {
    const { edit } = useScope(), inputs = (pose.inputs as unknown[]).filter(isObject), isPlane = pose.op === 'space2d';
    const points = inputs.flatMap((input, i): Point[] => {
        const { at } = input, to = [...path, 'inputs', i, 'at'], label = nameOf(input.pose);
        return !isPlane && typeof at === 'number'
            ? [{ x: at, y: 0, label, move: (x, _, merge) => edit(to, x, merge) }]
            : Array.isArray(at) && at.length === 2 && at.every(one => typeof one === 'number')
                ? [{ x: at[0], y: at[1], label, move: (x, y, merge) => edit(to, [x, y], merge) }] : [];
    });
    if (points.length === 0) {
        return null;
    }
    const x = placeOf(pose[isPlane ? 'x' : 'at'], [...path, isPlane ? 'x' : 'at']);
    const y = isPlane ? placeOf(pose.y, [...path, 'y']) : { number: 0 };
    const asked: Point = { x: x.number, y: y.number, label: 'asked for', mark: true,
        move: x.path === undefined && y.path === undefined ? undefined : (nextX, nextY, merge) => {
            if (x.path !== undefined && nextX !== x.number) {
                edit(x.path, nextX, merge);
            }
            if (y.path !== undefined && nextY !== y.number) {
                edit(y.path, nextY, merge);
            }
        } };
    const box = around([...points, asked]);
    return <Plot label="Blend space" points={[...points, asked]} height={isPlane ? 240 : 70}
        box={isPlane ? box : [box[0], -1, box[2], 1]} />;
}
