// The worker's own code. client.js starts it after the loader (wasm_exec.js), which defines
// Go. README.md describes the messages.
"use strict";

const softkmeans = {
  receive: null, // the program's, once it is ready
  ready(receive) {
    softkmeans.receive = receive;
    postMessage({ kind: "ready" });
    setInterval(() => postMessage({ kind: "alive" }), 250); // tells client.js how often messages are read
  },
  // read returns bytes of a Blob, or null if they cannot be read.
  read(blob, from, to) {
    try {
      return new Uint8Array(new FileReaderSync().readAsArrayBuffer(blob.slice(from, to)));
    } catch {
      return null;
    }
  },
  post: (message) => postMessage(message),
};
self.softkmeans = softkmeans;

// The page must learn when the program ends: WebAssembly cannot recover from a panic, and
// may run out of memory.
async function start(module) {
  const go = new Go();
  try {
    await go.run(await WebAssembly.instantiate(module, go.importObject));
    postMessage({ kind: "lost", text: "the program ended" });
  } catch (error) {
    postMessage({ kind: "lost", text: String(error?.message ?? error) });
  }
}

onmessage = ({ data }) => {
  if (data.kind === "start") {
    start(data.module);
    return;
  }
  try {
    softkmeans.receive(data);
  } catch (error) {
    postMessage({ kind: "lost", text: String(error?.message ?? error) });
  }
};
