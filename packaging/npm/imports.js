// Tells emscripten which functions index.js gives to limber.wasm. They are not used.
mergeInto(LibraryManager.library, { read_file() {} });
