// A thread of limber-threads.wasm. Its first message starts it; it says that it runs, or why not, and then waits inside
// the module for parts of steps until it is ended.
import { instantiate } from './instance.js';

const port = globalThis.process?.getBuiltinModule?.('node:worker_threads').parentPort ?? globalThis;

port.onmessage = async ({ data: { compiled, memory, thread, stack } }) => {
    let exports;
    try {
        // The memory is in use: only the instance of index.js runs constructors and calls malloc().
        exports = await instantiate(compiled, () => 0, memory);
        exports.stackRestore(stack);
    } catch (error) {
        port.postMessage({ problem: String(error) });
        return;
    }
    port.postMessage({});
    try {
        exports.threads_serve(thread);
    } catch (error) { // a trap
        exports.threads_trapped();
        throw error;
    }
};
