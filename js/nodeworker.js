// worker.js for Node.

import { Worker } from 'node:worker_threads'

import { Remote } from './remote.js'

const open = () => {
  const w = new Worker(new URL('./nodethread.js', import.meta.url), { execArgv: [] }) // --input-type is not for it
  return {
    post: (m) => {
      w.postMessage(m)
      w.ref()
    },
    end: () => w.terminate(),
    rest: () => w.unref(),
    on: (message, error) => {
      w.on('message', message)
      w.on('error', (e) => error(e.message))
    },
  }
}

export const start = (source) => new Remote(open, source)
