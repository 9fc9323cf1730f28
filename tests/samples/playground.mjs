// Opens each page of the playground in Chromium. Its hash must be that of the native library, and its picture that of
// playground.json, coarsely: how much of each cell of a grid is covered, from 0 to 99.
//
//   node playground.mjs DIST [--update]     DIST is the site that samples/playground/build.sh has built
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, normalize } from 'node:path';

import { show } from '../web/browser.mjs';

const [site, update] = process.argv.slice(2);
const file = new URL('playground.json', import.meta.url);
const natives = JSON.parse(readFileSync(join(site, 'data/native.json'), 'utf8'));
const { status, text } = await show({
    body: `<body><script>
const ids = ${JSON.stringify(Object.keys(natives))};
const frame = document.createElement('iframe');
Object.assign(frame.style, {width: '800px', height: '600px'});
const next = () => ids.length > 0 ? frame.src = 'site/index.html?test&' + ids.length + '#' + ids.shift() : end(0);
addEventListener('message', ({data}) => { lines.push(JSON.stringify(data)); data.error ? end(1) : next(); });
document.body.append(frame);
next();
</script>`,
    find(name) {
        const path = join(site, normalize(name.replace(/^site\//, '')));
        return name.startsWith('site/') && !name.includes('..') && existsSync(path) ? readFileSync(path) : undefined;
    },
    flags: ['--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
    seconds: 300,
});
if (status !== 0) {
    process.stdout.write(text);
    process.exit(1);
}
const results = text.trim().split('\n').map(line => JSON.parse(line));
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
process.exitCode = failed > 0 ? 1 : 0;
