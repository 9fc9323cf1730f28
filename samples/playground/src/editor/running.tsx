// What the running graph shows and takes: the time line, parameters, events, weights, and why transitions wait.
import type { Condition, Operand, Transition } from 'limber-animation';
import { useEffect, useReducer } from 'react';

import { TextBox } from './fields/controls.tsx';
import type { Preview } from './preview.ts';
import { saveFile } from './source.ts';

// Draws a component again some times a second while the preview runs.
export function useFrames(preview: Preview, every = 4): void {
    const [, again] = useReducer((n: number) => n + 1, 0);
    useEffect(() => {
        let n = 0, frame = -1, graph: unknown;
        return preview.subscribe(() => {
            if (graph !== preview.graph || (n++ % every === 0 && frame !== preview.frame)) {
                frame = preview.frame;
                graph = preview.graph;
                again();
            }
        });
    }, [preview]);
}

export function TimeLine({ preview, attempt }: { preview: Preview; attempt: (action: () => void) => void }) {
    useFrames(preview);
    const load = async (file?: File) => {
        const text = await file?.text();
        text !== undefined && attempt(() => preview.load(text));
    };
    return (
        <div className="timeline" role="group" aria-label="Time line">
            <button aria-label={preview.plays ? 'Pause' : 'Play'} title={preview.plays ? 'Pause' : 'Play'}
                onClick={() => (preview.plays = !preview.plays)}>{preview.plays ? '❚❚' : '▶'}</button>
            <button aria-label="Begin anew" title="Begin anew" onClick={() => preview.restart()}>⟲</button>
            <input type="range" aria-label="Time" aria-valuetext={`${(preview.frame / 60).toFixed(2)} seconds`}
                min={0} max={Math.max(preview.frames, 1)} value={Math.max(preview.frame, 0)}
                onChange={event => preview.seek(Number(event.target.value))} />
            <output>{(preview.frame / 60).toFixed(2)} s{preview.isBehind && ' …'}</output>
            <button title="Save the time line as a script of limber play"
                onClick={() => saveFile('graph.script', preview.script())}>Save script</button>
            <label className="file">Load script
                <input type="file" aria-label="Load a script" onChange={event => load(event.target.files?.[0])} />
            </label>
        </div>
    );
}

function Parameter({ preview, name, min, max, initial, character }: {
    preview: Preview; name: string; min: number; max: number; initial: number; character?: number }) {
    const low = Math.max(min, -10), high = Math.min(max, 10);
    const value = preview.get(name, character) ?? initial;
    return (
        <label>{name}
            <input type="range" min={low} max={high} step={(high - low) / 200 || 1} value={value}
                onChange={event => preview.set(name, Number(event.target.value), character)} />
            <output>{value.toFixed(2)}</output>
        </label>
    );
}

function Inputs({ preview, character }: { preview: Preview; character?: number }) {
    useFrames(preview, 8);
    const { graph } = preview;
    if (!graph) {
        return null;
    }
    const parameters = graph.parameters.filter(({ name, isWritten }) => name !== '' && !isWritten);
    return (
        <section aria-label="Parameters and events">
            {parameters.map(parameter => (
                <Parameter key={parameter.name} {...parameter} preview={preview} character={character} />))}
            <div className="events">
                {graph.events.map(name => (
                    <button key={name} onClick={() => preview.send(name, character)}>{name}</button>))}
            </div>
        </section>
    );
}

function Meter({ name, value }: { name: string; value: number }) {
    return (
        <tr>
            <td>{name}</td>
            <td><meter aria-label={`weight of ${name}`} value={value} /></td>
            <td>{value.toFixed(2)}</td>
        </tr>
    );
}

function Weights({ preview, character }: { preview: Preview; character?: number }) {
    useFrames(preview, 6);
    const { batch, graph } = preview, one = character ?? 0;
    if (!batch || !graph) {
        return null;
    }
    const emitted = batch.emitted(one);
    return (
        <section aria-label="What plays">
            <table>
                <tbody>
                    {graph.machines.map(({ name, states }) => batch.stateWeights(one, name).map((weight, i) => (
                        <Meter key={`${name}/${states[i]}`} name={`${name}: ${states[i]}`} value={weight} />)))}
                    {batch.players(one).map(({ clip, weight }, i) => <Meter key={i} name={clip} value={weight} />)}
                </tbody>
            </table>
            <p className="emitted" aria-live="polite">{emitted.map(({ event }) => event).join(', ')}</p>
        </section>
    );
}

// Boxes show the weights of what they play: a bar whose length is a property of the style.
export function showWeights({ batch, graph }: Preview, character: number): void {
    const weights = new Map<string, number>();
    const add = (place: string | undefined, weight: number) => (
        place !== undefined && weights.set(place, Math.max(weights.get(place) ?? 0, weight)));
    if (batch && graph) {
        const players = batch.players(character);
        graph.players.forEach(({ path }, i) => add(path, players[i].weight));
        graph.machines.filter(({ isFade }) => !isFade).forEach(({ name, path }) => {
            batch.stateWeights(character, name).forEach((weight, i) => (
                add(path === undefined ? undefined : `${path === '' ? '' : `${path}.`}states[${i}]`, weight)));
        });
    }
    document.querySelectorAll<HTMLElement>('.box[data-place]').forEach(box => (
        box.style.setProperty('--weight', String(weights.get(box.dataset.place!) ?? 0))));
}

// ---- Why the current state stays.

// What an operand is, and its value if that is not said thereby.
function operandText({ of, value, clip, machine, state, event, parameter }: Operand): [string, string?] {
    const number = String(Number(value.toFixed(3)));
    switch (of) {
        case 'phase': return [`phase of ${clip ?? 'the clip'}`, number];
        case 'state': return [`${machine} is in ${state}`];
        case 'trigger': return [`${event} ${value === 1 ? 'waits' : 'was not sent'}`];
        case 'draw':
        case 'choice': return ['what is drawn', number];
        default: return parameter ? [parameter, number] : [number];
    }
}

function Term({ condition }: { condition: Condition }) {
    const mark = condition.holds ? '✓' : '✗';
    if ('terms' in condition) {
        return (
            <li>{mark} {condition.kind === 'and' ? 'all of' : 'one of'}
                <ul>{condition.terms.map((term, i) => <Term key={i} condition={term} />)}</ul>
            </li>
        );
    }
    const isNumber = ['value', 'phase', 'draw', 'choice'].includes(condition.left.of);
    const [left, value] = operandText(condition.left), [right, other] = operandText(condition.right);
    const values = [value, other].filter(text => text !== undefined).join(' and ');
    return (
        <li className={condition.holds ? 'holds' : ''}>
            {mark} {left}{isNumber && ` ${condition.kind} ${right}`}{isNumber && values && `: is ${values}`}
        </li>
    );
}

function Waits({ transition }: { transition: Transition }) {
    const { from, to, event, needsEnd, isAtEnd, after, seconds, condition, applies } = transition;
    return (
        <li className={applies ? 'holds' : ''}>
            {from === undefined ? 'any state' : from} to <strong>{to}</strong>
            {applies && (event === undefined ? ': in the next step' : `: as soon as ${event} is sent`)}
            <ul>
                {event !== undefined && <li>◦ needs the event {event}</li>}
                {needsEnd && <li>{isAtEnd ? '✓ the clip is at its end' : '✗ the clip is not at its end'}</li>}
                {after > 0 && (
                    <li>{seconds >= after ? '✓' : '✗'} {seconds.toFixed(2)} of {after} s in the state</li>)}
                {condition && <Term condition={condition} />}
            </ul>
        </li>
    );
}

function Why({ preview, character }: { preview: Preview; character?: number }) {
    useFrames(preview, 6);
    const { batch, graph } = preview, one = character ?? 0;
    const machines = graph?.machines.filter(({ isFade }) => !isFade) ?? [];
    if (!batch || machines.length === 0) {
        return null;
    }
    return (
        <section className="why" aria-label="What the machines wait for">
            {machines.map(({ name }) => (
                <details key={name} open={machines.length === 1}>
                    <summary>{name}: {batch.state(one, name)}</summary>
                    <ul>
                        {batch.explain(one, name).map((transition, i) => <Waits key={i} transition={transition} />)}
                    </ul>
                </details>))}
        </section>
    );
}

// ---- All of it, below the picture.

const MOST = 2000; // characters

export function Running({ preview, character, setCharacter }: {
    preview: Preview; character?: number; setCharacter: (character?: number) => void }) {
    useFrames(preview, 8);
    return (
        <div className="scrolls">
            <label>Characters
                <TextBox label="Characters" value={String(preview.count)} set={text => {
                    preview.count = Math.min(Math.max(Math.round(Number(text)) || 1, 1), MOST);
                    setCharacter(undefined);
                }} />
            </label>
            {preview.count > 1 && (
                <label>Values of
                    <select value={character ?? ''} onChange={event => (
                        setCharacter(event.target.value === '' ? undefined : Number(event.target.value)))}>
                        <option value="">all, shown are those of 0</option>
                        {Array.from({ length: preview.count }, (_, i) => <option key={i}>{i}</option>)}
                    </select>
                </label>
            )}
            <Inputs preview={preview} character={character} />
            <Why preview={preview} character={character} />
            <Weights preview={preview} character={character} />
        </div>
    );
}
