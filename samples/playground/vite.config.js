// build.sh puts the npm package into `package` beside this file, and the data of the pages into public/data.
import { fileURLToPath } from 'node:url';

export default {
    base: './',
    resolve: { alias: { 'limber-animation': fileURLToPath(new URL('./package/index.js', import.meta.url)) } },
    build: { target: 'es2022', assetsInlineLimit: 0, chunkSizeWarningLimit: 1000 },
};
