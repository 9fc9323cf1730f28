// Linked into each test for WebAssembly (--pre-js). Gives it the environment variables of node, or those that the page
// of program.mjs has.
Module['preRun'] = [].concat(Module['preRun'] || [], function () {
    if (typeof ENV === 'object') { // only programs that call getenv() have it
        Object.assign(ENV, Module['environment'] || (typeof process === 'object' ? process.env : {}));
    }
});
