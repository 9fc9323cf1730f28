// Runs consumer.mjs in Chromium, with the package that is installed in a folder, and prints what it prints.
//
//   node page.mjs FOLDER     with consumer.mjs, node_modules and the files that it reads
import { existsSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';

import { show } from '../../web/browser.mjs';

const [folder] = process.argv.slice(2);
const { status, text } = await show({
    body: `<script type="importmap">
{"imports": {"limber-animation": "/node_modules/limber-animation/index.js"}}
</script><script type="module">
import { consume } from '/consumer.mjs';
await consume(async name => (await fetch(name)).arrayBuffer(), line => lines.push(line));
end(0);
</script>`,
    find(name) {
        const path = join(folder, normalize(name));
        return !name.includes('..') && existsSync(path) ? readFileSync(path) : undefined;
    },
    seconds: 300,
});
process.stdout.write(text);
process.exitCode = status;
