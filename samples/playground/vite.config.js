// build.sh puts the npm package into `package` beside this file, and the data of the pages into public/data.
import { fileURLToPath } from 'node:url';

const path = name => fileURLToPath(new URL(name, import.meta.url));
// Pages share memory between threads only if they are isolated.
const headers = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

export default {
    base: './',
    resolve: { alias: { 'limber-animation': path('./package/index.js') } },
    esbuild: { jsx: 'automatic' },
    server: { headers },
    preview: { headers },
    build: {
        target: 'es2022',
        assetsInlineLimit: 0,
        chunkSizeWarningLimit: 1000,
        rollupOptions: {
            onwarn: (warning, warn) => warning.code !== 'MODULE_LEVEL_DIRECTIVE' && warn(warning),
            input: [path('./index.html'), path('./editor.html')],
        },
    },
};
