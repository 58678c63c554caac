// The cases in headless Chromium, on the installed package:
//
//	EXPECTED=FILE node browser.mjs FOLDER
//
// FOLDER has node_modules. The page sends its results back. CHROMIUM names the browser.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join, normalize } from 'node:path'

const page = `<!doctype html><meta charset="utf-8">
<script type="importmap">{ "imports": { "softkmeans": "/node_modules/softkmeans/softkmeans.js", "softkmeans/worker": "/node_modules/softkmeans/worker.js" } }</script>
<script type="module">
import * as exports from 'softkmeans'
import { start } from 'softkmeans/worker'
import { cases } from '/cases.mjs'
const lines = []
try {
  const all = await (await fetch('/expected.json')).json()
  const skm = await exports.load()
  for (const { name, run } of cases) {
    try {
      await run(skm, exports, all, start)
      lines.push('ok ' + name)
    } catch (e) {
      lines.push('FAILED ' + name + ': ' + e.message)
    }
  }
} catch (e) {
  lines.push('FAILED ' + e.message)
}
await fetch('/done', { method: 'POST', body: lines.join('\\n') })
</script>`

const folder = process.argv[2]
const types = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm', '.json': 'application/json' }
const profile = mkdtempSync(join(tmpdir(), 'chromium-'))
let browser

const finish = (text) => {
  console.log(text)
  browser.kill()
  server.close()
  setTimeout(() => {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    process.exit(text.includes('FAILED') || !text.startsWith('ok') ? 1 : 0)
  }, 500)
}

const server = createServer((ask, answer) => {
  if (ask.url === '/done') {
    let text = ''
    ask.on('data', (part) => (text += part))
    ask.on('end', () => (answer.end(), finish(text)))
    return
  }
  try {
    const files = { '/cases.mjs': new URL('cases.mjs', import.meta.url), '/expected.json': process.env.EXPECTED }
    const body = ask.url === '/' ? page : readFileSync(files[ask.url] ?? join(folder, normalize(ask.url)))
    answer.setHeader('Content-Type', types[extname(ask.url)] ?? 'text/html')
    answer.end(body)
  } catch {
    answer.statusCode = 404
    answer.end()
  }
}).listen(0, '127.0.0.1', () => {
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', `--user-data-dir=${profile}`]
  browser = spawn(process.env.CHROMIUM ?? 'chromium', [...flags, `http://127.0.0.1:${server.address().port}/`], { stdio: 'ignore' })
  browser.on('error', (e) => finish(`FAILED: ${e.message}`))
  setTimeout(() => finish('FAILED: the page did not answer within two minutes'), 120000).unref()
})
