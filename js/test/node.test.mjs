// The cases in Node, on the installed package. EXPECTED names the file that expected/ wrote.

import assert from 'node:assert'
import { readFileSync } from 'node:fs'
import test from 'node:test'

import * as exports from 'softkmeans'
import { start } from 'softkmeans/worker'

import { cases } from './cases.mjs'

const all = JSON.parse(readFileSync(process.env.EXPECTED, 'utf8'))
const skm = await exports.load()
for (const { name, run } of cases) test(name, () => run(skm, exports, all, start))

test('load takes a compiled module, bytes and promises of them', async () => {
  const bytes = readFileSync(new URL(import.meta.resolve('softkmeans/module.wasm')))
  for (const source of [bytes, await WebAssembly.compile(bytes), Promise.resolve(bytes)]) {
    assert.strictEqual((await exports.load(source)).fit([[1, 2]], 1).k, 1)
  }
  await assert.rejects(exports.load(new Uint8Array(9)), { code: 'load' })
  const other = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)
  const empty = await exports.load(other)
  assert.throws(() => empty.fit([[1]], 1), { name: 'SoftKMeansError' })
})
