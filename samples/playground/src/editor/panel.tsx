// What can be changed of what is selected: connections, transitions, operations, and below them all fields.
import type { ReactNode } from 'react';

import {
    addPose, addTransition, connect, define, deletePoses, deleteInMachine, disconnect, mayConnect, moveTransition,
    renameState, replace, wrap,
} from './change.ts';
import { nameOf, statesOf, targetsOf, transitionText } from './diagram.ts';
import type { Box } from './diagram.ts';
import { pointer } from './document.ts';
import type { GraphDocument } from './document.ts';
import { Combo } from './fields/controls.tsx';
import type { Option } from './fields/controls.tsx';
import type { Page } from './page.ts';
import { isObject } from './schema.ts';
import type { Path } from './schema.ts';

interface Props extends Page {
    fields: (path: Path, instead?: (path: Path, value: unknown, merge?: boolean) => boolean) => ReactNode;
}

// A list that acts on what is chosen.
function Choice({ label, options, choose }: { label: string; options: Option[]; choose: (value: string) => void }) {
    return <Combo only add value="" label={label} options={options} set={choose} />;
}

// ---- A pose: its operation and its inputs.

function Inputs({ box, document, diagram, operations, edit, names }: Props & { box: Box }) {
    const sources = (port: Path) => diagram.boxes.filter(other => other.kind !== 'result' && other.id !== box.id
        && mayConnect(document, other.path, port));
    return (
        <fieldset>
            <legend>Inputs</legend>
            {box.ports.map((port, i) => {
                const link = diagram.links.find(({ target, port }) => target === box.id && port === i);
                const source = diagram.boxes.find(({ id }) => id === link?.source);
                const options = [...sources(port.adds ?? port.path).filter(({ id }) => id !== link?.source)
                    .map(({ id, title, lines }) => ({ value: id, text: title, note: lines[0] })),
                ...names.clips.map(clip => ({ value: clip, text: `clip ${clip}`, note: 'A new box.' }))];
                const shown = `${port.label}: ${source ? nameOf(document.get(source.path)) : 'nothing'}`;
                const choose = (value: string) => edit(() => document.edit('connect', () => {
                    const there = diagram.boxes.find(({ id }) => id === value)?.path;
                    connect(document, operations, there
                        ?? addPose(document, operations, { op: 'clip', clip: value, play: true }), port);
                }));
                return (
                    <div key={i} className="input">
                        <Choice label={port.adds ? 'Add an input' : shown} options={options} choose={choose} />
                        {source && (
                            <button aria-label={`Go to ${source.title}`} title="Go there"
                                onClick={() => document.select([source.id])}>→</button>)}
                        {source && (
                            <button aria-label={`Disconnect ${port.label}`} title="Disconnect"
                                onClick={() => edit(() => disconnect(document, operations, port.path))}>✕</button>)}
                    </div>
                );
            })}
            {box.kind === 'pose' && (
                <Choice label="Wrap in" options={operations.names
                    .filter(op => op === 'machine' || operations.portsOf(op).length > 0)
                    .map(op => ({ value: op, note: operations.schema.about(op) }))}
                choose={op => edit(() => wrap(document, operations, box.path, op, names))} />)}
        </fieldset>
    );
}

function PosePanel(props: Props & { box: Box }) {
    const { box, document, operations, names, edit, fields } = props;
    const isDefinition = box.path[0] === 'define' && box.path.length === 2;
    const isLocal = box.kind === 'pose' && !isDefinition && box.path.length > 0;
    return (
        <>
            <h2>{box.title}</h2>
            <p className="about">{operations.schema.about(String((document.get(box.path) as any)?.op))}</p>
            <div className="actions">
                {box.opens && <button onClick={() => document.open(box.opens!)}>Open</button>}
                {isLocal && (
                    <button title="A pose that others can use, too"
                        onClick={() => edit(() => define(document, operations, box.path))}>
                        Make a definition
                    </button>)}
                <button onClick={() => edit(() => deletePoses(document, operations, [box.path]))}>Delete</button>
            </div>
            <Inputs {...props} />
            {fields(box.path, (path, value) => {
                const isOperation = path.length === box.path.length + 1 && path.at(-1) === 'op';
                isOperation && replace(document, operations, box.path, String(value), names);
                return isOperation;
            })}
        </>
    );
}

// ---- States and transitions.

function targetText(transition: Record<string, unknown>): string {
    return targetsOf(transition).map(({ name }) => name).join(' or ');
}

function Leaving({ from, document, edit }: Props & { from: Path }) {
    const isAny = document.at([...from, 'states']) !== undefined;
    const machine = isAny ? from : from.slice(0, -2), list = [...from, isAny ? 'any' : 'transitions'];
    const transitions = document.get(list);
    const sorted = (Array.isArray(transitions) ? transitions : []).map((transition, i) => ({ transition, i }))
        .sort((a, b) => (Number(b.transition?.priority) || 0) - (Number(a.transition?.priority) || 0));
    return (
        <fieldset>
            <legend>Transitions{isAny && ' from any state'}, in the order in which they are tried</legend>
            <ol>
                {sorted.filter(({ transition }) => isObject(transition)).map(({ transition, i }) => (
                    <li key={i}>
                        <button className="link" onClick={() => document.select(idsOf(document, [...list, i]))}>
                            to {targetText(transition)}: {transitionText(transition)}
                        </button>
                    </li>
                ))}
            </ol>
            <Choice label="Add a transition to" options={statesOf(document, machine)
                .map(({ state }) => ({ value: String(state.name) }))}
            choose={to => edit(() => addTransition(document, from, to))} />
        </fieldset>
    );
}

// The links that show a transition.
function idsOf(document: GraphDocument, path: Path): string[] {
    const targets = targetsOf(document.get(path) as Record<string, unknown>);
    return targets.map(({ index }) => `${pointer(path)}${index === undefined ? '' : `|${index}`}`);
}

function StatePanel(props: Props & { box: Box }) {
    const { box, document, edit, fields } = props, machine = box.path.slice(0, -2);
    return (
        <>
            <h2>State {box.title}</h2>
            <div className="actions">
                <button onClick={() => document.open(box.opens!)}>Open</button>
                {!box.initial && (
                    <button onClick={() => edit(() => document.edit('begin here', () => (
                        document.set([...machine, 'initial'], box.title))))}>Begin here</button>)}
                <button onClick={() => edit(() => deleteInMachine(document, machine, [box.path], []))}>
                    Delete
                </button>
            </div>
            <Leaving {...props} from={box.path} />
            {fields(box.path, (path, value, merge) => {
                const isName = path.at(-1) === 'name' && path.length === box.path.length + 1
                    && typeof value === 'string';
                isName && renameState(document, box.path, value, merge ? pointer(path) : undefined);
                return isName;
            })}
        </>
    );
}

function TransitionPanel({ path, ...props }: Props & { path: Path }) {
    const { document, edit, fields } = props;
    const isAny = path.at(-2) === 'any', owner = path.slice(0, -2), machine = isAny ? owner : owner.slice(0, -2);
    const transition = document.get(path);
    if (!isObject(transition)) {
        return null;
    }
    const from = isAny ? 'any state' : String(document.get([...owner, 'name']));
    const states = statesOf(document, machine)
        .map(({ state, index }) => ({ value: String(index), text: String(state.name) }));
    return (
        <>
            <h2>From {from} to {targetText(transition)}</h2>
            <div className="actions">
                <button onClick={() => edit(() => deleteInMachine(document, machine, [], [path]))}>Delete</button>
            </div>
            <Choice label="Let it begin at" options={[...states, { value: 'any', text: 'any state' }]}
                choose={index => edit(() => moveTransition(document, path,
                    index === 'any' ? machine : [...machine, 'states', Number(index)]))} />
            {fields(path, (field, value) => {
                // What was drawn waits for the end until it is said for what else.
                const isReason = field.length === path.length + 1 && ['event', 'when'].includes(String(field.at(-1)))
                    && transition[String(field.at(-1))] === undefined && transition.end === true;
                isReason && document.edit('set', () => {
                    document.set(field, value);
                    document.set([...path, 'end'], undefined);
                });
                return isReason;
            })}
        </>
    );
}

// ---- All of it.

export function Panel(props: Props) {
    const { document, diagram, fields } = props;
    const [id] = document.selected;
    const box = diagram.boxes.find(box => box.id === id), link = diagram.links.find(link => link.id === id);
    if (document.selected.length > 1) {
        return <p>{document.selected.length} are selected. Copy, cut, delete or move them.</p>;
    }
    if (link?.transition) {
        return <TransitionPanel {...props} path={link.transition} />;
    }
    if (link) {
        return <p>A connection. Drag its end, or delete it.</p>;
    }
    if (box?.kind === 'state') {
        return <StatePanel {...props} box={box} />;
    }
    if (box?.kind === 'pose' || box?.kind === 'use') {
        return <PosePanel {...props} box={box} />;
    }
    if (box?.kind === 'result') {
        return <><h2>Result</h2><Inputs {...props} box={box} />{box.path.length === 0 && fields([])}</>;
    }
    const machine = document.view.at(-1) === 'states' ? document.view.slice(0, -1) : undefined;
    return (
        <>
            {machine && <><h2>Machine</h2><Leaving {...props} from={machine} />{fields(machine)}</>}
            {!machine && document.view.length === 0 && <><h2>Graph</h2>{fields([])}</>}
            {!machine && document.view.length > 0 && <p>Nothing is selected.</p>}
        </>
    );
}
