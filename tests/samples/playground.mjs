// Opens each page of the playground in Chromium. Its hash must be that of the native library, and its picture that of
// playground.json, coarsely: how much of each cell of a grid is covered, from 0 to 99. Then opens two pages as they are
// for visitors: that of inverse kinematics, where a target is dragged, and that of motion matching, where a crowd walks
// and a character obeys arrow keys. The pages are isolated, so that they have threads.
//
//   node playground.mjs DIST [--update]     DIST is the site that samples/playground/build.sh has built
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, normalize } from 'node:path';

import { isolating, show } from '../web/browser.mjs';

const [site, update] = process.argv.slice(2);
const file = new URL('playground.json', import.meta.url);
const natives = JSON.parse(readFileSync(join(site, 'data/native.json'), 'utf8'));
const { status, text } = await show({
    body: `<body><script>
const ids = ${JSON.stringify(Object.keys(natives))};
const frame = document.createElement('iframe');
Object.assign(frame.style, {width: '800px', height: '600px'});
const next = () => ids.length > 0 ? frame.contentWindow.location.hash = ids.shift() : live();
addEventListener('message', ({data}) => { lines.push(JSON.stringify(data)); data.error ? end(1) : next(); });
document.body.append(frame);
frame.src = 'site/index.html?test#' + ids.shift();

const holds = async (what, test) => {
    const until = performance.now() + 60000;
    while (!test()) {
        if (performance.now() > until) {
            throw new Error('not so within a minute: ' + what + ': ' + frame.contentDocument.body.innerText);
        }
        await new Promise(resolve => setTimeout(resolve, 50));
    }
};
const find = query => frame.contentDocument.querySelector(query);
const speed = what => Number(RegExp(what + ' ([0-9.]+) m/s').exec(find('#controls').innerText)?.[1]);
const press = (type, key) => frame.contentWindow.dispatchEvent(
    new frame.contentWindow.KeyboardEvent(type, { key, cancelable: true }));
const alphas = () => {
    const context = new OffscreenCanvas(80, 45).getContext('2d');
    context.drawImage(find('canvas'), 0, 0, 80, 45);
    return context.getImageData(0, 0, 80, 45).data.filter((_, i) => i % 4 === 3);
};
const sliderOf = name => [...frame.contentDocument.querySelectorAll('label')]
    .find(label => label.firstChild.data === name)?.querySelector('input');
async function drag() {
    frame.src = 'site/index.html?#reach';
    await new Promise(resolve => frame.addEventListener('load', resolve, { once: true }));
    await holds('a target', () => find('.target')?.style.translate);
    const [x, y] = find('.target').style.translate.split(' ').map(parseFloat);
    const { top } = find('canvas').getBoundingClientRect(), before = Number(sliderOf('hand_y').value);
    find('.target').hasPointerCapture = () => true; // no pointer is down that could be captured
    find('.target').dispatchEvent(new PointerEvent('pointermove', { clientX: x, clientY: top + y + 40 }));
    const now = () => parseFloat(find('.target').style.translate.split(' ')[1]);
    await holds('a circle that follows', () => Math.abs(now() - y - 40) < 3);
    lines.push(JSON.stringify({ dragged: Number(sliderOf('hand_y').value) - before }));
}
async function drop() {
    const data = new DataTransfer();
    data.items.add(new File([await (await fetch('complete.glb')).blob()], 'complete.glb'));
    frame.contentWindow.dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true }));
    await holds('a dropped file', () => find('h2')?.textContent === 'complete.glb' && find('td')?.textContent === 'Walk');
    await holds('a clip that plays', () => find('meter[aria-label="weight of Walk"]').value === 1);
}
const loaded = name => frame.contentWindow.performance.getEntriesByType('resource')
    .some(each => each.name.includes(name));
async function live() {
    await holds('threads', () => navigator.hardwareConcurrency === 1 || loaded('limber-threads'));
    await drag();
    await drop();
    frame.src = 'site/index.html?characters=5#match';
    await new Promise(resolve => frame.addEventListener('load', resolve, { once: true }));
    await holds('a page that runs', () => find('.stick') && speed('moves at') === 0);
    const slider = find('input[type=range]');
    slider.value = 6;
    slider.dispatchEvent(new Event('input'));
    slider.dispatchEvent(new Event('change'));
    await holds('another number', () => find('output').textContent === '6');
    const before = alphas();
    const changed = () => alphas().filter((alpha, i) => Math.abs(alpha - before[i]) > 60).length;
    await holds('a crowd that walks', () => changed() > 30);
    press('keydown', 'ArrowLeft');
    await holds('a walk', () => speed('asks for') > 1.2 && speed('moves at') > 1);
    const label = find('.stick').getAttribute('aria-valuetext');
    press('keyup', 'ArrowLeft');
    await holds('a stop', () => speed('asks for') === 0 && speed('moves at') < 0.5);
    lines.push(JSON.stringify({ live: label }));
    end(0);
}
</script>`,
    find(name) {
        if (name === 'complete.glb') {
            return readFileSync(new URL('../corpus/import_fuzz/complete.glb', import.meta.url));
        }
        const path = join(site, normalize(name.replace(/^site\//, '')));
        return name.startsWith('site/') && !name.includes('..') && existsSync(path) ? readFileSync(path) : undefined;
    },
    flags: ['--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
    headers: isolating,
    seconds: 300,
});
if (status !== 0) {
    process.stdout.write(text);
    process.exit(1);
}
const lines = text.trim().split('\n').map(line => JSON.parse(line));
const results = lines.filter(({ id }) => id !== undefined);
if (update === '--update') {
    const rows = results.map(({ id, picture }) => `  ${JSON.stringify(id)}: ${JSON.stringify(picture)}`);
    writeFileSync(file, `{\n${rows.join(',\n')}\n}\n`);
}
const pictures = JSON.parse(readFileSync(file, 'utf8'));
let failed = 0;
for (const { id, hash, picture } of results) {
    const off = Math.max(...picture.map((cell, i) => Math.abs(cell - pictures[id][i])));
    const covered = picture.filter(cell => cell > 5).length;
    const good = hash === natives[id] && off <= 8 && covered >= 8;
    console.log(`${good ? 'ok    ' : 'FAILED'} ${id}: hash ${hash}, native ${natives[id]}; `
        + `of ${covered} covered cells, the worst is off by ${off}`);
    failed += !good;
}
const { dragged } = lines.find(line => line.dragged !== undefined);
const isDragged = dragged < -0.05 && dragged > -0.5;
console.log(`${isDragged ? 'ok    ' : 'FAILED'} a target that is dragged down: ${dragged.toFixed(3)} m`);
failed += !isDragged;
const { live } = lines.at(-1);
console.log(`${live === '42 %, 90 degrees to the left' ? 'ok    ' : 'FAILED'} a walk by arrow keys: ${live}`);
failed += live !== '42 %, 90 degrees to the left';
process.exitCode = failed > 0 ? 1 : 0;
