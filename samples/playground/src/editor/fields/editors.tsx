// Editors of values by their schema. Each is a control, or a control with a body below it, for the row of a field.
import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { nameOf } from '../diagram.ts';
import { placeOf } from '../document.ts';
import { convert, sample } from '../samples.ts';
import { argumentOf, isObject, same } from '../schema.ts';
import type { Field, Node, Path } from '../schema.ts';
import { Combo, NumberBox, TextBox, Tool } from './controls.tsx';
import { CurveEditor } from './curve.tsx';
import { MaskEditor } from './mask.tsx';
import { argumentsAt, suggest, useScope } from './scope.ts';
import type { Props } from './scope.ts';

export interface Part {
    path: Path;
    node: Node;
    value: unknown;
    label: string;
}

const WITH_PARTS = new Set(['choice', 'one', 'object', 'tuple', 'list', 'map']);
const sampleAt = (scope: Props, node: Node, path: Path) =>
    sample(scope.schema, node, source => suggest(scope, source, path));

// The mistakes of a value. Those below it are at the rows of its parts, unless it has none or the part is missing.
export function Mistakes({ path, value, parts }: { path: Path; value: unknown; parts: boolean }): ReactNode {
    const { mistakes } = useScope(), start = placeOf(path);
    const counts = (text: string) => {
        const rest = text.slice(start.length), key = /^\.?([^.[\]]+)|^\[(\d+)\]/.exec(rest);
        return text === start || (text.startsWith(start) && start !== '' && /^[.[]/.test(rest)
            && !(parts && key && (value as Record<string, unknown>)?.[key[1] ?? key[2]] !== undefined));
    };
    return mistakes.filter(({ path: text }) => counts(text)).map(({ message, warning }, i) =>
        <p key={i} className={warning ? 'warning' : 'mistake'}>{warning ? 'Warning: ' : ''}{message}</p>);
}

// A value with its name, its editor, and buttons. A `part` of a value has no description of its own.
export function Row({ name, path, node, value, label, remove, move, needed = false, part = false }: Part & {
    name: ReactNode; remove?: () => void; move?: (by: number) => void; needed?: boolean; part?: boolean;
}): ReactElement {
    const scope = useScope(), { schema, edit, focus } = scope, [about, setAbout] = useState(false);
    const description = part ? undefined : schema.deref(node).description, names = argumentsAt(scope, path);
    const isArgument = argumentOf(value) !== undefined;
    const fresh = () => sampleAt(scope, node, path);
    const parts = value !== undefined && WITH_PARTS.has(schema.kind(node));
    return (
        <div className={part ? 'row part' : 'row'} role="group" aria-label={label} data-path={placeOf(path)}>
            <span className="name" title={description}>{name}</span>
            {needed ? <button type="button" className="control needed" onClick={() => {
                edit(path, fresh());
                focus(path);
            }}>Needed: add</button>
                : <Editor path={path} node={node} value={value} label={label} />}
            <span className="tools">
                {description && <Tool name="?" label={`About ${label}`} pressed={about} act={() => setAbout(!about)} />}
                {names.length > 0 && !needed && <Tool name="{}" label={`Argument for ${label}`} pressed={isArgument}
                    act={() => edit(path, isArgument ? fresh() : { argument: names[0] })} />}
                {move && <>
                    <Tool name="↑" kind="up" label={`Move ${label} up`} act={() => move(-1)} />
                    <Tool name="↓" kind="down" label={`Move ${label} down`} act={() => move(1)} />
                </>}
                {remove && <Tool name="×" label={`Remove ${label}`} act={() => {
                    focus(path.slice(0, -1), '.add');
                    remove();
                }} />}
            </span>
            {about && <p className="about">{description}</p>}
            <Mistakes path={path} value={value} parts={parts} />
        </div>
    );
}

export function Editor({ path, node, value, label }: Part): ReactElement {
    const scope = useScope(), { schema, edit } = scope, { minimum, maximum, ...whole } = schema.deref(node);
    const set = (next: unknown, merge?: boolean) => edit(path, next, merge);
    const argument = argumentOf(value);
    if (argument !== undefined) {
        const names = [...new Set([...argumentsAt(scope, path), argument])];
        return <Select label={`${label}: argument`} value={argument} options={names}
            set={next => set({ argument: next })} />;
    }
    const kind = schema.kind(node), part = { path, node: schema.deref(node), value, label };
    switch (kind) {
        case 'curve': return <CurveEditor {...part} />;
        case 'choice': return <Choice {...part} />;
        case 'const': return <span className="control">{value === null ? 'none' : String(whole.const)}</span>;
        case 'enum': return <Select label={label} value={String(value)} options={whole.enum!.map(String)}
            set={next => set(whole.enum!.find(one => String(one) === next))} />;
        case 'boolean':
            if (typeof value === 'boolean') {
                return <span className="control"><input type="checkbox" aria-label={label} checked={value}
                    onChange={event => set(event.target.checked)} /></span>;
            }
            break;
        case 'number':
            if (typeof value === 'number') {
                return <NumberBox value={value} min={minimum} max={maximum} whole={whole.type === 'integer'}
                    label={label} set={set} />;
            }
            break;
        case 'text':
            if (typeof value === 'string') {
                return <NameEditor {...part} />;
            }
            break;
        default:
    }
    const isList = Array.isArray(value);
    if (isList && (kind === 'tuple' || kind === 'list')) {
        return kind === 'tuple' ? <Tuple {...part} /> : <List {...part} />;
    }
    if (isObject(value)) {
        const only = whole.only ?? '';
        switch (kind) {
            case 'mask': return <MaskEditor {...part} />;
            case 'one': {
                const inner = { path: [...path, only], value: value[only] };
                const child = schema.child(node, value, only, scope.document);
                const title = schema.kind(child) === 'choice' ? `${label} ${only}` : label;
                return <>
                    <Editor {...inner} node={child} label={title} />
                    <Mistakes {...inner} parts />
                </>;
            }
            case 'object': return <div className="body" data-path={placeOf(path)}>{whole.ref === 'parameter'
                ? <Parameter {...part} />
                : <ObjectFields {...part} fields={schema.fields(node, value, scope.document)} />}</div>;
            case 'map': return <MapEditor {...part} />;
            default:
        }
    }
    return <JsonBox {...part} />;
}

export function Select({ label, value, options, names = options, set }: {
    label: string; value: string; options: string[]; names?: string[]; set: (value: string) => void;
}): ReactElement {
    return (
        <select className="control" aria-label={label} value={value} onChange={event => set(event.target.value)}>
            {!options.includes(value) && <option value={value}>{value}</option>}
            {options.map((option, i) => <option key={option} value={option}>{names[i]}</option>)}
        </select>
    );
}

function NameEditor({ path, node, value, label }: Part): ReactElement {
    const scope = useScope(), { edit, names, look } = scope, source = scope.schema.source(node);
    if (source === undefined) {
        return <TextBox value={value as string} label={label} set={text => edit(path, text)} />;
    }
    const note = (name: string) => source !== 'clips' ? undefined
        : `${names.clips.find(clip => clip.name === name)?.duration.toFixed(2)} s`;
    const options = [...new Set(suggest(scope, source, path))].map(name => ({ value: name, note: note(name) }));
    return <Combo value={value as string} label={label} options={options} set={text => edit(path, text)}
        active={source === 'clips' ? look : undefined} />;
}

function Choice({ path, node, value, label }: Part): ReactElement {
    const scope = useScope(), { schema, edit } = scope, variants = schema.variants(node);
    const index = schema.pick(variants, value), chosen = variants[index];
    const change = (to: number) => edit(path,
        convert(schema, value, variants[to], source => suggest(scope, source, path)));
    const kind = schema.kind(chosen), span = (chosen.maximum ?? Infinity) - (chosen.minimum ?? -Infinity);
    const select = <Select label={`${label}: kind`} value={String(index)} options={variants.map((_, i) => String(i))}
        names={variants.map(variant => schema.label(variant))} set={next => change(Number(next))} />;
    const editor = <Editor path={path} node={chosen} value={value} label={label} />;
    return kind === 'const' ? select : kind === 'text' || (kind === 'number' && span > 100)
        ? <span className={`control pair of-${kind}`}>{select}{editor}</span>
        : <>{select}<div className="body">{editor}</div></>;
}

// A parameter: its name, and numbers that may be left out.
function Parameter({ path, node, value, label }: Part): ReactElement {
    const { schema, edit, document, mistakes } = useScope(), whole = value as Record<string, unknown>;
    const wrong = mistakes.some(mistake => mistake.path.startsWith(`${placeOf(path)}.`));
    const numbers = schema.fields(node, value, document).filter(({ name }) => name !== 'param');
    const set = numbers.filter(({ name }) => name in whole);
    return <>
        <Editor path={[...path, 'param']} node={schema.child(node, value, 'param', document)} value={whole.param}
            label={`${label}: parameter`} />
        <Mistakes path={[...path, 'param']} value={whole.param} parts={false} />
        <details open={wrong}>
            <summary>{set.map(({ name }) => `${name} ${JSON.stringify(whole[name])}`).join(', ')
                || 'default, range'}</summary>
            <div className="params">
                {numbers.map(({ name, description }) => <label key={name} title={description}>{name}
                    {argumentOf(whole[name]) === undefined
                        ? <NumberBox value={whole[name]} label={`${label}: ${name}`} slider={false}
                            set={(next, merge) => edit([...path, name], next, merge)}
                            clear={() => name in whole && edit([...path, name], undefined)} />
                        : <Editor path={[...path, name]} node={{}} value={whole[name]} label={`${label}: ${name}`} />}
                    <Mistakes path={[...path, name]} value={whole[name]} parts={false} />
                </label>)}
            </div>
        </details>
    </>;
}

const PARTS: Record<string, string[]> = {
    remap: ['x', 'from low', 'from high', 'to low', 'to high'], clamp: ['x', 'low', 'high'], range: ['min', 'max'],
    motion: ['x', 'y', 'z', 'yaw'], 'planted-markers': ['from', 'to'], times: ['1', '2', '3'], path: ['x', 'z'],
    bezier: ['x1', 'y1', 'x2', 'y2'], at: ['x', 'y'], in: ['x', 'y'], out: ['x', 'y'],
};
const partNames = ({ name = '' }: Node, length: number) => PARTS[name]
    ?? (name === 'velocity' && length === 2 ? ['x', 'z'] : length === 2 ? ['a', 'b'] : ['x', 'y', 'z', 'w']);

// A list of a fixed length: numbers in a line, other values in rows.
export function Tuple({ path, node, value, label }: Part): ReactElement {
    const { schema, edit, document } = useScope(), list = value as unknown[];
    const names = partNames(node, list.length);
    const parts = list.map((element, i) => ({ path: [...path, i], node: schema.child(node, value, i, document),
        value: element, label: `${label} ${names[i] ?? i}` }));
    return parts.every(part => schema.kind(part.node) === 'number' && typeof part.value === 'number')
        ? <span className="control numbers">{parts.map((part, i) => <label key={i}>{names[i] ?? i}
            <NumberBox value={part.value} min={part.node.minimum} max={part.node.maximum} label={part.label}
                slider={false} set={(next, merge) => edit(part.path, next, merge)} /></label>)}
            {parts.map((part, i) => <Mistakes key={i} path={part.path} value={part.value} parts={false} />)}</span>
        : <div className="body">{parts.map((one, i) => <Row key={i} {...one} part name={names[i] ?? i} />)}</div>;
}

function List({ path, node, value, label }: Part): ReactElement {
    const scope = useScope(), { schema, edit, document, focus } = scope, list = value as unknown[];
    const { minItems = 0, maxItems = Infinity } = node;
    const move = (i: number, by: number) => {
        const result = [...list], to = i + by;
        [result[i], result[to]] = [result[to], result[i]];
        if (to >= 0 && to < list.length) {
            edit(path, result);
            focus([...path, to], by < 0 ? '.up' : '.down');
        }
    };
    const add = () => {
        edit([...path, list.length], sampleAt(scope, schema.child(node, value, list.length, document), path));
        focus([...path, list.length]);
    };
    return <>
        <div className="body" data-path={placeOf(path)}>
            {list.map((element, i) => <Row key={i} part path={[...path, i]} value={element}
                name={isObject(element) && 'pose' in element ? nameOf(element.pose) : i + 1}
                node={schema.child(node, value, i, document)} label={`${label} ${i + 1}`}
                remove={list.length > minItems ? () => edit([...path, i], undefined) : undefined}
                move={list.length > 1 ? by => move(i, by) : undefined} />)}
            {list.length < maxItems
                && <button type="button" className="add" onClick={add}>Add to {label}</button>}
        </div>
    </>;
}

// Names with values.
function MapEditor({ path, node, value, label }: Part): ReactElement {
    const scope = useScope(), { schema, edit, document, focus } = scope, map = value as Record<string, unknown>;
    const source = node.name === 'in' ? 'machines' : node.name === 'tags' ? undefined : schema.source(node);
    const { minProperties = 0, maxProperties = Infinity } = node, count = Object.keys(map).length;
    const options = source === undefined ? [] : suggest(scope, source, path).map(name => ({ value: name }));
    const rename = (old: string, name: string) => !(name in map) && edit(path, Object.fromEntries(Object.entries(map)
        .map(([key, part]) => [key === old ? name : key, part])));
    const add = (name: string) => {
        edit([...path, name], name in map ? map[name]
            : sampleAt(scope, schema.child(node, value, name, document), [...path, name]));
        focus([...path, name]);
    };
    return (
        <div className="body" data-path={placeOf(path)}>
            {Object.entries(map).map(([key, part]) => <Row key={key} path={[...path, key]} value={part}
                node={schema.child(node, value, key, document)} label={`${label} ${key}`}
                part
                name={<Combo value={key} label={`${label}: name`} options={options} set={name => rename(key, name)} />}
                remove={count > minProperties ? () => edit([...path, key], undefined) : undefined} />)}
            {count < maxProperties && <Combo value="" add label={`Add to ${label}`}
                options={options.filter(({ value: name }) => !(name in map))} set={add} />}
        </div>
    );
}

// The fields that are set, those that are needed, and a list of those that may be added; those of the outermost pose
// that are `graph`, or that are not.
export function ObjectFields({ path, value, label, fields, graph = false }: Omit<Part, 'node'> & {
    fields: Field[]; graph?: boolean;
}): ReactElement {
    const scope = useScope(), { schema, edit, focus } = scope, object = value as Record<string, unknown>;
    const known = new Set(['op', 'arguments', ...fields.map(field => field.name)]);
    const shown = fields.filter(field => !field.hidden && field.name !== 'op' && field.graph === graph);
    const open = shown.filter(({ name, schema: node }) => !(name in object) && node.const !== false);
    const title = (name: string) => label === '' ? name : `${label} ${name}`;
    const add = (name: string) => {
        const field = open.find(one => one.name === name)!;
        edit([...path, name], sampleAt(scope, field.schema, [...path, name]));
        focus([...path, name]);
    };
    return <>
        {shown.filter(({ name, required }) => name in object || required).map(({ name, schema: node, required }) => (
            <Row key={name} name={name} path={[...path, name]} node={node} value={object[name]} label={title(name)}
                needed={!(name in object)}
                remove={name in object && !required ? () => edit([...path, name], undefined) : undefined} />))}
        {Object.keys(object).filter(name => !graph && !known.has(name)).map(name => <Row key={name} name={name}
            node={{}} path={[...path, name]} value={object[name]} label={title(name)}
            remove={() => edit([...path, name], undefined)} />)}
        {open.some(({ required }) => !required)
            && <Combo value="" only add label={label === '' ? 'Add a field' : `Add a field to ${label}`}
                set={add}
                options={open.map(({ name, description }) => ({ value: name, note: description }))} />}
    </>;
}

// Any value as its text, which is checked while it is typed.
export function JsonBox({ path, node, value, label }: Part): ReactElement {
    const { schema, edit } = useScope(), [draft, setDraft] = useState<string>(), [merge, setMerge] = useState(false);
    const text = draft ?? JSON.stringify(value, null, 1) ?? '';
    let problem: string | undefined, parsed: unknown;
    try {
        parsed = JSON.parse(text);
        problem = schema.problem(node, parsed);
    } catch (error) {
        problem = (error as Error).message;
    }
    return (
        <div className="body">
            <textarea aria-label={`${label}: JSON`} aria-invalid={problem !== undefined} spellCheck={false} value={text}
                rows={Math.min(text.split('\n').length, 12)} onFocus={() => setMerge(false)}
                onBlur={() => problem === undefined && setDraft(undefined)}
                onChange={event => {
                    setDraft(event.target.value);
                    try {
                        const next: unknown = JSON.parse(event.target.value);
                        if (!same(next, value) && schema.problem(node, next) === undefined) {
                            edit(path, next, merge);
                            setMerge(true);
                        }
                    } catch {
                        // the text says below what is wrong with it
                    }
                }} />
            {problem !== undefined && <p className="mistake">{problem}</p>}
        </div>
    );
}
