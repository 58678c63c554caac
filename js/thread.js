// The other side of worker.js.

import { SoftKMeansError, load } from './softkmeans.js'

const inBrowser = typeof self === 'object' && typeof self.postMessage === 'function'
const port = inBrowser ? self : (await import('node:worker_threads')).parentPort
let loaded

const answer = async ({ id, name, args, source }) => {
  if (name === undefined) {
    loaded = load(source)
    loaded.catch(() => {}) // each call tells
    return
  }
  try {
    const result = (await loaded)[name](...args)
    port.postMessage({ id, result })
  } catch (e) {
    const { code = 'bug', message, row, column, argument } = e
    const where = JSON.parse(JSON.stringify({ row, column, argument }))
    port.postMessage({ id, error: { code: e instanceof SoftKMeansError ? code : 'bug', message, where } })
  }
}

if (inBrowser) self.onmessage = (e) => answer(e.data)
else port.on('message', answer)
