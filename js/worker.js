// The package in a thread of its own, so that a page or a server goes on meanwhile.
// worker.d.ts has the documentation.

import { SoftKMeansError } from './input.js'

/** A worker of the browser or of Node, by the same four functions. */
const open = async () => {
  const url = new URL('./thread.js', import.meta.url)
  if (typeof Worker === 'function') {
    const w = new Worker(url, { type: 'module' })
    return { post: (m) => w.postMessage(m), end: () => w.terminate(), on: (message, error) => {
      w.onmessage = (e) => message(e.data)
      w.onerror = (e) => error(e.message ?? 'the worker did not start')
    } }
  }
  const { Worker: Thread } = await import('node:worker_threads')
  const w = new Thread(url)
  w.unref()
  return { post: (m) => (w.postMessage(m), w.ref()), end: () => w.terminate(), rest: () => w.unref(), on: (message, error) => {
    w.on('message', message)
    w.on('error', (e) => error(e.message))
  } }
}

export const start = (source) => new Remote(source)

class Remote {
  #source
  #thread
  #waiting = new Map()
  #next = 0

  constructor(source) {
    this.#source = source
  }

  fit(x, k, o) { return this.#ask('fit', o, (given) => [x, k, given]) }
  fitMinVolume(x, k, o) { return this.#ask('fitMinVolume', o, (given) => [x, k, given]) }
  predict(model, x, o) { return this.#ask('predict', o, () => [model, x]) }
  floors(x, o) { return this.#ask('floors', o, (given) => [x, given]) }
  certify(x, f, g, o) { return this.#ask('certify', o, (given) => [x, f, g, given]) }
  lsd(x, k, o) { return this.#ask('lsd', o, (given) => [x, k, given]) }

  close() {
    this.#end(new SoftKMeansError('closed', 'the worker was closed'))
  }

  async #ask(name, o, args) {
    const { signal, ...given } = o ?? {}
    signal?.throwIfAborted()
    this.#thread ??= this.#begin()
    const id = this.#next++
    const answer = new Promise((resolve, reject) => {
      // WebAssembly cannot be interrupted: the thread ends, and with it other calls.
      const stop = () => this.#end(new SoftKMeansError('aborted', 'another call ended the worker'), id, signal.reason)
      this.#waiting.set(id, { resolve, reject, done: () => signal?.removeEventListener('abort', stop) })
      signal?.addEventListener('abort', stop, { once: true })
    })
    this.#post(id, { id, name, args: args(o === undefined ? undefined : given) })
    return answer
  }

  async #begin() {
    const thread = await open()
    thread.on((answer) => this.#take(answer), (why) => this.#end(new SoftKMeansError('load', why)))
    thread.post({ source: this.#source })
    return thread
  }

  async #post(id, message) {
    try {
      const thread = await this.#thread
      if (this.#waiting.has(id)) thread.post(message) // it may have been aborted meanwhile
    } catch (cause) { // what cannot be cloned, such as a function or a detached buffer
      this.#settle(id, (w) => w.reject(new SoftKMeansError('shape', `the arguments cannot be sent to the worker: ${cause.message}`)))
    }
  }

  async #take({ id, result, error }) {
    this.#settle(id, (w) => (error ? w.reject(Object.assign(new SoftKMeansError(error.code, error.message), error.where)) : w.resolve(result)))
    const thread = await this.#thread
    if (this.#waiting.size === 0) thread?.rest?.() // a call may have come meanwhile
  }

  #settle(id, how) {
    const w = this.#waiting.get(id)
    if (!w) return
    this.#waiting.delete(id)
    w.done()
    how(w)
  }

  #end(why, id, reason) {
    this.#thread?.then((thread) => thread.end())
    this.#thread = undefined
    for (const each of [...this.#waiting.keys()]) this.#settle(each, (w) => w.reject(each === id ? reason : why))
  }
}
