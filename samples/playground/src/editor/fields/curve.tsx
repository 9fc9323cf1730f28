// Curves: by name, as a Bezier or by keys, with their picture.
import type { ReactElement } from 'react';
import { isObject } from '../schema.ts';
import { Editor, JsonBox, Select, Tuple } from './editors.tsx';
import type { Part } from './editors.tsx';
import { Plot, around } from './plot.tsx';
import type { Point } from './plot.tsx';
import { useScope } from './scope.ts';

type Pair = [number, number];
const { PI, cos, sin } = Math;
const inOut = (ease: (x: number) => number) => (x: number) =>
    x < 0.5 ? ease(2 * x) / 2 : 1 - ease(2 - 2 * x) / 2;
const family = (name: string, ease: (x: number) => number): Record<string, (x: number) => number> =>
    ({ [`${name}-in`]: ease, [`${name}-out`]: x => 1 - ease(1 - x), [`${name}-in-out`]: inOut(ease) });
const FORMULAS: Record<string, (x: number) => number> = {
    'linear': x => x, 'uniform-s': x => x * x / (2 * (x * x - x) + 1), 'smoothstep': x => x * x * (3 - 2 * x),
    ...family('quadratic', x => x * x), ...family('cubic', x => x ** 3),
    ...family('sine', x => 1 - sin(PI * (1 - x) / 2)), ...family('cosine', x => 1 - cos(PI * x / 2)),
    'sine-in-out': x => (1 - cos(PI * x)) / 2, 'cosine-in-out': x => (1 - cos(PI * x)) / 2,
};
const STEPS = Array.from({ length: 33 }, (_, i) => i / 32);
const bezier = (a: number, b: number, c: number, d: number, t: number) =>
    (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t * t * c + t ** 3 * d;

// A key as an object: x and y, and the handles that it states.
function readKey(key: unknown): { x: number; y: number; stepped?: boolean; slopes?: Pair; in?: Pair; out?: Pair } {
    if (Array.isArray(key)) {
        const [x, y, before, after = before] = key as number[];
        return { x, y, slopes: before === undefined ? undefined : [before, after] };
    }
    return key as { x: number; y: number };
}

function lineOfKeys(keys: unknown[]): Pair[] {
    const all = keys.map(readKey);
    return all.flatMap((b, i): Pair[] => {
        const a = all[i - 1], dx = b.x - a?.x;
        if (i === 0) {
            return [[b.x, b.y]];
        }
        const straight: Pair = [dx / 3, (b.y - a.y) / 3];
        const out = a.out ?? (a.slopes ? [dx / 3, a.slopes[1] * dx / 3] : straight);
        const into = b.in ?? (b.slopes ? [-dx / 3, -b.slopes[0] * dx / 3] : [-straight[0], -straight[1]]);
        return a.stepped ? [[b.x, a.y], [b.x, b.y]] : STEPS.map(t => [bezier(a.x, a.x + out[0], b.x + into[0], b.x, t),
            bezier(a.y, a.y + out[1], b.y + into[1], b.y, t)]);
    });
}

const isNumbers = (value: unknown, length: number): value is number[] =>
    Array.isArray(value) && value.length === length && value.every(one => typeof one === 'number');
const kindOf = (value: unknown) => typeof value === 'string' ? value : !isObject(value) ? ''
    : isNumbers(value.bezier, 4) ? 'Bezier' : isNumbers(value.bezier, 2) ? 'Bezier of y'
        : Array.isArray(value.keys) ? 'keys' : '';

export function CurveEditor({ path, node, value, label }: Part): ReactElement {
    const { schema, edit } = useScope(), names = schema.variants(node)[0].enum as string[], kind = kindOf(value);
    const change = (next: string) => edit(path, next === 'Bezier' ? { bezier: [0.25, 0.1, 0.25, 1] }
        : next === 'Bezier of y' ? { bezier: [0, 1] } : next === 'keys' ? { keys: [[0, 0], [1, 1]] } : next);
    return <>
        <Select label={label} value={kind} options={[...names, 'Bezier', 'Bezier of y', 'keys']} set={change} />
        <div className="body">
            <Picture path={path} value={value} label={label} />
            {kind.startsWith('Bezier')
                ? <Tuple path={[...path, 'bezier']} value={(value as { bezier: number[] }).bezier} label={label}
                    node={{ name: 'bezier', items: { type: 'number', minimum: -1048576, maximum: 1048576 } }} />
                : kind === 'keys' ? <details><summary>Keys</summary>
                    <Editor path={[...path, 'keys']} value={(value as { keys: unknown }).keys} label={`${label} keys`}
                        node={schema.child(node, value, 'keys', undefined)} /></details>
                    : kind === '' && <JsonBox path={path} node={node} value={value} label={label} />}
        </div>
    </>;
}

function Picture({ path, value, label }: Omit<Part, 'node'>): ReactElement | null {
    const { edit } = useScope(), kind = kindOf(value);
    let lines: Pair[][] = [], points: Point[] = [];
    if (typeof value === 'string') {
        const formula = FORMULAS[value];
        lines = formula === undefined ? [] : [STEPS.map(x => [x, formula(x)])];
    } else if (kind === 'Bezier') {
        const [x1, y1, x2, y2] = (value as { bezier: number[] }).bezier;
        const clamp = (x: number) => Math.min(Math.max(x, 0), 1), to = [...path, 'bezier'];
        lines = [STEPS.map(t => [bezier(0, x1, x2, 1, t), bezier(0, y1, y2, 1, t)]), [[0, 0], [x1, y1]],
            [[1, 1], [x2, y2]]];
        points = [{ x: x1, y: y1, label: '1', move: (x, y, merge) => edit(to, [clamp(x), y, x2, y2], merge) },
            { x: x2, y: y2, label: '2', move: (x, y, merge) => edit(to, [x1, y1, clamp(x), y], merge) }];
    } else if (kind === 'Bezier of y') {
        const [a, b] = (value as { bezier: number[] }).bezier;
        lines = [STEPS.map(t => [t, bezier(0, a, b, 1, t)])];
        points = [a, b].map((y, i) => ({ x: (i + 1) / 3, y, label: String(i + 1),
            move: (_, next, merge) => edit([...path, 'bezier', i], next, merge) }));
    } else if (kind === 'keys') {
        const keys = (value as { keys: unknown[] }).keys.filter(key => Array.isArray(key) || isObject(key));
        lines = [lineOfKeys(keys)];
        points = keys.map((key, i) => ({ ...readKey(key), label: String(i + 1),
            move: (x, y, merge) => edit([...path, 'keys', i],
                Array.isArray(key) ? [x, y, ...key.slice(2)] : { ...key as object, x, y }, merge) }));
    }
    const all = [...lines.flat().map(([x, y]) => ({ x, y })), ...points];
    return all.length === 0 || !all.every(({ x, y }) => Number.isFinite(x + y)) ? null
        : <Plot label={`${label}, picture`} box={around(all, 0.12)} points={points} lines={lines} height={110} />;
}
