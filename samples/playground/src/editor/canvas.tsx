// Draws a diagram with React Flow, and turns what is dragged there into edits.
import {
    Background, BaseEdge, Controls, EdgeLabelRenderer, Handle, MiniMap, Position, ReactFlow, applyNodeChanges,
    useConnection, useReactFlow, useStore,
} from '@xyflow/react';
import type { Edge, EdgeChange, EdgeProps, Node, NodeChange, NodeProps } from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { createContext, useContext, useEffect, useMemo, useState } from 'react';
import type { PointerEvent as ReactPointerEvent } from 'react';

import {
    addState, addTransition, connect, disconnect, mayConnect, moveTransition, reconnect, retarget,
} from './change.ts';
import { placeOf, pointer } from './document.ts';
import type { GraphDocument, Positions } from './document.ts';
import type { Box, Diagram, Link, Operations, Port } from './diagram.ts';
import type { Mistake } from './names.ts';
import type { Path } from './schema.ts';

// Where a new box is asked for, and to what it is to be connected.
export interface Wish {
    at?: { x: number; y: number }; // in the diagram; otherwise it is arranged
    port?: Port;
    from?: Path; // the state, or the machine, from which a transition was drawn
}

interface Props {
    document: GraphDocument;
    diagram: Diagram;
    operations: Operations;
    mistakes: Mistake[];
    found: Set<string>; // boxes that a search finds
    positions: Positions;
    edit: (change: () => void) => void; // shows the message of an edit that is refused
    wish: (wish: Wish) => void;
}

type BoxNode = Node<{ box: Box; mistakes: Mistake[]; isFound: boolean }>;
type LinkEdge = Edge<{ link: Link; side: number }>;

const Reattach = createContext<(link: Link, end: 'source' | 'target', box: string) => void>(() => {});

// ---- Boxes.

function Mark({ mistakes }: { mistakes: Mistake[] }) {
    if (mistakes.length === 0) {
        return null;
    }
    const isError = mistakes.some(({ warning }) => !warning);
    const text = mistakes.map(({ message }) => message).join('\n');
    return <span className={isError ? 'mark error' : 'mark'} role="img" aria-label={text} title={text}>!</span>;
}

function Head({ box, mistakes }: { box: Box; mistakes: Mistake[] }) {
    return (
        <header>
            {box.initial && <span aria-label="initial state" title="The initial state">▸</span>}
            <strong>{box.title}</strong>
            {box.opens && <span aria-label="opens" title="Double click, or Enter, opens it">⊞</span>}
            <Mark mistakes={mistakes} />
        </header>
    );
}

function PoseBox({ data, selected }: NodeProps<BoxNode>) {
    const { box, mistakes, isFound } = data;
    const names = ['box', box.kind, selected && 'selected', isFound && 'found', box.floats && 'floats'];
    return (
        <div className={names.filter(Boolean).join(' ')} data-place={placeOf(box.path)}>
            <Head box={box} mistakes={mistakes} />
            {box.lines.map((line, i) => <p key={i}>{line}</p>)}
            {box.ports.map((port, i) => (
                <p key={i} className={port.adds ? 'port adds' : 'port'}>
                    <Handle type="target" position={Position.Left} id={String(i)} title={`Input ${port.label}`} />
                    {port.label}
                </p>
            ))}
            {box.kind !== 'result' && <Handle type="source" position={Position.Right} title="Output" />}
        </div>
    );
}

// A transition is dragged from the frame of a state to anywhere in another one.
function StateBox({ data, selected }: NodeProps<BoxNode>) {
    const { box, mistakes, isFound } = data;
    const isDrawn = useConnection(connection => connection.inProgress);
    const names = ['box', box.kind, selected && 'selected', isFound && 'found'];
    return (
        <div className={names.filter(Boolean).join(' ')} data-place={placeOf(box.path)}>
            {box.kind !== 'out' && (
                <Handle type="source" position={Position.Right} className="frame" title="Drag to another state" />)}
            {box.kind !== 'any' && (
                <Handle type="target" position={Position.Left} className={isDrawn ? 'whole open' : 'whole'}
                    isConnectableStart={false} />)}
            <div className="inner">
                <Head box={box} mistakes={mistakes} />
                {box.lines.map((line, i) => <p key={i}>{line}</p>)}
            </div>
        </div>
    );
}

// ---- Transitions: from border to border, pairs and loops apart.

interface Rectangle { x: number; y: number; width: number; height: number }

// Where the way from inside a rectangle along a direction leaves it.
function border({ x, y, width, height }: Rectangle, fromX: number, fromY: number, dx: number, dy: number) {
    const toX = dx === 0 ? Infinity : ((dx > 0 ? x + width : x) - fromX) / dx;
    const toY = dy === 0 ? Infinity : ((dy > 0 ? y + height : y) - fromY) / dy;
    const t = Math.max(Math.min(toX, toY), 0);
    return { x: fromX + t * dx, y: fromY + t * dy };
}

function curveOf(a: Rectangle, b: Rectangle, side: number) {
    if (a.x === b.x && a.y === b.y) {
        const x = a.x + a.width / 2 + 26 * side, y = a.y;
        return {
            path: `M ${x - 14} ${y} C ${x - 30} ${y - 50} ${x + 30} ${y - 50} ${x + 14} ${y}`,
            start: { x: x - 14, y }, stop: { x: x + 14, y }, label: { x, y: y - 40 },
        };
    }
    const ax = a.x + a.width / 2, ay = a.y + a.height / 2, bx = b.x + b.width / 2, by = b.y + b.height / 2;
    const length = Math.hypot(bx - ax, by - ay) || 1, dx = (bx - ax) / length, dy = (by - ay) / length;
    const offset = 14 * side, ox = -dy * offset, oy = dx * offset; // to the right of the way
    const limit = (value: number, low: number, size: number) => Math.min(Math.max(value, low + 4), low + size - 4);
    const start = border(a, limit(ax + ox, a.x, a.width), limit(ay + oy, a.y, a.height), dx, dy);
    const stop = border(b, limit(bx + ox, b.x, b.width), limit(by + oy, b.y, b.height), -dx, -dy);
    // Long ways bend more, so that they pass beside the states between.
    const swing = 1.6 * offset + Math.min(0.1 * length + 0.25 * Math.max(length - 250, 0), 220);
    const bend = { x: (start.x + stop.x) / 2 - dy * swing, y: (start.y + stop.y) / 2 + dx * swing };
    return {
        path: `M ${start.x} ${start.y} Q ${bend.x} ${bend.y} ${stop.x} ${stop.y}`, start, stop,
        label: { x: (start.x + 2 * bend.x + stop.x) / 4, y: (start.y + 2 * bend.y + stop.y) / 4 },
    };
}

function TransitionEdge({ id, source, target, data, selected, markerEnd }: EdgeProps<LinkEdge>) {
    const rectangle = (name: string) => {
        const node = nodes.get(name)!;
        const { width = 150, height = 40 } = node.measured;
        return { ...node.internals.positionAbsolute, width, height };
    };
    const nodes = useStore(state => state.nodeLookup);
    const positions = useStore(state => [source, target].map(name => {
        const node = state.nodeLookup.get(name);
        return node && [node.internals.positionAbsolute.x, node.internals.positionAbsolute.y, node.measured.width];
    }).join());
    const reattach = useContext(Reattach), { screenToFlowPosition } = useReactFlow();
    const [dragged, setDragged] = useState<{ end: 'source' | 'target'; x: number; y: number }>();
    const curve = useMemo(() => (nodes.has(source) && nodes.has(target)
        ? curveOf(rectangle(source), rectangle(target), data!.side) : undefined),
    [positions, source, target, data!.side]);
    if (!curve) {
        return null;
    }
    const grip = (end: 'source' | 'target', { x, y }: { x: number; y: number }) => (
        <circle className="grip nodrag nopan" cx={x} cy={y} r={7}
            onPointerDown={(event: ReactPointerEvent) => {
                event.stopPropagation();
                event.currentTarget.setPointerCapture(event.pointerId);
                setDragged({ end, x, y });
            }}
            onPointerMove={(event: ReactPointerEvent) => dragged
                && setDragged({ end, ...screenToFlowPosition({ x: event.clientX, y: event.clientY }) })}
            onPointerCancel={() => setDragged(undefined)}
            onPointerUp={(event: ReactPointerEvent) => {
                setDragged(undefined);
                const box = window.document.elementsFromPoint(event.clientX, event.clientY)
                    .map(element => element.closest<HTMLElement>('.react-flow__node')?.dataset.id).find(Boolean);
                box && reattach(data!.link, end, box);
            }} />
    );
    const fixed = dragged?.end === 'source' ? curve.stop : curve.start;
    return (
        <>
            <BaseEdge id={id} path={curve.path} markerEnd={markerEnd} interactionWidth={24} />
            {dragged && <path className="ghost" d={`M ${fixed.x} ${fixed.y} L ${dragged.x} ${dragged.y}`} />}
            {selected && <>{grip('source', curve.start)}{grip('target', curve.stop)}</>}
            <EdgeLabelRenderer>
                <span className={selected ? 'condition selected' : 'condition'} style={{
                    transform: `translate(-50%, -50%) translate(${curve.label.x}px, ${curve.label.y}px)`,
                }}>{data!.link.label}</span>
            </EdgeLabelRenderer>
        </>
    );
}

const nodeTypes = { pose: PoseBox, use: PoseBox, result: PoseBox, state: StateBox, any: StateBox, out: StateBox };
const edgeTypes = { transition: TransitionEdge };

// Transitions between the same two states lie beside each other, and those back on the other side.
function sides(links: Link[]): number[] {
    const counts = new Map<string, number>();
    return links.map(({ source, target }) => {
        const pair = `${source} ${target}`, n = counts.get(pair) ?? 0;
        counts.set(pair, n + 1);
        const back = links.some(other => other.source === target && other.target === source);
        return source !== target && back ? n + 1 : n;
    });
}

// ---- The canvas.

export function Canvas({ document, diagram, operations, positions, mistakes, found, edit, wish }: Props) {
    const flow = useReactFlow<BoxNode, LinkEdge>();
    const [nodes, setNodes] = useState<BoxNode[]>([]);

    useEffect(() => setNodes(before => {
        const known = new Map(before.map(node => [node.id, node]));
        return diagram.boxes.map(box => ({
            ...known.get(box.id),
            id: box.id,
            type: box.kind,
            position: { x: positions[box.id][0], y: positions[box.id][1] },
            data: { box, mistakes: mistakesAt(mistakes, box), isFound: found.has(box.id) },
            selected: document.selected.includes(box.id),
            ariaLabel: `${box.kind === 'state' ? 'State' : 'Pose'} ${box.title}`,
        }));
    }), [diagram, positions, mistakes, found, document.selected]);

    const view = document.view.join('/');
    useEffect(() => {
        const timer = setTimeout(() => flow.fitView({ maxZoom: 1, padding: 0.1 }), 60);
        return () => clearTimeout(timer);
    }, [view]);

    const edges = useMemo<LinkEdge[]>(() => {
        const beside = sides(diagram.links);
        return diagram.links.map((link, i) => ({
            id: link.id,
            source: link.source,
            target: link.target,
            targetHandle: link.port === undefined ? undefined : String(link.port),
            type: diagram.kind === 'machine' ? 'transition' : 'default',
            data: { link, side: beside[i] },
            selected: document.selected.includes(link.id),
            interactionWidth: 24,
            markerEnd: diagram.kind === 'machine' ? { type: 'arrowclosed' as const, width: 22, height: 22 } : undefined,
            ariaLabel: diagram.kind === 'machine' ? `Transition ${link.label}` : 'Connection',
        }) as LinkEdge);
    }, [diagram, document.selected]);

    const boxOf = (id: string | null) => diagram.boxes.find(box => box.id === id);
    const portOf = (id: string | null, handle: string | null | undefined) => boxOf(id)?.ports[Number(handle)];
    const select = (changes: (NodeChange<BoxNode> | EdgeChange<LinkEdge>)[]) => {
        const selected = new Set(document.selected);
        for (const change of changes) {
            if (change.type === 'select') {
                change.selected ? selected.add(change.id) : selected.delete(change.id);
            }
        }
        document.select([...selected]);
    };

    const join = (source: string, target: string, handle?: string | null) => edit(() => {
        if (diagram.kind === 'pose') {
            const port = portOf(target, handle);
            port && connect(document, operations, boxOf(source)!.path, port);
        } else {
            const box = boxOf(target)!, isOut = box.kind === 'out';
            addTransition(document, boxOf(source)!.path, isOut ? target.slice(4)
                : String(document.get([...box.path, 'name'])), isOut);
        }
    });
    const reattach = (link: Link, end: 'source' | 'target', id: string) => edit(() => {
        const box = boxOf(id);
        if (end === 'target' && box?.kind === 'state') {
            retarget(document, link.transition!, link.index, String(document.get([...box.path, 'name'])));
        } else if (end === 'source' && (box?.kind === 'state' || box?.kind === 'any') && id !== link.source) {
            moveTransition(document, link.transition!, box.path);
        }
    });

    return (
        <Reattach.Provider value={reattach}>
            <ReactFlow nodes={nodes} edges={edges} nodeTypes={nodeTypes} edgeTypes={edgeTypes} minZoom={0.1}
                onNodesChange={changes => {
                    setNodes(before => applyNodeChanges(changes, before));
                    select(changes);
                }}
                onEdgesChange={select} colorMode="system"
                onNodeDragStop={(_, __, dragged) => document.place(
                    { ...Object.fromEntries(dragged.map(({ id, position }) => (
                        [id, [Math.round(position.x), Math.round(position.y)]]))) } as Positions)}
                onNodeDoubleClick={(_, { data }) => data.box.opens && document.open(data.box.opens)}
                onConnect={({ source, target, targetHandle }) => join(source, target, targetHandle)}
                onConnectEnd={(event, { isValid, fromNode, fromHandle, toNode }) => {
                    if (!isValid && !toNode && fromNode) {
                        const point = 'changedTouches' in event ? event.changedTouches[0] : event;
                        const at = flow.screenToFlowPosition({ x: point.clientX, y: point.clientY });
                        const port = fromHandle?.type === 'target' ? portOf(fromNode.id, fromHandle.id) : undefined;
                        (port || diagram.kind === 'machine') && wish({ at, port, from: boxOf(fromNode.id)?.path });
                    }
                }}
                edgesReconnectable={diagram.kind === 'pose'} reconnectRadius={16}
                onReconnect={(old, { source, target, targetHandle }) => edit(() => {
                    const port = portOf(target, targetHandle), { link } = old.data!, from = boxOf(source)?.path;
                    if (port && from && (target !== link.target || Number(targetHandle) !== link.port
                        || source !== link.source)) {
                        reconnect(document, operations, portOf(link.target, String(link.port))!.path, from, port);
                    }
                })}
                onReconnectEnd={(_, old, __, { isValid, toNode }) => !isValid && !toNode && edit(() => (
                    disconnect(document, operations, portOf(old.target, String(old.data!.link.port))!.path)))}
                isValidConnection={({ source, target, targetHandle }) => {
                    if (diagram.kind === 'machine') {
                        return true;
                    }
                    const from = boxOf(source), port = portOf(target, targetHandle);
                    return !!from && !!port && mayConnect(document, from.path, port.adds ?? port.path);
                }}
                deleteKeyCode={null} zoomOnDoubleClick={false}
                proOptions={{ hideAttribution: true }}>
                <Background />
                <Controls showInteractive={false} />
                {nodes.length > 12 && <MiniMap pannable zoomable ariaLabel="Overview" />}
            </ReactFlow>
        </Reattach.Provider>
    );
}

function mistakesAt(mistakes: Mistake[], box: Box): Mistake[] {
    const place = placeOf(box.path);
    const inner = box.ports.filter(port => !port.adds).map(port => placeOf(port.path));
    return mistakes.filter(({ path }) => isBelow(path, place) && !inner.some(port => isBelow(path, port))
        && !(box.kind === 'result' || box.kind === 'any' || box.kind === 'out'));
}

function isBelow(path: string, place: string): boolean {
    return path === place || place === '' || path.startsWith(`${place}.`) || path.startsWith(`${place}[`);
}

// Adds a state where it is wished, and the transition that was drawn to there.
export function addWishedState(document: GraphDocument, wish: Wish, state?: Record<string, unknown>): void {
    const machine = document.view.slice(0, -1);
    document.edit('add a state', () => {
        const path = addState(document, machine, state);
        wish.at && document.keep({ [pointer(path)]: [Math.round(wish.at.x), Math.round(wish.at.y)] });
        if (wish.from) {
            addTransition(document, wish.from, String(document.get([...path, 'name'])));
        }
        document.open(document.view, [path]);
    });
}
