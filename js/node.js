// softkmeans.js for Node, where module.wasm is on disk.

import { readFile } from 'node:fs/promises'

import { load as loadFrom } from './softkmeans.js'

export * from './softkmeans.js'

export const load = (source) => loadFrom(source ?? readFile(new URL('./module.wasm', import.meta.url)))
