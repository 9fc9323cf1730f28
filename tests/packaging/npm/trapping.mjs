// A worker of the package whose stack ends below it, so that its first part of a step traps.
import './node_modules/limber-animation/worker.js';

const port = globalThis.process?.getBuiltinModule('node:worker_threads').parentPort ?? globalThis;
const start = port.onmessage;
port.onmessage = ({ data }) => start({ data: { ...data, stack: 16 } });
