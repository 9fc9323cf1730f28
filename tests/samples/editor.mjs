// Uses the editor in Chromium as visitors do: opens each page of the playground and every box in it, draws a machine
// by mouse and another by keyboard, and looks for controls without a name.
//
//   node editor.mjs SITE_FOLDER LIMBER      SITE_FOLDER is where samples/playground/build.sh has built; LIMBER is the
//                                           native command, which plays what the editor saves
import { deepEqual } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { extname, join, normalize, resolve } from 'node:path';

const [folder, limber] = process.argv.slice(2).map(path => resolve(path));
const { chromium } = createRequire(join(folder, 'package.json'))('playwright-core');
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };

const server = createServer((request, response) => {
    const path = join(folder, 'dist', normalize(decodeURIComponent(request.url.split('?')[0])));
    const isThere = existsSync(path);
    response.writeHead(isThere ? 200 : 404, { 'Content-Type': types[extname(path)] ?? 'application/octet-stream' });
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

async function open(query) {
    const page = await browser.newPage({ viewport: { width: 1500, height: 900 } });
    page.setDefaultTimeout(60000);
    page.on('pageerror', error => expect(false, `${query}: ${error.stack}`));
    page.on('dialog', dialog => dialog.accept());
    await page.goto(`http://127.0.0.1:${server.address().port}/editor.html${query}`);
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
    for (const id of ['s-curve', 'five-clips', 'jump', 'crowd', 'match']) {
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

// ---- A machine that is drawn: a state crouches on an event, and stands again at its end.

const FIRST = `{"op": "machine", "name": "body", "states": [
  {"name": "stand", "pose": {"op": "clip", "clip": "stand"}}]}
`;
const DRAWN = {
    op: 'machine', name: 'body', states: [
        { name: 'stand', pose: { op: 'clip', clip: 'stand' }, transitions: [{ to: 'crouch', event: 'DUCK' }] },
        { name: 'crouch', pose: { op: 'clip', clip: 'crouch' }, transitions: [{ to: 'stand', end: true }] },
    ],
};
const stand = '.react-flow__node:has-text("stand")', crouch = '.react-flow__node:has-text("crouch")';

async function checkDrawn(page, how) {
    const text = await textOf(page);
    try {
        deepEqual(JSON.parse(text), DRAWN);
        expect(true, `${how}: the machine that was drawn`);
    } catch (error) {
        expect(false, `${how}: ${error.message}`);
    }
    expect(await mistakes(page) === 'No mistakes', `${how}: ${await mistakes(page)}`);
    const scratch = mkdtempSync(join(tmpdir(), 'limber-editor-'));
    writeFileSync(join(scratch, 'graph.json'), text);
    writeFileSync(join(scratch, 'graph.script'), '0.5 send DUCK\n');
    const trace = execFileSync(limber, ['play', 'mannequin', '--graph', join(scratch, 'graph.json'), '--script',
        join(scratch, 'graph.script'), '--frames', '60'], { encoding: 'utf8' });
    rmSync(scratch, { recursive: true });
    expect(/crouch/.test(trace), `${how}: limber plays what was saved`);
    while (await page.isEnabled('button:text-is("Undo")')) {
        await page.click('button:text-is("Undo")');
    }
    expect(await textOf(page) === FIRST, `${how}: undo gives the first bytes`);
}

// Opens a machine with one state, from a file.
async function openFirst() {
    const page = await open('');
    await page.setInputFiles('input[aria-label^="Open graphs"]',
        { name: 'first.json', mimeType: 'application/json', buffer: Buffer.from(FIRST) });
    await page.waitForFunction(() => document.querySelectorAll('.box.state').length === 1);
    return page;
}

async function drawTransition(page, from, to) {
    const a = await page.locator(from).boundingBox(), b = await page.locator(to).boundingBox();
    await page.mouse.move(a.x + a.width - 2, a.y + a.height / 2);
    await page.mouse.down();
    await page.mouse.move(b.x + b.width / 2, b.y + b.height / 2, { steps: 5 });
    await page.mouse.up();
    await page.waitForSelector('#panel h2:has-text("From")');
}

async function byMouse() {
    const page = await openFirst();
    await page.click('button:text-is("Add")');
    await page.click('[role=option]:has(strong:text-is("clip crouch"))');
    await page.waitForSelector(crouch);
    await drawTransition(page, crouch, stand);
    await drawTransition(page, stand, crouch);
    await page.click('#panel >> role=combobox[name="Add a field"]');
    await page.click('#panel [role=option]:has-text("event")');
    await page.locator('#panel').getByRole('combobox', { name: 'event', exact: true }).fill('DUCK');
    await page.click('#panel >> role=button[name="Remove end"]');
    await checkDrawn(page, 'by mouse');
    await page.close();
}

async function byKeyboard() {
    const page = await openFirst(), press = (...keys) => keys.reduce(
        (before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
    await page.locator(stand).focus();
    await press('a');
    await page.waitForSelector('dialog[open]');
    await page.keyboard.type('clip crouch');
    await press('Enter');
    await page.waitForSelector('#panel h2:text-is("State crouch")');
    await page.getByLabel('Add a transition to').focus();
    await page.keyboard.type('stand');
    await press('Enter');
    await page.waitForSelector('#panel h2:text-is("From crouch to stand")');
    await page.locator(stand).focus();
    await press('Enter');
    await page.waitForSelector('#panel h2:text-is("State stand")');
    await page.getByLabel('Add a transition to').focus();
    await page.keyboard.type('crouch');
    await press('Enter');
    await page.waitForSelector('#panel h2:text-is("From stand to crouch")');
    await page.locator('#panel').getByRole('combobox', { name: 'Add a field' }).focus();
    await page.keyboard.type('event');
    await press('ArrowDown', 'Enter');
    await page.locator('#panel').getByRole('combobox', { name: 'event', exact: true }).focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('DUCK');
    await page.locator('#panel').getByRole('button', { name: 'Remove end' }).focus();
    await press('Enter');
    await checkDrawn(page, 'by keyboard');
    await page.close();
}

try {
    await everyPage();
    await byMouse();
    await byKeyboard();
} catch (error) {
    expect(false, error.message);
}
await browser.close();
server.close();
process.exitCode = failed > 0 ? 1 : 0;
