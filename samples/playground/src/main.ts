// The playground: a page for each entry of pages.json, which the address names behind #. A page draws its graph, and
// shows its parameters as sliders, its events as buttons, weights, cost, JSON, and the hash of its script beside that
// of the native library. In a frame with the address ?test it sends hash and picture to the outer page, and stands
// still. The address ?figure=NAME shows a figure of the manual in place of all that: see figures.mjs.
import type { Batch, Character, Graph } from 'limber-animation';
import { add, addMeter, addSlider } from './controls.ts';
import type { Move } from './controls.ts';
import { loadLimber } from './load.ts';
import { Matched, loadPedestrians } from './match.ts';
import { pages } from './pages.ts';
import type { Page } from './pages.ts';
import { play, readScript } from './script.ts';
import { View } from './view.ts';

const isTest = location.search.startsWith('?test');
const over = document.getElementById('over')!; // the picture
const controls = document.getElementById('controls')!;

function fail(error: unknown): void {
    controls.replaceChildren(String(error));
    if (isTest) {
        parent.postMessage({ error: String(error) }, '*');
    }
}
addEventListener('error', event => fail(event.message));
addEventListener('unhandledrejection', event => fail(event.reason));

const limber = await loadLimber();
const natives: Record<string, string> = JSON.parse(text(await fetched('native.json')));
const view = new View(document.getElementById('canvas') as HTMLCanvasElement);
const characters = new Map<string, Character>();

async function fetched(name: string): Promise<ArrayBuffer> {
    const response = await fetch(`data/${name}`);
    if (!response.ok) {
        throw new Error(`${name}: ${response.status}`);
    }
    return response.arrayBuffer();
}

async function characterNamed(name: string): Promise<Character> {
    const bytes = characters.has(name) ? undefined : await fetched(`${name}.lmb`);
    const character = characters.get(name) ?? limber.open(bytes!);
    characters.set(name, character);
    return character;
}

function text(bytes: ArrayBuffer): string {
    return new TextDecoder().decode(bytes);
}

// The hash that `limber play` prints for a frame: of states, emitted events and palettes.
function hashOf(batch: Batch): string {
    let hash = limber.hash(batch.states) * 31n + limber.hash(batch.emittedWords);
    const { palettes } = batch;
    for (const word of new Uint32Array(palettes.buffer, palettes.byteOffset, palettes.length)) {
        hash = BigInt.asUintN(64, hash * 31n + BigInt(word));
    }
    return BigInt.asUintN(64, hash).toString(16).padStart(16, '0');
}

// ---- Controls.

// A slider for each parameter of a single character, or of the results in a row. Returns what moves them, by name.
function addParameters(batch: Batch, { results = 1 }: Page): Map<unknown, Move> {
    const sliders = new Map<unknown, Move>();
    for (const { name, min, max, isWritten } of batch.graph.parameters) {
        if (name !== '' && name !== 'time' && !isWritten && batch.count < 20 && !name.startsWith('figure_')) {
            const low = Math.max(min, -10), high = Math.min(max, 10);
            sliders.set(name, addSlider(controls, name, { min: low, max: high, step: (high - low) / 200 },
                batch.get(batch.count - 1, name), 2, value => {
                    for (let i = batch.count - results; i < batch.count; i++) {
                        batch.set(i, name, value);
                    }
                }));
        }
    }
    return sliders;
}

// Circles in the picture that move the sliders of targets, and labels. Returns what puts them into their places.
function addTargets(batch: Batch, page: Page, sliders: Map<unknown, Move>): () => void {
    const last = batch.count - 1;
    const pins = (page.targets ?? []).map(target => {
        const circle = add(over, 'i');
        circle.className = 'target';
        const now = () => target.map(part => (typeof part === 'number' ? part : batch.get(last, part)));
        circle.addEventListener('pointerdown', event => circle.setPointerCapture(event.pointerId));
        circle.addEventListener('pointermove', event => {
            if (circle.hasPointerCapture(event.pointerId)) {
                const to = view.pointAt(event, last, now());
                target.forEach((part, axis) => sliders.get(part)?.(to[axis]));
            }
        });
        return () => view.pin(circle, last, now());
    });
    page.labels?.forEach((label, i) => {
        const text = add(over, 'b', label);
        pins.push(() => view.pin(text, i, [0, -0.06, 0]));
    });
    return () => pins.forEach(pin => pin());
}

function addEvents(batch: Batch): void {
    const row = add(controls, 'div');
    const press = batch.graph.events.find(name => name.endsWith('_PRESS'));
    const release = press?.replace(/_PRESS$/, '_RELEASE');
    const sendAll = (name: string) => {
        for (let i = 0; i < batch.count; i++) {
            batch.send(i, name);
        }
    };
    // A pair of events is one button that is held.
    if (press && release && batch.graph.events.includes(release)) {
        const button = add(row, 'button', `Hold or tap: ${press.replace(/_PRESS$/, '')}`);
        let held = false;
        const set = (holds: boolean) => {
            if (holds !== held) {
                held = holds;
                sendAll(holds ? press : release);
            }
        };
        button.addEventListener('pointerdown', event => {
            button.setPointerCapture(event.pointerId);
            set(true);
        });
        ['pointerup', 'pointercancel', 'blur'].forEach(name => button.addEventListener(name, () => set(false)));
        button.addEventListener('keydown', event => (event.key === ' ' || event.key === 'Enter') && set(true));
        button.addEventListener('keyup', () => set(false));
    }
    for (const name of batch.graph.events.filter(name => name !== press && name !== release)) {
        add(row, 'button', name).addEventListener('click', () => sendAll(name));
    }
}

// Weights of states and of clips, and how far the clips are, which the function that it returns brings up to date.
function addWeights(batch: Batch): () => void {
    const table = add(controls, 'table');
    const rows: [(value: number, text: string) => void, () => number, () => string][] = [];
    const addRow = (name: string, weight: () => number, text = () => '') => (
        rows.push([addMeter(table, name, `weight of ${name}`), weight, text]));
    let players: { weight: number; time: number }[] = [];
    batch.graph.machines.forEach(({ name, states }) => states.forEach((state, index) => (
        addRow(`${name}: ${state}`, () => batch.stateWeights(0, name)[index]))));
    batch.graph.players.forEach(({ clip, duration }, index) => addRow(clip, () => players[index].weight,
        () => `, at ${Math.round(100 * players[index].time / duration)} %`));
    return () => {
        players = batch.players(0);
        for (const [set, weight, text] of rows) {
            set(weight(), weight().toFixed(3) + text());
        }
    };
}

// ---- Pages.

let stop = () => {};
let opened = 0; // how often a page was

const CLOCK = 3600; // seconds after which clocks begin again
// Of the page "match". The address may ask for another number at first: ?characters=10.
const CROWD = { min: 1, max: 1000, step: 1 };
const FIRST_CROWD = Number(new URLSearchParams(location.search).get('characters')) || 200;

function create(graph: Graph, page: Page, count: number): Batch {
    return graph.createBatch({ count, ownTransforms: page.matches });
}

// Plays the script in a batch of its own, and shows its hash. Returns it.
function check(graph: Graph, page: Page, script: string): string {
    const batch = create(graph, page, page.characters);
    play(batch, readScript(script), page.frames, page.clock);
    const hash = hashOf(batch);
    batch.destroy();
    const same = hash === natives[page.id];
    const line = add(controls, 'p', `Hash of the script here ${hash}, by the native library ${natives[page.id]}: `);
    add(line, 'strong', same ? 'the same bits' : 'they differ');
    return hash;
}

// Steps and draws a batch in each frame, between what `ask` and `show` do, and shows what a step costs. Returns what
// ends that.
function animate(cost: Element, current: () => Batch, ask: (step: number) => void, show: (step: number) => void,
    end: () => void): () => void {
    let before = performance.now(), spent = 0, elapsed = 0, frames = 0, seconds = 0, running = true;
    const frame = (now: number) => {
        if (!running) {
            return;
        }
        const batch = current(), passed = Math.max((now - before) / 1000, 0), step = Math.min(passed, 0.1);
        before = now;
        seconds = (seconds + step) % CLOCK;
        if (batch.graph.parameters.some(({ name }) => name === 'time')) {
            batch.setAll('time', seconds);
        }
        ask(step);
        const begin = performance.now();
        batch.step(step);
        spent += performance.now() - begin;
        elapsed += passed;
        frames++;
        if (elapsed > 0.5) {
            const microseconds = 1000 * spent / frames / batch.count;
            cost.textContent = `${microseconds.toFixed(2)} microseconds a character, ${batch.path}; `
                + `${Number((frames / elapsed).toPrecision(2))} frames a second`;
            spent = elapsed = frames = 0;
        }
        show(step);
        view.draw();
        requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    return () => {
        running = false;
        end();
    };
}

// Opens a page, whose graph is given if it is none of the site.
async function open(page: Page, own?: string): Promise<void> {
    stop();
    stop = () => {};
    const number = ++opened;
    const [json, script] = own ? [own, ''] : (await Promise.all(
        [fetched(`${page.id}.json`), fetched(`${page.id}.script`)])).map(text);
    const pedestrians = page.matches ? await loadPedestrians(await fetched('pedestrians.wasm')) : undefined;
    const character = await characterNamed(page.character), sources: Record<string, Character> = {};
    for (const [name, source] of Object.entries(page.from ?? {})) {
        sources[name] = await characterNamed(source);
    }
    if (number !== opened) {
        return; // another page was opened meanwhile
    }
    controls.replaceChildren();
    over.replaceChildren();
    document.title = `${page.title} - Limber playground`;
    add(controls, 'h2', page.title);
    add(controls, 'p', page.about);
    // `limber play` gives every graph room for so many events, and hashes them.
    const graph = character.createGraph({ 'max-emitted-events': 32, ...JSON.parse(json) }, { characters: sources });
    let batch = create(graph, page, page.characters);
    const lines = readScript(script);
    if (page.characters > 1 || isTest) { // a crowd has its clips from the script
        play(batch, lines, isTest ? page.frames : 1, page.clock);
    }
    const matched = pedestrians && new Matched(view, controls, pedestrians);
    const moves = matched !== undefined || (batch.count === 1 && batch.motions.length > 0);
    const drawn = () => (isTest ? Math.min(batch.count, 50) : batch.count); // a test may draw on the processor
    const begin = (asked: number) => {
        const count = Math.min(Math.max(Math.round(asked), CROWD.min), CROWD.max);
        batch.destroy();
        batch = create(graph, page, count);
        matched?.begin(batch);
        view.show(character, batch, drawn(), true);
    };
    let show = (seconds: number) => matched?.show(batch, seconds);
    if (matched) {
        addSlider(controls, 'Characters', CROWD, FIRST_CROWD, 0, begin, 'change');
    } else {
        const sliders = addParameters(batch, page), showTargets = addTargets(batch, page, sliders);
        Object.entries(isTest ? {} : page.start ?? {}).forEach(([name, value]) => sliders.get(name)?.(value));
        addEvents(batch);
        const showWeights = addWeights(batch);
        show = () => {
            moves && view.follow(batch.motions[0], batch.motions[2]);
            showTargets();
            showWeights();
        };
    }
    const cost = add(controls, 'p');
    const hash = own ? '' : check(graph, page, script);
    if (!own) {
        add(add(controls, 'p'), 'a', 'Open in the editor').href = `editor.html?page=${page.id}`;
    }
    const details = add(controls, 'details');
    add(details, 'summary', 'The graph as JSON');
    add(details, 'pre', json);
    view.show(character, batch, drawn(), moves, page);
    if (isTest) {
        show(0);
        view.draw();
        parent.postMessage({ id: page.id, hash, native: natives[page.id], picture: view.coarse() }, '*');
        return;
    }
    if (matched) {
        begin(FIRST_CROWD);
    }

    stop = animate(cost, () => batch, (step: number) => matched?.ask(batch, step), show, () => {
        matched?.remove();
        batch.destroy();
        graph.destroy();
    });
}

const links = pages.map(page => {
    const link = add(document.getElementById('pages')!, 'a', page.title);
    link.href = `#${page.id}`;
    return link;
});

// A character that somebody drops: a slider goes through its clips.
const CLIPS = 32; // at most
async function openFile(file: File): Promise<void> {
    const character = limber.open(await file.arrayBuffer(), { name: file.name });
    const inputs = character.clips.slice(0, CLIPS)
        .map(({ name }, at) => ({ at, pose: { op: 'clip', clip: name, play: true } }));
    const at = { param: 'clip', default: 0, max: inputs.length - 1 };
    const graph = inputs.length > 1 ? { op: 'space1d', at, inputs } : inputs[0]?.pose ?? { op: 'rest' };
    characters.set(file.name, character);
    links.forEach(link => (link.ariaCurrent = null));
    await open({ id: '', title: file.name, about: 'Its clips, in their order: the slider blends two that are next to '
        + 'each other. The editor takes such files, too.', character: file.name, characters: 1, frames: 0 },
    JSON.stringify(graph, null, 1));
}
addEventListener('dragover', event => event.preventDefault());
addEventListener('drop', event => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    file && openFile(file).catch(fail);
});

function navigate(): void {
    const page = pages.find(({ id }) => `#${id}` === location.hash) ?? pages[0];
    links.forEach((link, index) => (link.ariaCurrent = pages[index] === page ? 'page' : null));
    links[pages.indexOf(page)].scrollIntoView({ block: 'nearest', inline: 'center' });
    open(page).catch(fail);
}
const figure = new URLSearchParams(location.search).get('figure');
if (figure) {
    const figures: Page[] = JSON.parse(text(await fetched('figures.json')));
    const page = figures.find(({ title }) => title === figure)!;
    document.body.className = 'figure';
    document.body.style.setProperty('--figures', String(page.characters));
    open(page).catch(fail);
} else {
    addEventListener('hashchange', navigate);
    navigate();
}
