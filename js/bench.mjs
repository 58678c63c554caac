// Times of this package beside ml-kmeans and ml-pca, in one run:
//
//	npm install PATH/softkmeans-0.1.0.tgz ml-kmeans@7 ml-pca@4
//	node bench.mjs TABLES
//
// TABLES is the folder of the project's testdata. The least of some calls is printed, in
// milliseconds, as Markdown.

import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'

import { kmeans } from 'ml-kmeans'
import { PCA } from 'ml-pca'
import { load } from 'softkmeans'

const folder = process.argv[2] ?? '../testdata'
const table = (name) => readFileSync(join(folder, `${name}.csv`), 'utf8').trim().split('\n').map((line) => line.split(',').map(Number))
const random = (n, d) => {
  let seed = 1
  const next = () => (seed = (seed * 48271) % 2147483647) / 2147483647
  return Array.from({ length: n }, (_, i) => Array.from({ length: d }, (_, j) => next() + Math.sin(i + j * (i % 5))))
}

const least = (f) => {
  let best = Infinity
  const end = performance.now() + 1500
  for (let i = 0; i < 3 || (performance.now() < end && i < 200); i++) {
    const start = performance.now()
    f()
    best = Math.min(best, performance.now() - start)
  }
  return best.toPrecision(3)
}

const before = performance.now()
const skm = await load()
const ready = performance.now() - before
console.log(`Node ${process.versions.node}, ${cpus()[0].model}; load: ${ready.toPrecision(3)} ms\n`)
console.log('| table, k | fit | fitMinVolume | ml-kmeans, 10 starts | ml-pca |')
console.log('| --- | --: | --: | --: | --: |')
for (const [name, x, k] of [['iris 150×4', table('iris'), 3], ['wine 178×13', table('wine'), 3], ['digits 1797×64', table('digits'), 10], ['random 20000×10', random(20000, 10), 5]]) {
  const flat = { rows: x.length, cols: x[0].length, data: Float64Array.from(x.flat()) }
  console.log(`| ${name}, ${k} | ${[
    () => skm.fit(flat, k), () => skm.fitMinVolume(flat, k),
    () => { for (let seed = 0; seed < 10; seed++) kmeans(x, k, { initialization: 'kmeans++', seed }) },
    () => new PCA(x).predict(x, { nComponents: k - 1 }),
  ].map(least).join(' | ')} |`)
}
