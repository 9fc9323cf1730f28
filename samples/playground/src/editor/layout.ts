// Where boxes are that nobody has moved: arranged by dagre, from left to right.
import dagre from '@dagrejs/dagre';

import type { Box, Diagram } from './diagram.ts';
import type { Positions } from './document.ts';

export interface Size {
    width: number;
    height: number;
}

const MARGIN = 16, BETWEEN = 36;

// What a box measures before it was drawn.
export function sizeOf(box: Box): Size {
    return box.kind === 'pose' || box.kind === 'use'
        ? { width: 200, height: 40 + 20 * box.lines.length + 24 * box.ports.length }
        : { width: 150, height: 40 + 20 * box.lines.length };
}

const SHAPE = 1.2; // of a canvas: its width by its height

// Dagre knows no ports: boxes of a column are stacked in the order in which the inputs on their right name them.
function sortRanks(diagram: Diagram, graph: InstanceType<typeof dagre.graphlib.Graph>): void {
    const columns = new Map<number, Box[]>();
    for (const box of diagram.boxes) {
        const x = Math.round((graph.node(box.id) as { x: number }).x);
        columns.set(x, [...columns.get(x) ?? [], box]);
    }
    for (const boxes of columns.values()) {
        const tops = boxes.map(box => (graph.node(box.id) as { y: number }).y - sizeOf(box).height / 2);
        let top = Math.min(...tops);
        for (const box of boxes) {
            const { height } = sizeOf(box);
            (graph.node(box.id) as { y: number }).y = top + height / 2;
            top += height + BETWEEN;
        }
    }
}

// Poses go from left to right. States do so, too, unless they would be wide and flat.
function laidOut(diagram: Diagram): InstanceType<typeof dagre.graphlib.Graph> {
    const all = (diagram.kind === 'machine' ? ['LR', 'TB'] : ['LR']).map(direction => {
        const graph = new dagre.graphlib.Graph();
        graph.setGraph({ rankdir: direction, nodesep: BETWEEN, ranksep: diagram.kind === 'machine' ? 90 : 70 });
        graph.setDefaultEdgeLabel(() => ({}));
        diagram.boxes.forEach(box => graph.setNode(box.id, sizeOf(box)));
        diagram.links.filter(({ source, target }) => source !== target)
            .forEach(({ source, target }) => graph.setEdge(source, target));
        dagre.layout(graph);
        diagram.kind === 'pose' && sortRanks(diagram, graph);
        const { width = 1, height = 1 } = graph.graph() as Partial<Size>;
        return { graph, extent: Math.max(width, SHAPE * height) };
    });
    return all.reduce((best, other) => (other.extent < best.extent ? other : best)).graph;
}

// Positions of all boxes: those that there are, and others arranged, beside each other where they would overlap.
export function arrange(diagram: Diagram, positions: Positions): Positions {
    if (diagram.boxes.every(({ id }) => positions[id])) {
        return positions;
    }
    const graph = laidOut(diagram);
    const found: Positions = {};
    for (const { id } of diagram.boxes.filter(({ id }) => positions[id])) {
        found[id] = positions[id];
    }
    // New boxes keep their place beside the boxes that stay, which may be elsewhere than dagre has them.
    const { shiftX, shiftY } = shiftOf(diagram, found, graph);
    for (const box of diagram.boxes.filter(({ id }) => !positions[id])) {
        const { width, height } = sizeOf(box), { x, y } = graph.node(box.id) as { x: number; y: number };
        let top = y - height / 2 + shiftY;
        const left = x - width / 2 + shiftX;
        const hits = () => diagram.boxes.find(other => {
            const size = sizeOf(other), at = found[other.id];
            return at && at[0] < left + width + MARGIN && left < at[0] + size.width + MARGIN
                && at[1] < top + height + MARGIN && top < at[1] + size.height + MARGIN;
        });
        for (let hit = hits(); hit; hit = hits()) {
            top = found[hit.id][1] + sizeOf(hit).height + 2 * MARGIN;
        }
        found[box.id] = [Math.round(left), Math.round(top)];
    }
    return found;
}

function shiftOf(diagram: Diagram, found: Positions, graph: InstanceType<typeof dagre.graphlib.Graph>) {
    const kept = diagram.boxes.filter(({ id }) => found[id]);
    const mean = (axis: 0 | 1, half: 'width' | 'height') => kept.reduce((sum, box) => {
        const node = graph.node(box.id) as { x: number; y: number };
        return sum + found[box.id][axis] - (axis === 0 ? node.x : node.y) + sizeOf(box)[half] / 2;
    }, 0) / Math.max(kept.length, 1);
    return { shiftX: mean(0, 'width'), shiftY: mean(1, 'height') };
}
