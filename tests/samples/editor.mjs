// Uses the editor in Chromium as visitors do: opens each page of the playground and every box in it, draws a machine
// by mouse and another by keyboard, and looks for controls without a name.
//
//   node editor.mjs SITE_FOLDER LIMBER      SITE_FOLDER is where samples/playground/build.sh has built; LIMBER is the
//                                           native command, which plays what the editor saves
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

await everyPage();
await browser.close();
server.close();
process.exitCode = failed > 0 ? 1 : 0;
