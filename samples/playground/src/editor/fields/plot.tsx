// A picture of points in a plane, which are moved by mouse, touch or arrow keys.
import { useState } from 'react';
import type { KeyboardEvent, PointerEvent, ReactElement } from 'react';
import { useMerging } from './controls.tsx';

export interface Point {
    x: number;
    y: number;
    label: string;
    mark?: boolean; // drawn as a cross
    move?: (x: number, y: number, merge: boolean) => void;
}
type Box = [number, number, number, number]; // x and y of the lower left, and of the upper right

const WIDTH = 300;

// A box around points, with a margin. One that has no width gets one.
export function around(points: { x: number; y: number }[], margin = 0.15): Box {
    const range = (all: number[]) => {
        const low = Math.min(...all), high = Math.max(...all), more = (high - low) * margin || 1;
        return [low - more, high + more];
    };
    const [left, right] = range(points.map(point => point.x)), [low, high] = range(points.map(point => point.y));
    return [left, low, right, high];
}

export function Plot({ label, box, points, lines = [], height = 150 }: {
    label: string; box: Box; points: Point[]; lines?: [number, number][][]; height?: number;
}): ReactElement {
    const [held, setHeld] = useState<Box>(); // the picture stands still while a point moves
    const merging = useMerging();
    const [left, low, right, high] = held ?? box;
    const across = (x: number) => WIDTH * (x - left) / (right - left);
    const down = (y: number) => height * (high - y) / (high - low);
    const steps = [right - left, high - low].map(span => 10 ** Math.floor(Math.log10(span / 50)));
    const rounded = (value: number, step: number) =>
        Number((Math.round(value / step) * step).toFixed(Math.max(0, Math.round(-Math.log10(step)))));
    const drag = (event: PointerEvent<SVGGElement>, point: Point) => {
        const area = event.currentTarget.ownerSVGElement!.getBoundingClientRect();
        const x = rounded(left + (right - left) * (event.clientX - area.left) / area.width, steps[0]);
        const y = rounded(high - (high - low) * (event.clientY - area.top) / area.height, steps[1]);
        if (event.currentTarget.hasPointerCapture(event.pointerId) && (x !== point.x || y !== point.y)) {
            point.move!(x, y, merging.next());
        }
    };
    const press = (event: KeyboardEvent, point: Point) => {
        const [right, up] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key]
            ?? [0, 0];
        if (right !== 0 || up !== 0) {
            const far = event.shiftKey ? 10 : 1;
            event.preventDefault();
            event.stopPropagation();
            point.move!(right === 0 ? point.x : rounded(point.x + far * right * steps[0], steps[0]),
                up === 0 ? point.y : rounded(point.y + far * up * steps[1], steps[1]), merging.next());
        }
    };
    const moved = (point: Point) => point.move === undefined ? {} : {
        role: 'slider', tabIndex: 0, 'aria-valuenow': point.x, 'aria-valuetext': `${point.x}, ${point.y}`,
        onFocus: merging.begin, onKeyDown: (event: KeyboardEvent) => press(event, point),
        onPointerDown: (event: PointerEvent<SVGGElement>) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            merging.begin();
            setHeld([left, low, right, high]);
        },
        onPointerMove: (event: PointerEvent<SVGGElement>) => drag(event, point),
        onPointerUp: () => setHeld(undefined), onPointerCancel: () => setHeld(undefined),
    };
    return (
        <svg className="plot" viewBox={`0 0 ${WIDTH} ${height}`} role="group" aria-label={label}>
            {left < 0 && right > 0 && <path className="axis" d={`M${across(0)},0V${height}`} />}
            {low < 0 && high > 0 && <path className="axis" d={`M0,${down(0)}H${WIDTH}`} />}
            {lines.map((line, i) => <path key={i} className={i === 0 ? 'line' : 'handle'}
                d={`M${line.map(([x, y]) => `${across(x).toFixed(2)},${down(y).toFixed(2)}`).join('L')}`} />)}
            {points.map((point, i) => (
                <g key={i} aria-label={point.label} className={point.mark ? 'mark' : 'point'}
                    transform={`translate(${across(point.x)} ${down(point.y)})`} {...moved(point)}>
                    {point.move && <circle className="grip" r="14" />}
                    {point.mark ? <path d="M-7,0H7M0,-7V7" /> : <circle r="5" />}
                    <text x={across(point.x) > WIDTH * 0.7 ? -8 : 8} y={point.mark || down(point.y) < 16 ? 16 : -6}
                        textAnchor={across(point.x) > WIDTH * 0.7 ? 'end' : 'start'}>{point.label}</text>
                </g>
            ))}
        </svg>
    );
}
