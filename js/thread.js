// The thread of worker.js.

import { answers } from './answers.js'
import { load } from './softkmeans.js'

const answer = answers(load, (m) => self.postMessage(m))
self.onmessage = (e) => answer(e.data)
