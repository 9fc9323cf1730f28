// The playground: a page for each entry of pages.ts, which the address names behind #. A page draws its graph, and
// shows its parameters as sliders, its events as buttons, weights, cost, JSON, and the hash of its script beside that
// of the native library. In a frame with the address ?test it sends hash and picture to the outer page, and stands
// still.
import { load } from 'limber-animation';
import type { Batch, Character, Graph } from 'limber-animation';
import { pages } from './pages.ts';
import type { Page } from './pages.ts';
import { play, readScript } from './script.ts';
import { View } from './view.ts';

const isTest = location.search.startsWith('?test');
const controls = document.getElementById('controls')!;

function fail(error: unknown): void {
    controls.replaceChildren(String(error));
    if (isTest) {
        parent.postMessage({ error: String(error) }, '*');
    }
}
addEventListener('error', event => fail(event.message));
addEventListener('unhandledrejection', event => fail(event.reason));

const limber = await load();
const character: Character = limber.open(await fetched('mannequin.lmb'));
const natives: Record<string, string> = JSON.parse(text(await fetched('native.json')));
const view = new View(document.getElementById('canvas') as HTMLCanvasElement, character);

async function fetched(name: string): Promise<ArrayBuffer> {
    const response = await fetch(`data/${name}`);
    if (!response.ok) {
        throw new Error(`${name}: ${response.status}`);
    }
    return response.arrayBuffer();
}

function text(bytes: ArrayBuffer): string {
    return new TextDecoder().decode(bytes);
}

type Tags = HTMLElementTagNameMap;
function add<Name extends keyof Tags>(parent: Element, name: Name, content = ''): Tags[Name] {
    const element = document.createElement(name);
    element.textContent = content;
    parent.append(element);
    return element;
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

function addSlider(batch: Batch, name: string, min: number, max: number): void {
    const label = add(controls, 'label', name);
    const slider = add(label, 'input'), value = add(label, 'output');
    Object.assign(slider, { type: 'range', min: String(min), max: String(max), step: String((max - min) / 200) });
    slider.value = String(batch.get(0, name));
    const show = () => (value.textContent = Number(slider.value).toFixed(2));
    show();
    slider.addEventListener('input', () => {
        batch.setAll(name, Number(slider.value));
        show();
    });
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

// Weights of states and of clips, which the function that it returns brings up to date.
function addWeights(batch: Batch): () => void {
    const table = add(controls, 'table');
    const rows: [HTMLMeterElement, HTMLTableCellElement, () => number][] = [];
    const addRow = (name: string, weight: () => number) => {
        const row = add(table, 'tr');
        add(row, 'td', name);
        const meter = add(add(row, 'td'), 'meter');
        meter.setAttribute('aria-label', `weight of ${name}`);
        rows.push([meter, add(row, 'td'), weight]);
    };
    let players: { weight: number }[] = [];
    batch.graph.machines.forEach(({ name, states }) => states.forEach((state, index) => (
        addRow(`${name}: ${state}`, () => batch.stateWeights(0, name)[index]))));
    batch.graph.players.forEach(({ clip }, index) => addRow(clip, () => players[index].weight));
    return () => {
        players = batch.players(0);
        for (const [meter, cell, weight] of rows) {
            const value = weight();
            meter.value = value;
            cell.textContent = value.toFixed(3);
        }
    };
}

// ---- Pages.

let stop = () => {};

// Plays the script in a batch of its own, and shows its hash. Returns it.
function check(graph: Graph, page: Page, script: string): string {
    const batch = graph.createBatch({ count: page.characters });
    play(batch, readScript(script), page.frames);
    const hash = hashOf(batch);
    batch.destroy();
    const same = hash === natives[page.id];
    const line = add(controls, 'p', `Hash of the script here ${hash}, by the native library ${natives[page.id]}: `);
    add(line, 'strong', same ? 'the same bits' : 'they differ');
    return hash;
}

async function open(page: Page): Promise<void> {
    stop();
    const json = text(await fetched(`${page.id}.json`)), script = text(await fetched(`${page.id}.script`));
    controls.replaceChildren();
    document.title = `${page.title} - Limber playground`;
    add(controls, 'h2', page.title);
    add(controls, 'p', page.about);
    const graph = character.createGraph(json);
    const batch = graph.createBatch({ count: page.characters });
    const lines = readScript(script);
    if (page.characters > 1 || isTest) {
        play(batch, lines, isTest ? page.frames : 1); // a crowd has its clips from the script
    }
    for (const { name, min, max, isWritten } of graph.parameters) {
        if (name !== '' && !isWritten && page.characters === 1) {
            addSlider(batch, name, Math.max(min, -10), Math.min(max, 10));
        }
    }
    addEvents(batch);
    const showWeights = addWeights(batch);
    const cost = add(controls, 'p');
    const hash = check(graph, page, script);
    const details = add(controls, 'details');
    add(details, 'summary', 'The graph as JSON');
    add(details, 'pre', json);
    view.show(batch, isTest ? Math.min(batch.count, 50) : batch.count); // a test may draw on the processor
    view.draw();
    if (isTest) {
        parent.postMessage({ id: page.id, hash, native: natives[page.id], picture: view.coarse() }, '*');
        return;
    }

    let before = performance.now(), spent = 0, frames = 0, seconds = 0;
    let running = true;
    stop = () => {
        running = false;
        batch.destroy();
        graph.destroy();
    };
    const frame = (now: number) => {
        if (!running) {
            return;
        }
        const step = Math.min((now - before) / 1000, 0.1);
        before = now;
        seconds += step;
        if (graph.parameters.some(({ name }) => name === 'time')) {
            batch.setAll('time', seconds);
        }
        const begin = performance.now();
        batch.step(Math.max(step, 0));
        spent += performance.now() - begin;
        if (++frames === 30) {
            const microseconds = 1000 * spent / frames / batch.count;
            cost.textContent = `${microseconds.toFixed(2)} microseconds a character, ${batch.path}`;
            spent = frames = 0;
        }
        showWeights();
        view.draw();
        requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
}

const links = pages.map(page => {
    const link = add(document.getElementById('pages')!, 'a', page.title);
    link.href = `#${page.id}`;
    return link;
});

function navigate(): void {
    const page = pages.find(({ id }) => `#${id}` === location.hash) ?? pages[0];
    links.forEach((link, index) => (link.ariaCurrent = pages[index] === page ? 'page' : null));
    open(page).catch(fail);
}
addEventListener('hashchange', navigate);
navigate();
