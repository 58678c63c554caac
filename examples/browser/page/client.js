// Client starts the worker, sends it requests, and replaces it when it does not answer.
// README.md describes the messages.

const patience = 1000; // ms between Cancel and the end of a worker that does not answer
const drawing = 4000; // ms more for a worker that answers, to show the best model so far

export class Client {
  #module;
  #worker = null;
  #ready = null;
  #waiting = new Map(); // requests that have no answer yet, by id
  #id = 0;
  #heard = false; // the latest cancel
  #lost;

  // lost(text) is called after the worker had to be replaced: the new one has
  // no table.
  constructor(module, lost) {
    this.#module = module;
    this.#lost = lost;
    this.#start();
  }

  // A worker made from a blob inherits the page's Content-Security-Policy; one
  // made from a file would be free of it.
  #start() {
    const files = ["wasm_exec.js", "worker.js"].map((name) => JSON.stringify(new URL(name, import.meta.url).href));
    const blob = new Blob([`importScripts(${files})`], { type: "text/javascript" });
    const url = URL.createObjectURL(blob);
    const worker = new Worker(url);
    this.#worker = worker;
    let started = false;
    this.#ready = new Promise((resolve, reject) => {
      const lost = (text) => {
        if (worker !== this.#worker) return;
        if (started) this.#replace(text);
        else reject(new Error(text)); // another worker would fail, too
      };
      worker.onmessage = ({ data }) => {
        if (worker !== this.#worker) return;
        if (data.kind === "ready") {
          started = true;
          URL.revokeObjectURL(url);
          resolve();
        } else if (data.kind === "lost") {
          lost(data.text);
        } else {
          this.#take(data);
        }
      };
      worker.onerror = (event) => {
        event.preventDefault();
        lost(event.message || "the worker could not be started");
      };
    });
    this.#ready.catch(() => {}); // request() returns the error
    worker.postMessage({ kind: "start", module: this.#module });
  }

  get ready() {
    return this.#ready;
  }

  // request resolves with the answer, also if that is an error. A request cancels the
  // previous ones.
  async request(kind, fields, progress) {
    const id = ++this.#id;
    const answer = new Promise((resolve) => this.#waiting.set(id, { kind, resolve, progress }));
    try {
      await this.#ready;
    } catch (error) {
      this.#waiting.delete(id);
      return { kind: "lost", for: kind, text: error.message };
    }
    if (this.#waiting.has(id)) this.#worker.postMessage({ ...fields, kind, id });
    return answer;
  }

  #take(data) {
    if (data.kind === "cancelling") {
      this.#heard = true;
      return;
    }
    const request = this.#waiting.get(data.id);
    if (!request) return;
    if (data.kind === "progress") {
      request.progress?.(data);
      return;
    }
    this.#waiting.delete(data.id);
    request.resolve(data);
  }

  // cancel asks the running request to end with what it has. A worker that is
  // too busy to listen is replaced.
  cancel() {
    const asked = [...this.#waiting.keys()];
    if (asked.length === 0) return;
    const worker = this.#worker;
    this.#heard = false;
    // After the requests that wait for #ready, or they would begin when this is over.
    this.#ready.then(() => worker.postMessage({ kind: "cancel" }), () => {});
    const stuck = () => worker === this.#worker && asked.some((id) => this.#waiting.has(id));
    setTimeout(() => {
      if (stuck() && !this.#heard) this.#replace("it did not answer within a second");
    }, patience);
    setTimeout(() => {
      if (stuck()) this.#replace("it did not come to an end");
    }, patience + drawing);
  }

  #replace(text) {
    this.#worker.terminate();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#start();
    for (const request of waiting) request.resolve({ kind: "lost", for: request.kind, text });
    this.#lost(text);
  }
}
