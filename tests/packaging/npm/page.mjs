// Runs consumer.mjs in Chromium, with the package that is installed in a folder, and prints what it prints.
//
//   node page.mjs FOLDER THREADS     with consumer.mjs, node_modules and the files that it reads
//
// The page asks for three threads. It gets one, or three if they are asked for here: then it is isolated.
import { existsSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';

import { isolating, show } from '../../web/browser.mjs';

const [folder, threads] = process.argv.slice(2);
const { status, text } = await show({
    body: `<script type="importmap">
{"imports": {"limber-animation": "/node_modules/limber-animation/index.js"}}
</script><script type="module">
import { consume } from '/consumer.mjs';
await consume(async name => (await fetch(name)).arrayBuffer(), line => lines.push(line), 3, ${threads});
end(0);
</script>`,
    find(name) {
        const path = join(folder, normalize(name));
        return !name.includes('..') && existsSync(path) ? readFileSync(path) : undefined;
    },
    headers: threads > 1 ? isolating : {},
    seconds: 300,
});
process.stdout.write(text);
process.exitCode = status;
