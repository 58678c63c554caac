// What runs in the worker besides the program. The page starts it, see client.js,
// after the loader (wasm_exec.js), which has defined Go. Messages: README.md.
"use strict";

const softkmeans = {
  receive: null, // the program's, once it is ready
  ready(receive) {
    softkmeans.receive = receive;
    postMessage({ kind: "ready" });
  },
  post(message) {
    postMessage(message, message.bytes ? [message.bytes.buffer] : []);
  },
};
self.softkmeans = softkmeans;

// The exit must be told: WebAssembly cannot recover from a panic, and memory can
// run out.
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
