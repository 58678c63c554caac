// Client starts the worker, sends it requests, and replaces it when it does not answer.
// README.md describes the messages.

const patience = 1000; // ms between Cancel and the end of a worker that does not answer
const most = 5000; // ms, on a machine so busy that the worker was silent for long before

export class Client {
  #module;
  #worker = null;
  #ready = null;
  #waiting = new Map(); // requests that have no answer yet, by id
  #id = 0;
  #heard = false; // the latest cancel
  #last = 0; // when the worker sent a message
  #silence = 0; // ms, the longest time between two messages of the worker
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
        const now = performance.now();
        if (started) this.#silence = Math.max(this.#silence, now - this.#last);
        this.#last = now;
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

  // cancel asks the running request to end with the best model so far. A worker is replaced if it does not
  // answer within three times its longest silence so far: it is silent, too, while other programs take the
  // processors. A worker that answers has five times as long to show its model.
  cancel() {
    const asked = [...this.#waiting.keys()];
    if (asked.length === 0) return;
    const worker = this.#worker;
    this.#heard = false;
    // After the requests that wait for #ready, or they would begin when this is over.
    this.#ready.then(() => worker.postMessage({ kind: "cancel" }), () => {});
    const stuck = () => worker === this.#worker && asked.some((id) => this.#waiting.has(id));
    const wait = Math.min(Math.max(patience, 3 * this.#silence), most);
    setTimeout(() => {
      if (stuck() && !this.#heard) this.#replace("it did not answer");
    }, wait);
    setTimeout(() => {
      if (stuck()) this.#replace("it did not come to an end");
    }, 5 * wait);
  }

  #replace(text) {
    this.#worker.terminate();
    this.#silence = 0;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#start();
    for (const request of waiting) request.resolve({ kind: "lost", for: request.kind, text });
    this.#lost(text);
  }
}
