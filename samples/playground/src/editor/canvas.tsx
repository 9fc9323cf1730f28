// Draws a diagram with React Flow, and turns what is dragged there into edits.
import {
    Background, BaseEdge, Controls, EdgeLabelRenderer, Handle, MiniMap, Position, ReactFlow, applyNodeChanges,
    useConnection, useReactFlow,
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
import type { Box, Link, Port } from './diagram.ts';
import { curvesOf } from './curves.ts';
import { sizeOf } from './layout.ts';
import type { Curve, Rectangle } from './curves.ts';
import type { Mistake } from './names.ts';
import type { Page } from './page.ts';
import type { Path } from './schema.ts';

// Where a new box is asked for, and to what it is to be connected.
export interface Wish {
    at?: { x: number; y: number }; // in the diagram; otherwise it is arranged
    port?: Port;
    from?: Path; // the state, or the machine, from which a transition was drawn
}

interface Props extends Page {
    mistakes: Mistake[];
    found: Set<string>; // boxes that a search finds
    positions: Positions;
    wish: (wish: Wish) => void;
}

type BoxNode = Node<{ box: Box; mistakes: Mistake[]; isFound: boolean }>;
type LinkEdge = Edge<{ link: Link; curve?: Curve }>;

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

// ---- Transitions.

function TransitionEdge({ id, data, selected, markerEnd }: EdgeProps<LinkEdge>) {
    const { curve } = data!;
    const reattach = useContext(Reattach), { screenToFlowPosition } = useReactFlow();
    const [dragged, setDragged] = useState<{ end: 'source' | 'target'; x: number; y: number }>();
    if (!curve) {
        return null;
    }
    // Beside the state, so that nothing of it is over it.
    const beside = ({ x, y }: { x: number; y: number }) => {
        const dx = curve.label.x - x, dy = curve.label.y - y, length = Math.hypot(dx, dy) || 1;
        return { x: x + 9 * dx / length, y: y + 9 * dy / length };
    };
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
            {selected && <>{grip('source', beside(curve.start))}{grip('target', beside(curve.stop))}</>}
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

// ---- The canvas.

export function Canvas({ document, diagram, operations, positions, mistakes, found, edit, wish }: Props) {
    const flow = useReactFlow<BoxNode, LinkEdge>();
    const [nodes, setNodes] = useState<BoxNode[]>([]);
    const boxOf = (id: string | null) => diagram.boxes.find(box => box.id === id);

    useEffect(() => setNodes(before => {
        const known = new Map(before.map(node => [node.id, node]));
        return diagram.boxes.map(box => ({
            ...known.get(box.id),
            // Otherwise it is hidden until it is measured.
            initialWidth: sizeOf(box).width,
            initialHeight: sizeOf(box).height,
            id: box.id,
            type: box.kind,
            position: { x: positions[box.id][0], y: positions[box.id][1] },
            data: { box, mistakes: mistakesAt(mistakes, box), isFound: found.has(box.id) },
            selected: document.selected.includes(box.id),
            ariaLabel: `${box.kind === 'state' ? 'State' : 'Pose'} ${box.title}`,
        }));
    }), [diagram, positions, mistakes, found, document.selected]);

    // All is seen when another view is opened, when boxes are arranged, and when something is selected out of sight.
    const view = document.view.join('/'), isArranged = diagram.boxes.every(({ id }) => !document.positions[id]);
    const fit = () => {
        const timer = setTimeout(() => flow.fitView({ maxZoom: 1, padding: 0.1 }), 60);
        return () => clearTimeout(timer);
    };
    useEffect(fit, [view, isArranged]);
    const one = document.selected.length === 1 ? document.selected[0] : undefined;
    useEffect(() => {
        const element = [...window.document.querySelectorAll<HTMLElement>('.react-flow__node')]
            .find(({ dataset }) => dataset.id === one);
        if (!element) {
            return undefined;
        }
        if (window.document.activeElement === window.document.body) {
            element.focus({ preventScroll: true });
        }
        const box = element.getBoundingClientRect();
        const around = element.closest('.react-flow')!.getBoundingClientRect();
        const isSeen = box.left >= around.left && box.top >= around.top && box.right <= around.right
            && box.bottom <= around.bottom;
        return isSeen ? undefined : fit();
    }, [one, nodes.length]);

    const edges = useMemo<LinkEdge[]>(() => {
        const rectangles = new Map(nodes.map(({ id, position, measured, data }): [string, Rectangle] => {
            const { width, height } = sizeOf(data.box);
            return [id, { ...position, width: measured?.width ?? width, height: measured?.height ?? height }];
        }));
        const curves = diagram.kind === 'machine' ? curvesOf(diagram.links, rectangles) : [];
        return diagram.links.map((link, i) => ({
            id: link.id,
            source: link.source,
            target: link.target,
            targetHandle: link.port === undefined ? undefined : String(link.port),
            type: diagram.kind === 'machine' ? 'transition' : 'default',
            data: { link, curve: curves[i] },
            selected: document.selected.includes(link.id),
            interactionWidth: 24,
            markerEnd: diagram.kind === 'machine' ? { type: 'arrowclosed' as const, width: 22, height: 22 } : undefined,
            ariaLabel: diagram.kind === 'machine' ? `Transition ${link.label}, from ${boxOf(link.source)?.title} to ${
                boxOf(link.target)?.title}` : 'Connection',
        }) as LinkEdge);
    }, [diagram, document.selected, nodes]);

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
                {nodes.length > 12 && <MiniMap ariaLabel="Overview" />}
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
