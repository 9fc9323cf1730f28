// Writes the pages of the manual's figures: node figures.mjs FOLDER
//
// Each picture of ../operations is drawn by a line of draw.sh from the graph of its name. The figure shows the same
// poses beside each other: they are characters of one batch, whose graph is a sum of all these poses, and a script
// gives each character the weight of one. FOLDER/NAME.json and NAME.script are that graph and script; FOLDER.json lists
// the pages. What needs a pose of the host has no figure.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const sums = ['weighted', 'layers']; // whose pictures name weights
const cameras = { chain: [0, 3, 17, 1.15], retarget: [0, 2, 12, 0.65] }; // of figures in the air, and small ones
const folder = process.argv[2];
const operations = new URL('../operations/', import.meta.url);
const lines = readFileSync(new URL('draw.sh', operations), 'utf8').replaceAll('\\\n', '').matchAll(/^picture (.*)$/gm);

// The poses that an operation takes in, in the order of the library.
function inputsOf({ poses, inputs, a, b, base, add, pose }) {
    return poses ?? inputs?.map(({ pose }) => pose) ?? [a, b, base, add, pose].filter(Boolean);
}

// An additive is no pose: what it is made of is shown instead.
function shown(pose) {
    const { additive, ...rest } = pose;
    return { 'make-additive': () => shown(pose.pose), subtract: () => shown(pose.a) }[pose.op]?.() ?? rest;
}

function figure(name, words) {
    const root = JSON.parse(readFileSync(new URL(`${name}.json`, operations), 'utf8'));
    const valuesOf = option => words.filter((_, i) => words[i - 1] === `--${option}`);
    const labels = valuesOf('label'), from = valuesOf('character')[0]?.split('=');
    const row = Number(valuesOf('row')[0] ?? 0), isSum = root.op === 'weighted-matrix';
    const inputs = inputsOf(root).map(shown), poses = row === 0 ? [...inputs, root] : inputs;
    const results = Math.max(row, 1), first = poses.length - results;
    // Matrices cannot be summed again: their own weights are set.
    const weights = poses.map((_, i) => (isSum ? root.inputs[i]?.weight.param : `figure_${i}`));
    const graph = isSum ? root
        : { op: 'weighted', inputs: poses.map((pose, i) => ({ weight: { param: weights[i] }, pose })) };
    const script = poses.flatMap((_, i) => weights.filter(Boolean)
        .map((weight, k) => `0 set ${weight} ${Number(i === k)} ${i}`));
    return {
        graph,
        script: isSum ? script.slice(0, -root.inputs.length) : script,
        page: {
            id: `figures/${name}`,
            title: name,
            about: '',
            character: words[2]?.startsWith('--') === false ? words[2] : 'mannequin',
            ...(from && { from: { [from[0]]: from[1] } }),
            characters: poses.length,
            frames: 1,
            results,
            // Sliders change numbers that labels have; positions of inputs stay.
            labels: poses.map((pose, i) => (pose === root ? root.op : labels[i] ?? pose.clip ?? pose.op))
                .map((label, i) => (i < first && !sums.includes(root.op) ? label : label.replace(/, [\d.]+.*$/, ''))),
            ...(cameras[name] && { camera: cameras[name] }),
            ...(Array.isArray(root.target) && { targets: [root.target.map(part => part.param ?? part)] }),
        },
    };
}

mkdirSync(folder, { recursive: true });
const pages = [];
for (const [, line] of lines) {
    const words = line.match(/"[^"]*"|\S+/g).map(word => word.replaceAll('"', ''));
    if (!words.includes('--pose')) {
        const { graph, script, page } = figure(words[0], words);
        writeFileSync(`${folder}/${words[0]}.json`, JSON.stringify(graph));
        writeFileSync(`${folder}/${words[0]}.script`, `${script.join('\n')}\n`);
        pages.push(page);
    }
}
writeFileSync(`${folder}.json`, `[\n${pages.map(page => JSON.stringify(page)).join(',\n')}\n]\n`);
