// What the JSON schema of graphs (docs/graph.schema.json) says about the places of a document: which fields an object
// may have, what kind of value each has, what a new one begins with, and whether a value is allowed.
//
// It reads the parts of draft 07 that this schema uses. A choice (`anyOf`) becomes a flat list of variants, in which an
// object that has exactly one of its fields, such as a condition, is one variant for each of them.

// Where something is in a document: names of fields and indices of elements.
export type Path = (string | number)[];
export type Object = Record<string, unknown>;

type Properties = Record<string, Node | boolean>;
export interface Node {
    $ref?: string;
    ref?: string; // the definition that it was
    name?: string; // the field whose value it is, or in whose list or map it is
    only?: string; // the one field that this variant of an object has
    description?: string;
    type?: string;
    enum?: unknown[];
    const?: unknown;
    properties?: Properties;
    additionalProperties?: Node | boolean;
    required?: string[];
    dependencies?: Record<string, string[] | Node>;
    items?: Node | Node[];
    anyOf?: Node[];
    oneOf?: Node[];
    allOf?: Node[];
    not?: Node;
    if?: Node;
    then?: Node;
    minimum?: number;
    maximum?: number;
    minItems?: number;
    maxItems?: number;
    minProperties?: number;
    maxProperties?: number;
    minLength?: number;
}

export type Kind = 'pose' | 'choice' | 'curve' | 'mask' | 'boolean' | 'number' | 'text' | 'enum' | 'const' | 'object'
    | 'one' | 'tuple' | 'list' | 'map' | 'json';

export interface Field {
    name: string;
    schema: Node;
    description: string;
    required: boolean; // also if another field, which is missing too, may stand in its place
    default?: string;
    kind: Kind;
    hidden: boolean; // drawn as boxes and connections
    graph: boolean; // a field of the outermost pose, for the graph as a whole
}

// What the names in a text are those of.
export type Source = 'clips' | 'joints' | 'channels' | 'events' | 'parameters' | 'machines' | 'states' | 'definitions'
    | 'fades' | 'groups';

const SOURCES: Record<string, Source> = {
    'clip': 'clips', 'sync-with': 'clips', 'phase': 'clips', 'remaining': 'clips', 'streamed-clips': 'clips',
    'param': 'parameters', 'parameter': 'parameters', 'actual-velocity': 'parameters', 'trigger': 'events',
    'to': 'states', 'state': 'states', 'initial': 'states', 'except': 'states', 'out': 'states', 'in': 'states',
    'use': 'definitions', 'fade': 'fades', 'group': 'groups', 'channel': 'channels', 'partner': 'channels',
    'planted-channel': 'channels', 'channels': 'channels',
};
const DRAWN = new Set(['states', 'any', 'transitions', 'define', 'arguments']);
const LABELS: Record<string, string> = {
    'parameter': 'parameter', 'fade': 'fade by events', 'place': 'place in a clip', 'point': 'point of the batch',
    'curved': 'curve of a value', 'curve-key': 'key with handles', 'motion': 'extracted, with settings',
    'crossing': 'where a channel crosses', 'joint-limits': 'limits of a joint', 'channel-limits': 'limits of a channel',
    'channel-mirror': 'partner and sign', 'target': 'state with a weight',
};
const ONLY: Record<string, string> = {
    'add': 'a + b', 'subtract': 'a − b', 'multiply': 'a × b', 'min': 'the lesser', 'max': 'the greater',
    'clamp': 'clamped', 'remap': 'remapped', '<': 'a < b', '<=': 'a ≤ b', '>': 'a > b', '>=': 'a ≥ b', '==': 'a = b',
    '!=': 'a ≠ b', 'and': 'all of', 'or': 'any of', 'param': 'parameter is on', 'trigger': 'event came',
    'random': 'by chance', 'phase': 'phase of a clip', 'remaining': 'seconds to the end of a clip',
    'bezier': 'Bezier',
};

export const isObject = (value: unknown): value is Object =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
// The name of an argument of a definition, if the value is one.
export const argumentOf = (value: unknown): string | undefined =>
    isObject(value) && typeof value.argument === 'string' && Object.keys(value).length === 1 ? value.argument
        : undefined;
export const at = (document: unknown, path: Path): unknown => path.reduce((value, key) => (
    typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as Object)[key] : undefined),
document);
export const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

// The texts that a function gives for the objects of a value.
export function collect(value: unknown, of: (object: Object) => unknown): string[] {
    const found = new Set<string>();
    const walk = (part: unknown) => {
        if (isObject(part) && typeof of(part) === 'string') {
            found.add(of(part) as string);
        }
        if (typeof part === 'object' && part !== null) {
            Object.values(part).forEach(walk);
        }
    };
    walk(value);
    return [...found];
}

// Whether objects of a schema differ in their fields, and not in the type that they describe.
const isChoice = (node: Node) => node.anyOf !== undefined && node.properties === undefined;
const typeOf = (value: unknown) => value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
const hasType = (type: string | undefined, value: unknown) => type === undefined || type === typeOf(value)
    || (type === 'integer' && Number.isInteger(value));

export class Schema {
    readonly operations: string[];
    readonly pose: Node;
    readonly #definitions: Record<string, Node>;
    readonly further: Properties; // the fields of the outermost pose alone, if its operation has none of that name
    #depth = 0; // of definitions whose uses give arguments of others
    readonly #known = new WeakMap<Node, Node>();

    constructor(json: unknown) {
        const { properties, definitions } = json as { properties: Properties; definitions: Record<string, Node> };
        this.further = properties;
        this.#definitions = definitions;
        this.pose = { $ref: '#/definitions/pose' };
        this.operations = (this.deref(this.pose).properties!.op as Node).enum as string[];
    }

    about(op: string): string {
        return this.#definitions[`op-${op}`]?.description ?? '';
    }

    // Follows references. What stands beside one, such as a description, replaces what it refers to.
    deref(node: Node): Node {
        const known = this.#known.get(node);
        if (known !== undefined || node.$ref === undefined) {
            return known ?? node;
        }
        const { $ref, ...rest } = node, names = $ref.split('/').slice(2);
        const target = names.slice(1).reduce((part: any, name) => part[name], this.#definitions[names[0]]) as Node;
        const result = { ...this.deref(target), ...rest, ...(names.length === 1 && { ref: names[0] }) };
        this.#known.set(node, result);
        return result;
    }

    // What a value may be: each has a type, or one field.
    variants(node: Node): Node[] {
        const whole = this.deref(node);
        if (isChoice(whole)) {
            const { name, description, minimum, maximum } = whole;
            const limits = minimum === undefined ? {} : { minimum, maximum };
            const all = whole.anyOf!.flatMap(branch => this.variants({ description, ...this.deref(branch), name,
                ...(branch.type === 'number' && limits) }));
            const others = all.filter(one => one.const !== 0); // "0, or a number from 0.000001 on" is one number
            return others.map(one => others.length < all.length ? { ...one, minimum: 0 } : one);
        }
        if (whole.properties !== undefined && whole.minProperties === 1 && whole.maxProperties === 1) {
            return Object.entries(whole.properties)
                .map(([only, part]) => ({ ...whole, properties: { [only]: part }, required: [only], only }));
        }
        return [whole];
    }

    label(node: Node): string {
        const { only, ref = '', type, name } = node;
        if (only !== undefined) {
            return ONLY[only] ?? only;
        }
        return 'const' in node ? (node.const !== true ? String(node.const) : name === 'phase' || name === 'remaining'
            ? 'of the state' : 'on') : LABELS[ref]
            ?? (ref === 'fade-weight' ? 'weight of a fade' : node.enum !== undefined ? 'by name'
                : type === 'string' ? 'name' : type === 'integer' ? 'number' : type === 'null' ? 'none'
                    : type === 'array' ? (node.minItems === node.maxItems ? `${node.minItems} numbers` : 'list')
                        : type === 'object' ? (node.properties !== undefined ? 'settings' : 'pairs') : type ?? 'JSON');
    }

    // The index of the variant that a value has, or is nearest to.
    pick(variants: Node[], value: unknown): number {
        const fits = variants.findIndex(variant => this.problem(variant, value) === undefined);
        const near = variants.map(variant => {
            const { properties = {} } = this.deref(variant);
            return !hasType(variant.type ?? typeOf(variant.enum?.[0] ?? variant.const), value) ? 0
                : isObject(value) ? 1 + Object.keys(value).filter(key => key in properties).length : 1;
        });
        return fits >= 0 ? fits : near.indexOf(Math.max(...near));
    }

    // The schema of an object with what applies to it as it is: of a pose the fields of its operation.
    resolve(node: Node, value: unknown, document: unknown): Node {
        const whole = this.deref(node);
        if (whole.ref === 'pose' && isObject(value) && 'use' in value) {
            return this.resolve({ $ref: '#/definitions/use' }, value, document);
        }
        if (isChoice(whole)) {
            const variants = this.variants(whole);
            return this.resolve(variants[this.pick(variants, value)], value, document);
        }
        let result = whole.ref === 'use' ? this.#withArguments(whole, value, document) : whole;
        for (const part of [...whole.allOf ?? [], { if: whole.if ?? { not: {} }, then: whole.then }]) {
            if (part.if === undefined || this.problem(part.if, value) === undefined) {
                result = this.#merge(result, this.resolve(part.if ? part.then! : part, value, document));
            }
        }
        return result;
    }

    #merge(node: Node, extra: Node): Node {
        const properties: Properties = { ...node.properties };
        for (const [name, part] of Object.entries(extra.properties ?? {})) {
            const old = properties[name];
            if (part === false) {
                delete properties[name];
            } else if (part !== true) {
                properties[name] = typeof old !== 'object' || part.$ref !== undefined ? part : { ...old, ...part };
            } else {
                properties[name] = old ?? {};
            }
        }
        return { ...node, ...extra, ref: node.ref, properties, allOf: undefined, if: undefined,
            required: [...new Set([...node.required ?? [], ...extra.required ?? []])] };
    }

    // A use gives values to what the definition's arguments stand for.
    #withArguments(node: Node, use: unknown, document: unknown): Node {
        const path = ['define', String((use as Object).use)], definition = at(document, path);
        const names = isObject(definition) && isObject(definition.arguments) ? definition.arguments : undefined;
        if (names === undefined || this.#depth > 8) {
            return node;
        }
        const find = (part: unknown, name: string, path: Path): Path | undefined => argumentOf(part) === name ? path
            : typeof part !== 'object' || part === null ? undefined
                : Object.entries(part).filter(([key]) => key !== 'arguments').reduce(
                    (found: Path | undefined, [key, inner]) => found
                        ?? find(inner, name, [...path, Array.isArray(part) ? Number(key) : key]), undefined);
        this.#depth++;
        const properties = Object.fromEntries(Object.keys(names).map(name => {
            const place = find(definition, name, path);
            return [name, place === undefined ? {} : this.at(document, place)];
        }));
        this.#depth--;
        const required = Object.keys(names).filter(name => names[name] === null);
        return { ...node, properties: { ...node.properties, with: { ...node.properties!.with as Node, properties,
            required } } };
    }

    named(part: Node, name: string | undefined, description?: string): Node {
        const { description: about, ...target } = this.deref(part);
        const variants = isChoice(target) ? this.variants(target) : [];
        const whole = { ...(variants.length === 1 ? variants[0] : target), ...(about && { description: about }) };
        return { ...whole, name: whole.name ?? name, description: whole.description ?? description };
    }

    child(node: Node, value: unknown, key: string | number, document: unknown): Node {
        const { name, properties = {}, additionalProperties, items, description } = this.resolve(node, value, document);
        const own = typeof key === 'string' && typeof properties[key] === 'object' ? properties[key] : undefined;
        const part = own ?? (typeof key === 'string' ? additionalProperties
            : Array.isArray(items) ? items[key] : items);
        return own !== undefined ? this.named(own, String(key))
            : typeof part === 'object' ? this.named(part, name, description) : {};
    }

    at(document: unknown, path: Path): Node {
        let node = this.pose, value = document;
        for (const [i, key] of path.entries()) {
            const further = i === 0 ? this.further[key] as Node | undefined : undefined;
            node = i === 1 && path[0] === 'define' ? this.pose
                : further && !(key in (this.resolve(this.pose, value, document).properties ?? {}))
                    ? this.named(further, String(key)) : this.child(node, value, key, document);
            value = (value as Object | undefined)?.[key];
        }
        return node;
    }

    kind(node: Node): Kind {
        const whole = this.deref(node);
        if (whole.ref === 'pose' || whole.ref === 'curve' || whole.ref === 'mask') {
            return whole.ref;
        }
        if ('const' in whole && whole.type === undefined) {
            return 'const';
        }
        const inner = whole.additionalProperties;
        switch (whole.enum !== undefined ? 'enum' : whole.only !== undefined ? 'one'
            : this.variants(whole).length > 1 ? 'choice' : whole.type) {
            case 'enum': return 'enum';
            case 'one': return 'one';
            case 'choice': return 'choice';
            case 'boolean': return 'boolean';
            case 'integer': case 'number': return 'number';
            case 'string': return 'text';
            case 'null': return 'const';
            case 'array': return whole.items && !Array.isArray(whole.items) && this.kind(whole.items) === 'pose'
                ? 'pose' : whole.minItems !== undefined && whole.minItems === whole.maxItems ? 'tuple' : 'list';
            case 'object': return whole.properties !== undefined ? 'object' : typeof inner !== 'object' ? 'json'
                : inner.type === 'integer' && inner.maximum !== undefined ? 'mask' : 'map';
            default: return 'json';
        }
    }

    fieldsAt(document: unknown, path: Path): Field[] {
        const value = at(document, path), own = this.fields(this.at(document, path), value, document);
        const whole = path.length > 0 ? [] : Object.entries(this.further)
            .filter(([name]) => !own.some(field => field.name === name))
            .map(([name, part]) => this.#field(name, part as Node, false, true));
        return [...own, ...whole];
    }

    fields(node: Node, value: unknown, document: unknown): Field[] {
        const whole = this.resolve(node, value, document), { properties = {}, required = [] } = whole;
        const open = [whole.oneOf, whole.properties && whole.ref !== 'pose' ? whole.anyOf : undefined]
            .filter(list => list?.every(part => this.problem(part, value) !== undefined))
            .flatMap(list => list!.flatMap(part => part.required ?? []));
        const needed = new Set([...required, ...open]);
        const last = (name: string) => Number(whole.ref !== 'parameter' && (name === 'name' || name === 'comment'));
        return Object.keys(properties)
            .sort((a, b) => whole.ref === 'state' || whole.ref === 'fade' ? 0 : last(a) - last(b))
            .map(name => this.#field(name, properties[name] as Node, needed.has(name), false));
    }

    #field(name: string, part: Node, required: boolean, graph: boolean): Field {
        const schema = this.named(part, name), { description = '' } = schema, kind = this.kind(schema);
        return { name, schema, description, required, kind, graph, hidden: DRAWN.has(name) || kind === 'pose',
            default: /([^\s,;:]+) by default/.exec(description)?.[1] };
    }

    // What the names in a text may be.
    source(node: Node): Source | undefined {
        const { ref, name = '', description = '' } = this.deref(node);
        return ref === 'event' || (name === 'end' && description.includes('event')) ? 'events'
            : name === 'name' || name === 'from' ? (description.includes('state') ? 'states' : undefined)
                : SOURCES[name] ?? (/\bjoints?\b/i.test(description) ? 'joints' : undefined);
    }

    // Says why a value is not allowed, if it is not. What is inside of poses is not looked at.
    problem(node: Node | boolean, value: unknown): string | undefined {
        if (typeof node === 'boolean' || argumentOf(value) !== undefined) {
            return node === false ? 'is not allowed here' : undefined;
        }
        const whole = this.deref(node), { minimum = -Infinity, maximum = Infinity } = whole;
        if (whole.ref === 'pose') {
            return isObject(value) && ('op' in value || 'use' in value) ? undefined : 'must be a pose';
        }
        if (!hasType(whole.type, value)) {
            return `must be ${/^[aio]/.test(whole.type!) ? 'an' : 'a'} ${whole.type}`;
        }
        if (('const' in whole && value !== whole.const) || (whole.enum !== undefined && !whole.enum.includes(value))) {
            return `must be ${(whole.enum ?? [whole.const]).map(one => JSON.stringify(one)).join(', ')}`;
        }
        if (typeof value === 'number' && (value < minimum || value > maximum)) {
            return `must be from ${minimum} to ${maximum}`;
        }
        if (typeof value === 'string' && value.length < (whole.minLength ?? 0)) {
            return 'must not be empty';
        }
        const inside = Array.isArray(value) ? this.#problemInList(whole, value)
            : isObject(value) ? this.#problemInObject(whole, value) : undefined;
        const all = whole.allOf?.map(part => this.problem(part, value)).find(problem => problem !== undefined);
        const { if: test, then = true } = whole, isRefused = (part: Node) => this.problem(part, value) !== undefined;
        const further = test !== undefined && !isRefused(test) ? this.problem(then, value) : undefined;
        return inside ?? all ?? further ?? (whole.anyOf?.every(isRefused) || whole.oneOf?.every(isRefused)
             ? 'is none of what is allowed here'
            : whole.not !== undefined && !isRefused(whole.not) ? 'is not allowed' : undefined);
    }

    #problemInList({ items, minItems = 0, maxItems = Infinity }: Node, value: unknown[]): string | undefined {
        const problems = value.map((element, i) =>
            this.problem((Array.isArray(items) ? items[i] : items) ?? true, element));
        const first = problems.findIndex(problem => problem !== undefined);
        return value.length < minItems || value.length > maxItems ? `must have ${minItems} to ${maxItems} elements`
            : first >= 0 ? `[${first}] ${problems[first]}` : undefined;
    }

    #problemInObject(node: Node, value: Object): string | undefined {
        const { properties = {}, additionalProperties = true, required = [], dependencies = {} } = node;
        const keys = Object.keys(value), { minProperties = 0, maxProperties = Infinity } = node;
        const missing = [...required, ...keys.flatMap(key => {
            const needed = dependencies[key];
            return Array.isArray(needed) ? needed
                : needed && this.problem(needed, value) !== undefined ? needed.required ?? [''] : [];
        })].find(name => !(name in value));
        const wrong = keys.map(key => [key, this.problem(properties[key] ?? additionalProperties, value[key])])
            .find(([, problem]) => problem !== undefined);
        return missing !== undefined ? `needs "${missing}"` : wrong !== undefined ? `"${wrong[0]}" ${wrong[1]}`
            : keys.length < minProperties || keys.length > maxProperties ? `must have ${minProperties} fields`
                : undefined;
    }
}
