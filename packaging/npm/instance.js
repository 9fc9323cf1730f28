// Makes an instance of limber.wasm or, with a memory, of limber-threads.wasm: for index.js, and for worker.js.

/** Returns the functions of a compiled module. `readFile` is what its import of that name calls. */
export async function instantiate(compiled, readFile, memory) {
    // The library reads no file and no clock, and exits never. What its C library imports for that fails (ENOSYS).
    const imports = { env: { memory }, limber: {} };
    for (const { module, name, kind } of WebAssembly.Module.imports(compiled)) {
        if (kind === 'function') {
            imports[module] ??= {};
            imports[module][name] = () => (module === 'env' ? -52 : 52);
        }
    }
    imports.limber.read_file = readFile;
    return (await WebAssembly.instantiate(compiled, imports)).exports;
}
