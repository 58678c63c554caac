// The cases in Node, on the installed package. EXPECTED names the file that expected/ wrote.

import assert from 'node:assert'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { runInNewContext } from 'node:vm'

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
  await assert.rejects(exports.load(other), { name: 'SoftKMeansError', code: 'load' })
  await assert.rejects(exports.load(Promise.reject(new Error('no disk'))), { name: 'SoftKMeansError', code: 'load', message: /no disk/ })
  await assert.rejects(exports.load(Promise.reject()), { name: 'SoftKMeansError', code: 'load' })
  await assert.rejects(start(Promise.reject()).fit([[1]], 1), { name: 'SoftKMeansError', code: 'load' })
})

test('a copy without module.wasm says so', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'softkmeans-'))
  try {
    cpSync(new URL('.', import.meta.resolve('softkmeans')), folder, { recursive: true })
    rmSync(join(folder, 'module.wasm'))
    const copy = await import(pathToFileURL(join(folder, 'node.js')))
    await assert.rejects(copy.load(), { name: 'SoftKMeansError', code: 'load', message: /module\.wasm/ })
    const { start } = await import(pathToFileURL(join(folder, 'nodeworker.js')))
    await assert.rejects(start().fit([[1]], 1), { name: 'SoftKMeansError', code: 'load', message: /module\.wasm/ })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('arrays of another realm', () => {
  const other = (code) => runInNewContext(code)
  assert.strictEqual(skm.fit(other('[[1, 2], [3, 4]]'), 1, other('({ weights: new Float64Array([1, 2]) })')).k, 1)
  assert.strictEqual(skm.fit(other('[new Float64Array([1, 2])]'), 1).k, 1)
  assert.strictEqual(skm.fit(other('({ rows: 1, cols: 2, data: new Float32Array(2) })'), 1).k, 1)
})

// A process of its own, which must end by itself.
const own = (lines) => {
  const text = `import { readFileSync } from 'node:fs'; import { start } from 'softkmeans/worker'; const bytes = readFileSync(new URL(import.meta.resolve('softkmeans/module.wasm'))); ${lines}`
  return spawnSync(process.execPath, ['--input-type=module', '-e', text], { encoding: 'utf8', timeout: 20000, cwd: fileURLToPath(new URL('.', import.meta.url)) })
}

for (const [name, lines, want] of [
  ['takes a promise', 'const w = start(Promise.resolve(bytes)); console.log((await w.fit([[1]], 1)).k); w.close()', '1'],
  ['takes a compiled module', 'console.log((await start(await WebAssembly.compile(bytes)).fit([[1]], 1)).k)', '1'],
  ['cannot send its source', 'const w = start(() => 1); for (let i = 0; i < 2; i++) await w.fit([[1]], 1).catch((e) => console.log(e.code)); w.close()', 'load\nload'],
  ['cannot send its source, and an abort', "const w = start(() => 1); const c = new AbortController(); const p = w.fit([[1]], 1, { signal: c.signal }); c.abort(new Error('mine')); await p.catch((e) => console.log(e.message))", 'mine'],
  ['has a source that fails', "const w = start(Promise.reject(new Error('mine'))); await new Promise((go) => setTimeout(go, 20)); await w.fit([[1]], 1).catch((e) => console.log(e.code, e.message.includes('mine')))", 'load true'],
  ['cannot send its first call', 'const data = new Float64Array(1); structuredClone(data.buffer, { transfer: [data.buffer] }); await start().fit({ rows: 1, cols: 1, data }, 1).catch((e) => console.log(e.code))', 'shape'],
  ['has answered', 'console.log((await start().fit([[1]], 1)).k)', '1'],
  ['closes before it starts', 'const w = start(); const p = w.fit([[1]], 1); w.close(); await p.catch((e) => console.log(e.code))', 'closed'],
]) {
  test(`a process ends whose worker ${name}`, () => {
    const { status, stdout, stderr } = own(lines)
    assert.deepStrictEqual({ status, stdout: stdout.trim() }, { status: 0, stdout: want }, stderr)
  })
}
