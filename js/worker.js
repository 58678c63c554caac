// The package in a thread of its own, so that a page goes on meanwhile. worker.d.ts has the
// documentation.

import { Remote } from './remote.js'

const open = () => {
  // Bundlers look for this line as it stands.
  const w = new Worker(new URL('./thread.js', import.meta.url), { type: 'module' })
  return {
    post: (m) => w.postMessage(m),
    end: () => w.terminate(),
    on: (message, error) => {
      w.onmessage = (e) => message(e.data)
      w.onerror = (e) => error(e.message ?? 'the worker does not start')
    },
  }
}

export const start = (source) => new Remote(open, source)
