// Values that an editor makes: what new fields begin with, values of other variants, new poses.
import { isObject } from './schema.ts';
import type { Node, Object, Schema, Source } from './schema.ts';

export type Suggest = (source: Source) => string[];

// What new fields begin with, where no default is known and 0 says nothing.
const STARTS: Record<string, unknown[]> = {
    'up': [[0, 1, 0]], 'normal': [[0, 1, 0]], 'forward': [[0, 0, 1]], 'direction': [[0, 0, 1]], 'axis': [[1, 0, 0]],
    'turn': [[0, 0, 0, 1]], 'gravity': [[0, -9.81, 0]], 'times': [[0.333, 0.667, 1]], 'mid-axis': ['auto'],
    'knee-axis': ['auto'], 'velocity': ['auto'], 'curve': ['smoothstep'], 'bezier': [[0.25, 0.1, 0.25, 1]],
    'keys': [[[0, 0], [1, 1]]], 'rate': [30], 'stiffness': [4], 'damping': [4], 'radius': [0.05], 'limit': [1],
    'max-lowering': [0.3], 'max-angle': [0.5], 'lock-distance': [0.2], 'teleport': [1], 'acceleration': [4],
    'deceleration': [4], 'turn-rate': [3], 'update-every': [2], 'swing': [45], 'after': [1], 'repetitions': [3],
    'max': [1], 'smooth': [0.1], 'smooth-speed': [1], 'range': [[0, 1]], 'planted-markers': [[0, 1]],
    'release-half-life': [0.1], 'ground-half-life': [0.1], 'pelvis-half-life': [0.1], 'delay': [0.5],
    'velocity-half-life': [0.1], 'in': ['IN'], 'out': ['OUT'], 'event': ['EVENT'], 'param': ['value'],
    'remap': [[0, 0, 1, 0, 1]], 'clamp': [[0, 0, 1]], 'start-phase': [0.5], 'motion': [true], 'to': [0.5],
};
const REST = { op: 'rest' };
const fits = (schema: Schema, node: Node | boolean, value: unknown) => schema.problem(node, value) === undefined;

// What a new field begins with.
export function sample(schema: Schema, node: Node, suggest: Suggest): unknown {
    const whole = schema.deref(node), { name = '', description = '', minimum = -Infinity, maximum = 0 } = whole;
    const start = STARTS[name]?.find(value => fits(schema, whole, value));
    const stated = /(-?[\d.]*\d) by default/.exec(description)?.[1];
    const length = Math.max(whole.minItems ?? 1, 1);
    const inner = (key: string | number) => sample(schema, schema.child(whole, undefined, key, undefined), suggest);
    switch (schema.kind(whole)) {
        case 'boolean': return !/true by default/.test(description);
        case 'number': return stated !== undefined ? Number(stated) : start ?? Math.min(Math.max(0, minimum), maximum);
        case 'enum': return start ?? whole.enum![0];
        case 'const': return whole.const ?? null;
        case 'text': return sampleText(schema.source(whole), whole, suggest) ?? start ?? (whole.minLength ? name : '');
        case 'curve': return 'smoothstep';
        case 'mask': return whole.ref === 'mask' ? { [suggest('joints')[0] ?? 'root']: 255 }
            : { [suggest('joints')[1] ?? 'root']: 2 }; // levels of detail: all have the root
        case 'pose': return whole.type === 'array' ? Array.from({ length }, () => REST)
            : name === 'add' ? { op: 'make-additive', pose: REST, reference: REST } : REST;
        case 'choice': return start !== undefined && stated === undefined ? start
            : sample(schema, firstOf(schema, whole), suggest);
        case 'list': case 'tuple': return start ?? Array.from({ length }, (_, i) =>
            name === '>' && i === 0 ? { param: suggest('parameters')[0] ?? 'value' } : inner(i));
        case 'one': case 'object': return Object.fromEntries([...whole.required ?? [],
            ...(whole.ref === 'matching' ? ['velocity'] : [])].map(key => [key, inner(key)])); // or a path
        case 'map': {
            const source = name === 'in' ? 'machines' : schema.source(whole);
            return !whole.minProperties ? {} : { [(source && suggest(source)[0]) ?? 'name']: inner('name') };
        }
        default: return {};
    }
}

// "left-foot" is most likely the joint left_foot.
function sampleText(source: Source | undefined, { name = '' }: Node, suggest: Suggest): string | undefined {
    const names = source === undefined ? [] : suggest(source), words = RegExp(name.split('-').join('.*'), 'i');
    return names.find(one => words.test(one)) ?? names.find(one => one !== 'time');
}

// The variant that a new value has: a comparison, the name of a clip, a number, or else the first one.
function firstOf(schema: Schema, node: Node): Node {
    const variants = schema.variants(node);
    return variants.find(one => node.ref === 'condition' ? one.only === '>' : schema.source(one) === 'clips'
        && schema.kind(one) === 'text') ?? variants.find(one => schema.kind(one) === 'number') ?? variants[0];
}

// Turns a value into another variant, and keeps of it what it can: its fields, itself inside of the new one, or what is
// inside of it.
export function convert(schema: Schema, value: unknown, to: Node, suggest: Suggest): unknown {
    const fresh = sample(schema, to, suggest);
    if (value === undefined || fits(schema, to, value)) {
        return value ?? fresh;
    }
    const inner = isObject(value) && Object.keys(value).length === 1 ? Object.values(value)[0] : undefined;
    if (to.only !== undefined && inner !== undefined && fits(schema, to, { [to.only]: inner })) {
        return { [to.only]: inner };
    }
    for (const key of typeof value === 'string' ? [] : to.required ?? []) {
        const slot = (fresh as Object)[key];
        const around = { ...(fresh as Object), [key]: Array.isArray(slot) ? [value, ...slot.slice(1)] : value };
        if (fits(schema, to, around)) {
            return around;
        }
    }
    const parts = typeof value === 'object' && value !== null ? Object.values(value).flat() : [];
    return parts.find(part => fits(schema, to, part)) ?? fresh;
}

// A new pose of an operation, with what it needs.
export function create(schema: Schema, op: string, suggest: Suggest): Object {
    const result: Object = op === 'clip' ? { op, play: true }
        : op === 'machine' ? { op, states: [{ name: 'state', pose: REST }] } : { op };
    const missing = () => schema.fields(schema.pose, result, undefined)
        .find(field => field.required && !(field.name in result));
    for (let field = missing(); field !== undefined; field = missing()) {
        const value = sample(schema, field.schema, suggest);
        const length = op === 'space2d' ? 3 : 1; // two points are no plane
        result[field.name] = field.name !== 'inputs' || !Array.isArray(value) ? value
            : Array.from({ length: Math.max(value.length, length) }, (_, i) => spread(value[0], i));
    }
    return result;
}

// No two inputs of a blend space are at one place.
export function spread(input: Object, i: number): Object {
    return !('at' in input) ? input : { ...input, at: Array.isArray(input.at) ? [i, i % 2] : i };
}
