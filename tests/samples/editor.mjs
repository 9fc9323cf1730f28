// Uses the editor in Chromium as visitors do: opens each page of the playground and every box in it, builds the jump
// machine by mouse and by keyboard, drops files, saves a pack, edits a served file, and looks for controls without a
// name.
//
//   node editor.mjs SITE_FOLDER LIMBER      SITE_FOLDER is where samples/playground/build.sh has built; LIMBER is the
//                                           native command, which plays what the editor saves
import { deepEqual } from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { cpus, tmpdir } from 'node:os';
import { extname, join, normalize, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

import { isolating } from '../web/browser.mjs';

const [folder, limber] = process.argv.slice(2).map(path => resolve(path));
const { chromium } = createRequire(join(folder, 'package.json'))('playwright-core');
const source = new URL('../../samples/', import.meta.url);
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };

const server = createServer((request, response) => {
    const path = join(folder, 'dist', normalize(decodeURIComponent(request.url.split('?')[0])));
    const isThere = existsSync(path);
    const type = types[extname(path)] ?? 'application/octet-stream';
    response.writeHead(isThere ? 200 : 404, { 'Content-Type': type, ...isolating });
    response.end(isThere ? readFileSync(path) : undefined);
}).listen(0, '127.0.0.1');
await new Promise(listening => server.on('listening', listening));
const browser = await chromium.launch({
    executablePath: execFileSync('sh', ['-c', 'command -v "${CHROMIUM:-chromium}"'], { encoding: 'utf8' }).trim(),
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
});

let failed = 0;
const expect = (holds, what) => {
    console.log(`${holds ? 'ok    ' : 'FAILED'} ${what}`);
    failed += !holds;
};

const open = query => openPage(`http://127.0.0.1:${server.address().port}/editor.html${query}`);

async function openPage(address) {
    const page = await browser.newPage({ viewport: { width: 1500, height: 900 } });
    page.setDefaultTimeout(60000);
    page.on('pageerror', error => expect(false, `${address}: ${error.stack}`));
    page.on('dialog', dialog => dialog.accept());
    await page.goto(address);
    await page.waitForSelector('.react-flow__node');
    await page.waitForFunction(() => document.querySelector('.timeline output')?.textContent !== '-0.02 s');
    return page;
}

const mistakes = page => page.textContent('#mistakes h2');

async function textOf(page) {
    await page.click('button:text-is("Text")');
    const text = await page.inputValue('#text');
    await page.click('button:text-is("Text")');
    return text;
}

// Roles of controls, which a screen reader has to name.
const controls = ['button', 'textbox', 'searchbox', 'spinbutton', 'slider', 'combobox', 'checkbox', 'link', 'listbox',
    'option', 'meter', 'switch', 'radio'];

async function nameless(page) {
    const session = await page.context().newCDPSession(page);
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    return nodes.filter(({ ignored, role, name }) => !ignored && controls.includes(role?.value) && !name?.value)
        .map(({ role, properties }) => `${role.value} ${JSON.stringify(properties)}`);
}

async function everyPage() {
    const pages = JSON.parse(readFileSync(new URL('playground/pages.json', source), 'utf8'));
    for (const { id } of pages) {
        const page = await open(`?page=${id}`);
        const boxes = await page.locator('.react-flow__node').count();
        const unnamed = new Set(await nameless(page));
        for (let i = 0; i < boxes; i++) {
            await page.locator('.react-flow__node').nth(i).dispatchEvent('click');
            (await nameless(page)).forEach(control => unnamed.add(control));
        }
        const found = await mistakes(page);
        expect(!/mistake/.test(found) || found === 'No mistakes', `${id}: ${boxes} boxes, ${found}`);
        expect(unnamed.size === 0, `${id}: controls without a name: ${[...unnamed].join('; ') || 'none'}`);
        await page.close();
    }
}

// ---- The jump machine is built from its first state: a tap hops from halfway down, who holds crouches and leaps.

const FIRST = `{"op": "machine", "name": "jump", "states": [
  {"name": "stand", "pose": {"op": "clip", "clip": "stand"}}]}
`;
const TRANSITIONS = [
    ['stand', 'stand2crouch', 'JUMP_PRESS'], ['stand2crouch', 'hop', 'JUMP_RELEASE'], ['stand2crouch', 'crouch'],
    ['crouch', 'takeoff', 'JUMP_RELEASE'], ['takeoff', 'float'], ['hop', 'float'], ['float', 'land', 'NEAR_GROUND'],
    ['land', 'stand'],
];
const STATES = [...new Set(TRANSITIONS.map(([from]) => from))];
const DRAWN = {
    op: 'machine', name: 'jump', states: STATES.map(name => ({
        name, pose: { op: 'clip', clip: name },
        transitions: TRANSITIONS.filter(([from]) => from === name)
            .map(([, to, event]) => (event ? { to, event } : { to, end: true })),
    })),
};
const state = name => `.react-flow__node:has(header strong:text-is("${name}"))`;
const scriptOf = name => fileURLToPath(new URL(`jump/${name}.txt`, source));

// The frames in which the state changes, and to which one.
function changesOf(graph, script) {
    const lines = execFileSync(limber, ['play', 'mannequin', '--graph', graph, '--script', script, '--frames', '200',
        '--changes'], { encoding: 'utf8' }).trim().split('\n');
    return lines.map(line => /^ *(\d+) .*?jump:(\S+)/.exec(line)).map(([, frame, name]) => [Number(frame), name]);
}

async function seek(page, frame) {
    await page.getByLabel('Time', { exact: true }).fill(String(frame));
    const shown = `${(frame / 60).toFixed(2)} s`;
    await page.waitForFunction(shown => document.querySelector('.timeline output').textContent === shown, shown);
}

const isIn = (page, name) => page.waitForSelector(`.why summary:text-is("jump: ${name}")`);

// What was drawn is the machine, the command plays what was saved as the page does, and undo gives the first bytes.
async function checkDrawn(page, how) {
    const text = await textOf(page), scratch = mkdtempSync(join(tmpdir(), 'limber-editor-'));
    try {
        deepEqual(JSON.parse(text), DRAWN);
        expect(true, `${how}: the machine that was drawn`);
    } catch (error) {
        expect(false, `${how}: ${error.message}`);
    }
    expect(await mistakes(page) === 'No mistakes', `${how}: ${await mistakes(page)}`);
    const longest = Math.max(...text.split('\n').map(line => line.length));
    expect(longest <= 120, `${how}: the longest line has ${longest} characters`);
    const saved = join(scratch, 'graph.json'), lecture = fileURLToPath(new URL('playground/pages/jump.json', source));
    writeFileSync(saved, text);
    for (const name of ['tap', 'hold']) {
        const changes = changesOf(saved, scriptOf(name)), names = changes.map(([, name]) => name);
        const same = isDeepStrictEqual(names, changesOf(lecture, scriptOf(name)).map(([, name]) => name));
        expect(same, `${how}: ${name}: ${names.join(', ')}`);
        await page.setInputFiles('input[aria-label="Load a script"]', scriptOf(name));
        for (const [i, [frame, name]] of changes.entries()) {
            i > 0 && await seek(page, frame - 1).then(() => isIn(page, changes[i - 1][1]));
            await seek(page, frame);
            await isIn(page, name);
        }
        expect(true, `${how}: ${name}: the page changes states in the frames in which the command does`);
    }
    rmSync(scratch, { recursive: true });
    while (await page.getAttribute('button:text-is("Undo")', 'title') !== 'Undo: open first.json') {
        await page.click('button:text-is("Undo")');
    }
    expect(await textOf(page) === FIRST, `${how}: undo gives the first bytes`);
}

async function openText(page, text) {
    await page.setInputFiles('input[aria-label^="Open graphs"]',
        { name: 'first.json', mimeType: 'application/json', buffer: Buffer.from(text) });
}

// Opens a machine with one state, and a time line whose events lists offer.
async function openFirst() {
    const page = await open('');
    await openText(page, FIRST);
    await page.waitForFunction(() => document.querySelectorAll('.box.state').length === 1);
    await page.setInputFiles('input[aria-label="Load a script"]', scriptOf('tap'));
    return page;
}

// Waits until the boxes have been in the same places for half a second and ten pictures.
const settle = page => page.evaluate(() => new Promise(resolve => {
    const places = () => [...document.querySelectorAll('.react-flow__node')].map(node => {
        const { x, y, width } = node.getBoundingClientRect();
        return [x, y, width];
    }).join();
    let before, since, pictures;
    const look = now => {
        const found = places();
        pictures = found === before ? pictures + 1 : 0;
        since = found === before ? since : now;
        before = found;
        pictures >= 10 && now - since >= 500 ? resolve() : requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}));

const field = (page, name) => page.locator('#panel').getByRole('combobox', { name, exact: true });

async function drawTransition(page, from, to) {
    await settle(page);
    const a = await page.locator(state(from)).boundingBox(), b = await page.locator(state(to)).boundingBox();
    await page.mouse.move(a.x + a.width - 2, a.y + a.height / 2);
    await page.mouse.down();
    await page.mouse.move(b.x + b.width / 2, b.y + b.height / 2, { steps: 5 });
    await page.mouse.up();
    await page.waitForSelector(`#panel h2:text-is("From ${from} to ${to}")`);
}

async function byMouse() {
    const page = await openFirst(), choose = async (list, name) => {
        await list.click();
        await list.locator('..').locator(`[role=option]:has(span:text-is("${name}"))`).click();
    };
    for (const name of STATES.slice(1)) {
        await page.click('button:text-is("Add")');
        await page.click(`dialog [role=option]:has(span:text-is("clip ${name}"))`);
        await page.waitForSelector(state(name));
    }
    await page.click('button:text-is("Arrange")');
    await page.click('.react-flow__controls-fitview');
    await settle(page);
    for (const [from, to, event] of TRANSITIONS) {
        await drawTransition(page, from, to);
        if (event) {
            await choose(field(page, 'Add a field'), 'event');
            await choose(field(page, 'event'), event);
        }
    }
    await checkDrawn(page, 'by mouse');
    await page.close();
}

async function byKeyboard() {
    const page = await openFirst(), press = key => page.keyboard.press(key);
    const type = async (list, text) => {
        await list.focus();
        await press('Control+a');
        await page.keyboard.type(text);
        await press('Enter');
    };
    for (const name of STATES.slice(1)) {
        await page.locator(state('stand')).focus();
        await press('a');
        await page.waitForSelector('dialog[open] input:focus');
        await page.keyboard.type(`clip ${name}`);
        await press('Enter');
        await page.waitForSelector(`#panel h2:text-is("State ${name}")`);
    }
    for (const [from, to, event] of TRANSITIONS) {
        await page.locator(state(from)).focus();
        await press('Enter');
        await page.waitForSelector(`#panel h2:text-is("State ${from}")`);
        await type(field(page, 'Add a transition to'), to);
        await page.waitForSelector(`#panel h2:text-is("From ${from} to ${to}")`);
        if (event) {
            await type(field(page, 'Add a field'), 'event');
            await type(field(page, 'event'), event);
        }
    }
    await checkDrawn(page, 'by keyboard');
    await page.close();
}

// ---- Edits while it runs, and files that are dropped.

async function edits() {
    const page = await open('?page=jump'), time = () => page.textContent('.timeline output');
    await seek(page, 70);
    await isIn(page, 'float');
    const frames = () => page.locator('.timeline input[type=range]').getAttribute('max'), before = await frames();
    await page.click('.react-flow__pane', { position: { x: 20, y: 20 } });
    await page.locator('#panel').getByRole('spinbutton', { name: 'fade', exact: true }).fill('0.3');
    await page.waitForFunction(() => document.querySelector('.box.state')?.textContent);
    await isIn(page, 'float');
    expect(await time() === '1.17 s' && before === await frames(),
        'a number that changes keeps the state and the time line');
    // A clip that the list of what may be added points at is shown, and then again what was shown before.
    const picture = async () => (await page.locator('#running canvas').screenshot()).toString('base64');
    const stands = await picture();
    await page.click('button:text-is("Add")');
    await page.hover('dialog [role=option]:has(span:text-is("clip wave"))');
    await page.waitForTimeout(500);
    const waves = await picture();
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog', { state: 'detached' });
    await page.waitForTimeout(500);
    expect(stands !== waves && stands === await picture(), 'a clip is shown while it is pointed at');
    // A name that another state has is refused, and the message says so.
    await page.locator(state('hop')).dispatchEvent('click');
    await field(page, 'name').fill('stand');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#said:text-is("Another state is called stand.")');
    expect(await page.locator(state('hop')).count() === 1, 'a name that another state has is refused');
    // A text that is broken for a while, in the view of a machine.
    await page.click('button:text-is("Text")');
    await page.locator('#text').press('Control+End');
    await page.locator('#text').press('Backspace');
    await page.locator('#text').press('Backspace');
    await page.waitForSelector('#mistakes h2:text-is("1 mistake")');
    await page.keyboard.type('}');
    await page.waitForSelector('#mistakes h2:text-is("No mistakes")');
    expect(true, 'a broken text is mended');
    await page.close();
}

async function drop(page, name, bytes) {
    const data = await page.evaluateHandle(([name, text]) => {
        const data = new DataTransfer();
        data.items.add(new File([Uint8Array.from(atob(text), c => c.charCodeAt(0))], name));
        return data;
    }, [name, bytes.toString('base64')]);
    await page.dispatchEvent('#layout', 'drop', { dataTransfer: data });
}

// Drops a character, a graph for it, and where its boxes are.
async function files() {
    const page = await open(''), assets = process.env.LIMBER_ASSETS, fox = assets && join(assets, 'Fox.glb');
    const file = fox && existsSync(fox) ? fox : fileURLToPath(new URL('hello.gltf', source));
    const clip = file === fox ? 'Run' : 'bend';
    await drop(page, file.replace(/.*\//, ''), readFileSync(file));
    await page.waitForFunction(() => /mistake/.test(document.querySelector('#mistakes h2').textContent));
    await drop(page, 'dropped.json', Buffer.from(`{"op": "clip", "clip": "${clip}", "play": true}\n`));
    await page.waitForSelector('#mistakes h2:text-is("No mistakes")');
    await page.waitForSelector(`.box:has-text("${clip}")`);
    const weights = await page.waitForSelector(`[aria-label="What plays"] td:text-is("${clip}")`);
    expect(weights, `${file.replace(/.*\//, '')} is dropped and plays`);
    await drop(page, 'dropped.positions.json', Buffer.from('{"#": [700, 300]}'));
    await page.waitForSelector('.react-flow__node[style*="translate(700px, 300px)"]');
    expect(true, 'positions are taken from a file');
    await page.close();
}

// Opens the compact text of a machine, and saves a pack that the command plays in the same way.
async function machineAndPack() {
    const page = await open(''), text = fileURLToPath(new URL('jump/jump.txt', source));
    await drop(page, 'jump.txt', readFileSync(text));
    await page.waitForSelector(state('stand2crouch'));
    expect(await mistakes(page) === 'No mistakes', `the text of a machine: ${await mistakes(page)}`);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('button:text-is("Save pack")')]);
    const scratch = mkdtempSync(join(tmpdir(), 'limber-editor-')), pack = join(scratch, download.suggestedFilename());
    await download.saveAs(pack);
    const play = (...of) => execFileSync(limber, ['play', ...of, '--script', scriptOf('hold'), '--frames', '200',
        '--changes'], { encoding: 'utf8' });
    expect(play(pack, '--graph', 'jump') === play('mannequin', '--machine', text), 'a pack that is saved plays alike');
    rmSync(scratch, { recursive: true });
    await page.close();
}

// A link opens what it was made from, with the characters of its page.
async function link() {
    const page = await open('?page=child'), text = await textOf(page);
    await page.click('button:text-is("Link")');
    await page.waitForSelector('#said:text-is("The address holds the graph.")');
    const linked = await openPage(page.url());
    expect(await mistakes(linked) === 'No mistakes' && await textOf(linked) === text, 'a link opens the same graph');
    await page.close();
    await linked.close();
}

// Edits a file by `limber serve`, while another program changes it, and another file is opened meanwhile.
async function served() {
    const scratch = mkdtempSync(join(tmpdir(), 'limber-editor-')), graph = join(scratch, 'graph.json');
    const write = clip => writeFileSync(graph, `{"op": "clip", "clip": "${clip}", "play": true}\n`);
    write('walk');
    const serve = spawn(limber, ['serve', 'mannequin', '--graph', graph, '--site', join(folder, 'dist')]);
    const address = await new Promise(resolve => serve.stdout.once('data', data => resolve(String(data).trim())));
    const page = await openPage(address), shows = clip => page.waitForSelector(`.box:has-text("${clip}")`);
    await shows('walk');
    expect(await page.evaluate(() => performance.getEntriesByType('resource')
        .some(({ name }) => name.includes('limber-threads'))) === cpus().length > 1, 'served pages have threads');
    write('run');
    await shows('run');
    expect(true, 'what another program saves is shown');
    await openText(page, '{"op": "clip", "clip": "wave", "play": true}\n');
    await shows('wave');
    await page.click('button:text-is("Undo")');
    await shows('run');
    await page.locator('.react-flow__node:has-text("run")').dispatchEvent('click');
    await field(page, 'clip').fill('jump');
    await page.keyboard.press('Enter');
    await page.click('button:text-is("Save")');
    await page.waitForSelector('#said:text-is("Saved.")');
    expect(readFileSync(graph, 'utf8').includes('"jump"'), 'a file is saved, after another one was opened');
    await page.close();
    serve.kill();
    rmSync(scratch, { recursive: true });
}

try {
    await everyPage();
    await byMouse();
    await byKeyboard();
    await edits();
    await files();
    await machineAndPack();
    await link();
    await served();
} catch (error) {
    expect(false, error.message);
}
await browser.close();
server.close();
process.exitCode = failed > 0 ? 1 : 0;
