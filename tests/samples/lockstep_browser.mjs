// Runs samples/lockstep as WebAssembly in Chromium without a display, and prints what it prints. Exits with its status.
//
//   node lockstep_browser.mjs FOLDER [OPTION...]     FOLDER has limber-lockstep.js and .wasm
//
// A server in this process gives Chromium the page and the program, and gets the output when the program ends. CHROMIUM
// in the environment names another browser of its kind. After an hour it gives up.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [folder, ...options] = process.argv.slice(2);
const profile = mkdtempSync(join(tmpdir(), 'lockstep-'));
const page = `<!doctype html><meta charset="utf-8"><title>lockstep</title><script>
const lines = [];
const end = status => fetch('/end', {method: 'POST', body: JSON.stringify({status, lines})});
addEventListener('error', event => { lines.push(event.message); end(3); });
addEventListener('unhandledrejection', event => { lines.push(String(event.reason)); end(3); });
var Module = {arguments: ${JSON.stringify(options)}, print: line => lines.push(line),
    printErr: line => lines.push(line), onExit: end};
</script><script src="limber-lockstep.js" onerror="end(3)"></script>`;
const types = { js: 'text/javascript', wasm: 'application/wasm' };
let browser;

function finish(status, text) {
    process.stdout.write(text);
    server.closeAllConnections?.();
    server.close();
    process.exitCode = status;
    clearTimeout(limit);
    try {
        process.kill(-browser.pid, 'SIGKILL'); // and its helpers
    } catch {
        // it has ended
    }
}

const server = createServer((request, response) => {
    const name = request.url.slice(1);
    if (request.method === 'POST') {
        let body = '';
        request.on('data', data => (body += data));
        request.on('end', () => {
            response.end();
            const result = JSON.parse(body);
            finish(result.status, result.lines.join('\n') + '\n');
        });
    } else if (name === '') {
        response.setHeader('Content-Type', 'text/html');
        response.end(page);
    } else if (/^limber-lockstep\.(js|wasm)$/.test(name) && existsSync(join(folder, name))) {
        response.setHeader('Content-Type', types[name.split('.')[1]]);
        response.end(readFileSync(join(folder, name)));
    } else {
        response.statusCode = 404;
        response.end();
    }
});
const limit = setTimeout(() => finish(4, 'the browser did not end in an hour\n'), 3600 * 1000);

server.listen(0, '127.0.0.1', () => {
    browser = spawn(process.env.CHROMIUM || 'chromium', ['--headless', '--no-first-run', '--disable-gpu',
        '--disable-extensions', '--remote-debugging-port=0', `--user-data-dir=${profile}`,
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), `http://127.0.0.1:${server.address().port}/`],
    { stdio: 'ignore', detached: true });
    browser.on('error', error => finish(5, `${error.message}\n`));
    browser.on('exit', () => {
        if (process.exitCode === undefined) {
            finish(5, 'the browser ended before the program\n');
        }
        try {
            rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
        } catch {
            // a helper still writes there
        }
    });
});
