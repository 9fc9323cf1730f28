// What the editor of graphs knows from their schema, on all graphs of the samples: every field of every object is known
// and allowed, what a new field begins with is allowed, a new pose has all that it needs, and values turn into each of
// their variants.
//
//   node editor_schema.mjs FOLDER     FOLDER is that of samples/playground/build.sh
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = name => JSON.parse(readFileSync(name, 'utf8'));
const { outputFiles } = createRequire(join(resolve(process.argv[2]), 'node_modules/'))('esbuild').buildSync({
    stdin: { contents: 'export * from "./schema.ts"; export * from "./samples.ts";',
        resolveDir: join(root, 'samples/playground/src/editor') },
    bundle: true, format: 'esm', write: false,
});
const { Schema, at, convert, create, sample } =
    await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
const schema = new Schema(read(join(root, 'docs/graph.schema.json')));

const folders = ['graphs', 'demos', 'operations', 'playground/pages'].map(name => join(root, 'samples', name));
const graphs = folders.flatMap(folder => readdirSync(folder).filter(name => name.endsWith('.json'))
    .map(name => [name, read(join(folder, name))])).filter(([, graph]) => 'op' in graph);
assert(graphs.length > 50);

// Poses, inputs, states and transitions: what the editor shows the fields of.
function* objects(value, path = []) {
    const list = typeof path.at(-1) === 'number' ? path.at(-2) : '';
    if (value !== null && typeof value === 'object') {
        if (value.op || value.use || ['inputs', 'states', 'transitions', 'any'].includes(list)) {
            yield path;
        }
        for (const [key, part] of Object.entries(value)) {
            yield* objects(part, [...path, Array.isArray(value) ? Number(key) : key]);
        }
    }
}

const names = { clips: ['walk'], joints: ['root', 'pelvis'], events: ['GO'], parameters: ['speed'], states: ['a'] };
const suggest = source => names[source] ?? [];
const turned = new Set();
let fieldCount = 0, variantCount = 0;
// All variants of a value, and each of those turned into all.
function turn(node, where) {
    const key = JSON.stringify(node), variants = turned.has(key) ? [] : schema.variants(node);
    turned.add(key);
    for (const from of variants) {
        for (const to of variants) {
            const value = convert(schema, sample(schema, from, suggest), to, suggest);
            assert.equal(schema.problem(to, value), undefined, `${where}: ${JSON.stringify(value)}`);
            variantCount++;
        }
    }
}
for (const [name, graph] of graphs) {
    for (const path of objects(graph)) {
        const value = at(graph, path), fields = schema.fieldsAt(graph, path), where = `${name} ${path.join('.')}`;
        const others = Object.keys(value).filter(key => !fields.some(field => field.name === key));
        assert.deepEqual(others.filter(key => key !== 'arguments'), [], where);
        for (const field of fields) {
            const { name: key, schema: node, required, hidden } = field, own = value[key];
            const fresh = sample(schema, node, suggest);
            assert(own !== undefined || !required, `${where} needs ${key}`);
            assert(own === undefined || schema.problem(node, own) === undefined, `${where}.${key} is refused`);
            if (!hidden && own === undefined && node.const !== false) { // one that may not be true is not offered
                assert.equal(schema.problem(node, fresh), undefined, `${where}.${key}: ${JSON.stringify(fresh)}`);
                turn(node, `${where}.${key}`);
            }
            fieldCount++;
        }
    }
}

// What a value keeps when it turns into another variant.
const of = (path, graph) => schema.at(graph, path);
const weight = of(['weight'], { op: 'blend' });
const to = (node, only) => schema.variants(node).find(one => one.only === only || one.ref === only);
const speed = { param: 'speed', default: 1 };
assert.deepEqual(convert(schema, speed, to(weight, 'multiply'), suggest), { multiply: [speed, 0] });
assert.deepEqual(convert(schema, { multiply: [speed, 2] }, to(weight, 'add'), suggest), { add: [speed, 2] });
assert.deepEqual(convert(schema, { add: [speed, 2] }, to(weight, 'parameter'), suggest), speed);
const machine = { op: 'machine', states: [{ name: 'a', pose: { op: 'rest' }, transitions: [{ to: 'a' }] }] };
const when = of(['states', 0, 'transitions', 0, 'when'], machine), fast = { '>': [{ param: 'speed' }, 1] };
assert.deepEqual(convert(schema, fast, to(when, 'and'), suggest), { and: [fast] });
assert.deepEqual(convert(schema, fast, to(when, '<='), suggest), { '<=': [{ param: 'speed' }, 1] });
assert.deepEqual(convert(schema, { and: [fast] }, to(when, '>'), suggest), fast);
for (const op of schema.operations) {
    const pose = create(schema, op, suggest), fields = schema.fields(schema.pose, pose, pose);
    const bad = fields.filter(({ name, schema: node, required }) => name in pose
        ? schema.problem(node, pose[name]) !== undefined : required);
    assert.deepEqual(bad.map(field => field.name), [], `a new ${op}`);
}
// The arguments of a definition are the fields of "with" of its uses, each as what it stands for.
const use = { op: 'blend', a: { use: 'reach', with: { hand: 'hand_l' } }, b: { op: 'rest' },
    define: { reach: { arguments: { hand: null }, op: 'ik-two-bone', end: { argument: 'hand' } } } };
const [hand] = schema.fields(of(['a', 'with'], use), use.a.with, use);
assert.deepEqual([hand.name, hand.required, schema.source(hand.schema)], ['hand', true, 'joints']);
console.log(`ok     ${graphs.length} graphs: ${fieldCount} fields, ${variantCount} variants`);
