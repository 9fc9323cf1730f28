// Runs a program for WebAssembly in Chromium without a display, and prints what it prints. Exits with its status.
//
//   node program.mjs PROGRAM.js [ARGUMENT...]     the .wasm file is beside it
//
// The program has the variables LIMBER_* of the environment. After an hour it is stopped.
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { show } from './browser.mjs';

const [program, ...options] = process.argv.slice(2);
const name = basename(program, '.js');
const environment = Object.fromEntries(Object.entries(process.env).filter(([key]) => key.startsWith('LIMBER_')));
const { status, text } = await show({
    body: `<script>
var Module = {arguments: ${JSON.stringify(options)}, environment: ${JSON.stringify(environment)},
    print: line => lines.push(line), printErr: line => lines.push(line), onExit: end};
</script><script src="${name}.js" onerror="end(3)"></script>`,
    find(file) {
        const path = join(dirname(program), file);
        return [`${name}.js`, `${name}.wasm`].includes(file) && existsSync(path) ? readFileSync(path) : undefined;
    },
    seconds: 3600,
});
process.stdout.write(text);
process.exitCode = status;
