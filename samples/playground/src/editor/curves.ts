// The curves of transitions: from border to border, pairs and loops apart, and beside the states between.
import type { Link } from './diagram.ts';

export interface Rectangle { x: number; y: number; width: number; height: number }

export interface Curve {
    path: string; // of SVG
    start: { x: number; y: number };
    stop: { x: number; y: number };
    label: { x: number; y: number };
}

const APART = 14, STEP = 50, TRIES = 15; // between curves of a pair; between bends that are tried
const LABEL = 0.5, PAIRED = 0.42; // where its text is on the way
const SAMPLES = Array.from({ length: 15 }, (_, i) => (i + 1) / 16);

// Where the way from inside a rectangle along a direction leaves it.
function border({ x, y, width, height }: Rectangle, fromX: number, fromY: number, dx: number, dy: number) {
    const toX = dx === 0 ? Infinity : ((dx > 0 ? x + width : x) - fromX) / dx;
    const toY = dy === 0 ? Infinity : ((dy > 0 ? y + height : y) - fromY) / dy;
    const t = Math.max(Math.min(toX, toY), 0);
    return { x: fromX + t * dx, y: fromY + t * dy };
}

function loopOf(a: Rectangle, side: number): Curve {
    const x = a.x + a.width / 2 + 26 * side, y = a.y;
    return {
        path: `M ${x - 14} ${y} C ${x - 30} ${y - 50} ${x + 30} ${y - 50} ${x + 14} ${y}`,
        start: { x: x - 14, y }, stop: { x: x + 14, y }, label: { x, y: y - 40 },
    };
}

// A curve to the right of the way from one rectangle to another. Of the bends that are tried, the smallest counts that
// crosses the fewest of the others.
function curveOf(a: Rectangle, b: Rectangle, side: number, others: Rectangle[]): Curve {
    const ax = a.x + a.width / 2, ay = a.y + a.height / 2, bx = b.x + b.width / 2, by = b.y + b.height / 2;
    const length = Math.hypot(bx - ax, by - ay) || 1, dx = (bx - ax) / length, dy = (by - ay) / length;
    const offset = APART * side, ox = -dy * offset, oy = dx * offset;
    const limit = (value: number, low: number, size: number) => Math.min(Math.max(value, low + 4), low + size - 4);
    const start = border(a, limit(ax + ox, a.x, a.width), limit(ay + oy, a.y, a.height), dx, dy);
    const stop = border(b, limit(bx + ox, b.x, b.width), limit(by + oy, b.y, b.height), -dx, -dy);
    const bends = Array.from({ length: TRIES }, (_, i) => {
        const swing = 1.6 * offset + Math.min(0.1 * length, 40) + STEP * (i % 2 === 0 ? i / 2 : -(i + 1) / 2);
        return { x: (start.x + stop.x) / 2 - dy * swing, y: (start.y + stop.y) / 2 + dx * swing };
    });
    const on = (bend: { x: number; y: number }, t: number, axis: 'x' | 'y') => (
        (1 - t) ** 2 * start[axis] + 2 * t * (1 - t) * bend[axis] + t * t * stop[axis]);
    const hits = bends.map(bend => others.filter(({ x, y, width, height }) => SAMPLES.some(t => (
        on(bend, t, 'x') > x && on(bend, t, 'x') < x + width && on(bend, t, 'y') > y && on(bend, t, 'y') < y + height
    ))).length);
    const bend = bends[hits.indexOf(Math.min(...hits))], t = side === 0 ? LABEL : PAIRED;
    return {
        path: `M ${start.x} ${start.y} Q ${bend.x} ${bend.y} ${stop.x} ${stop.y}`, start, stop,
        label: { x: on(bend, t, 'x'), y: on(bend, t, 'y') },
    };
}

// Transitions between the same two states lie beside each other, and those back on the other side.
export function curvesOf(links: Link[], rectangles: Map<string, Rectangle>): (Curve | undefined)[] {
    const counts = new Map<string, number>();
    return links.map(({ source, target }) => {
        const pair = `${source} ${target}`, n = counts.get(pair) ?? 0;
        counts.set(pair, n + 1);
        const back = links.some(other => other.source === target && other.target === source);
        const a = rectangles.get(source), b = rectangles.get(target);
        const others = [...rectangles].filter(([name]) => name !== source && name !== target).map(([, at]) => at);
        return !a || !b ? undefined : source === target ? loopOf(a, n) : curveOf(a, b, back ? n + 1 : n, others);
    });
}
