// Opens a page in Chromium without a display, and waits for what it reports.
//
//   const { status, text } = await show({ body, find, flags, headers, seconds })
//
// `body` is HTML. Its scripts push lines of text to `lines`, and call end(STATUS) once; an error that nothing catches
// ends with 3. `find(name)` returns the bytes of a file that the page asks for, or undefined. `flags` are further ones
// of Chromium, `headers` of all answers. CHROMIUM in the environment names another browser of its kind.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const types = {
    css: 'text/css',
    html: 'text/html',
    js: 'text/javascript',
    mjs: 'text/javascript',
    wasm: 'application/wasm',
};
const head = `<!doctype html><meta charset="utf-8"><title>test</title><script>
const lines = [];
const end = status => fetch('/end', {method: 'POST', body: JSON.stringify({status, lines})});
addEventListener('error', event => { lines.push(event.message); end(3); });
addEventListener('unhandledrejection', event => { lines.push(String(event.reason)); end(3); });
</script>`;

// Headers that isolate a page, which then may have threads.
export const isolating = {
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Embedder-Policy': 'require-corp',
};

export function show({ body, find, flags = ['--disable-gpu'], headers = {}, seconds = 600 }) {
    return new Promise(resolve => {
        const profile = mkdtempSync(join(tmpdir(), 'limber-page-'));
        let browser;
        let result;
        const finish = (status, text) => {
            if (result !== undefined) {
                return;
            }
            result = { status, text };
            clearTimeout(limit);
            server.closeAllConnections?.();
            server.close();
            try {
                process.kill(-browser.pid, 'SIGKILL'); // and its helpers
            } catch {
                ended(); // it has ended
            }
        };
        const ended = () => {
            finish(5, 'the browser ended before the page\n');
            try {
                rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
            } catch {
                // a helper still writes there
            }
            resolve(result);
        };
        const server = createServer((request, response) => {
            const name = decodeURIComponent(request.url.slice(1).split('?')[0]);
            if (request.method === 'POST') {
                const parts = [];
                request.on('data', part => parts.push(part));
                request.on('end', () => {
                    response.end();
                    const { status, lines } = JSON.parse(Buffer.concat(parts).toString());
                    finish(status, lines.map(line => `${line}\n`).join(''));
                });
                return;
            }
            const bytes = name === '' ? head + body : find(name);
            const type = types[name === '' ? 'html' : name.split('.').pop()];
            response.writeHead(bytes === undefined ? 404 : 200, {
                'Content-Type': type ?? 'application/octet-stream', ...headers });
            response.end(bytes);
        });
        const limit = setTimeout(() => finish(4, `the page did not end in ${seconds} seconds\n`), seconds * 1000);
        server.listen(0, '127.0.0.1', () => {
            browser = spawn(process.env.CHROMIUM || 'chromium', ['--headless', '--no-first-run', ...flags,
                '--disable-extensions', '--remote-debugging-port=0', `--user-data-dir=${profile}`,
                ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), `http://127.0.0.1:${server.address().port}/`],
            { stdio: 'ignore', detached: true });
            browser.on('error', error => finish(5, `${error.message}\n`));
            browser.on('exit', ended);
        });
    });
}
