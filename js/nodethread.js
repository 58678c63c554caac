// The thread of nodeworker.js.

import { parentPort } from 'node:worker_threads'

import { answers } from './answers.js'
import { load } from './node.js'

parentPort.on('message', answers(load, (m) => parentPort.postMessage(m)))
