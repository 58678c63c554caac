// What worker.js and nodeworker.js share: calls to a thread and their answers.

import { SoftKMeansError, named, refuse } from './input.js'

/** The functions of the package, in a thread that `open` starts with the first call. */
export class Remote {
  #open
  #source
  #thread
  #waiting = new Map()
  #next = 0

  constructor(open, source) {
    this.#open = open
    this.#source = Promise.resolve(source)
    this.#source.catch(() => {}) // each call tells
  }

  fit(x, k, o) { return this.#ask('fit', [x, k], o) }
  fitMinVolume(x, k, o) { return this.#ask('fitMinVolume', [x, k], o) }
  predict(model, x, o) { return this.#ask('predict', [model, x], o) }
  floors(x, o) { return this.#ask('floors', [x], o) }
  certify(x, f, g, o) { return this.#ask('certify', [x, f, g], o) }
  lsd(x, k, o) { return this.#ask('lsd', [x, k], o) }

  close() {
    this.#end(new SoftKMeansError('closed', 'the worker was closed'))
  }

  async #ask(name, args, o) {
    const { signal, ...given } = named(o)
    if (signal != null && !isSignal(signal)) refuse('option', 'signal is no AbortSignal', { argument: 'signal' })
    if (signal?.aborted) throw signal.reason
    this.#thread ??= this.#begin()
    const id = this.#next++
    return new Promise((resolve, reject) => {
      // WebAssembly cannot be interrupted: the thread ends, and with it other calls.
      const stop = () => this.#end(new SoftKMeansError('aborted', 'another call ended the worker'), id, signal.reason)
      this.#waiting.set(id, { resolve, reject, done: () => signal?.removeEventListener('abort', stop) })
      signal?.addEventListener('abort', stop, { once: true })
      this.#post(id, { id, name, args: [...args, given] })
    })
  }

  #begin() {
    const thread = this.#prepare()
    thread.catch((cause) => {
      if (this.#thread === thread) this.#end(new SoftKMeansError('load', `the worker does not start: ${cause?.message ?? cause}`))
    })
    return thread
  }

  async #prepare() {
    const source = await this.#source
    const thread = this.#open()
    thread.on((answer) => this.#take(answer), (why) => this.#end(new SoftKMeansError('load', why)))
    try {
      thread.post({ source })
    } catch (cause) { // what cannot be cloned
      thread.end()
      throw cause
    }
    return thread
  }

  async #post(id, message) {
    const thread = await this.#thread.catch(() => {}) // #begin tells why
    if (!this.#waiting.has(id)) return // the thread has failed or ended meanwhile
    try {
      thread.post(message)
    } catch (cause) { // what cannot be cloned, such as a function or a detached buffer
      this.#settle(id, (w) => w.reject(new SoftKMeansError('shape', `the arguments cannot be sent to the worker: ${cause.message}`)))
      this.#rest(thread)
    }
  }

  async #take({ id, result, error }) {
    this.#settle(id, (w) => (error ? w.reject(new SoftKMeansError(error.code, error.message, error.where)) : w.resolve(result)))
    this.#rest(await this.#thread)
  }

  // A thread without calls does not keep Node's process.
  #rest(thread) {
    if (this.#waiting.size === 0) thread?.rest?.()
  }

  #settle(id, how) {
    const w = this.#waiting.get(id)
    if (!w) return
    this.#waiting.delete(id)
    w.done()
    how(w)
  }

  #end(why, id, reason) {
    this.#thread?.then((thread) => thread.end(), () => {})
    this.#thread = undefined
    for (const each of [...this.#waiting.keys()]) this.#settle(each, (w) => w.reject(each === id ? reason : why))
  }
}

const isSignal = (v) => typeof v?.aborted === 'boolean' && typeof v.addEventListener === 'function' && typeof v.removeEventListener === 'function'
