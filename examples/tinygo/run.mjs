// Loads modules built by build.sh, fits the data sets of the repository with them, and
// checks the results by computations of its own:
//
//	node examples/tinygo/run.mjs FOLDER/fit.wasm FOLDER/minvol.wasm
//
// The exit code is 1 if a result or an error is wrong.
import { readFileSync } from 'node:fs'
import { WASI } from 'node:wasi'

// Module is one instance. The modules have no garbage collector: the memory of a fit is
// freed only with the instance.
class Module {
  constructor(compiled) {
    const wasi = new WASI({ version: 'preview1' }) // only the modules of Go's own compiler import it
    const instance = new WebAssembly.Instance(compiled, wasi.getImportObject())
    if (WebAssembly.Module.imports(compiled).length > 0) {
      wasi.initialize(instance)
    } else {
      instance.exports._initialize()
    }
    this.exports = instance.exports
  }

  // Views are made when they are used: a view ends when memory grows in a call.
  floats(at, length) {
    return new Float64Array(this.exports.memory.buffer, at, length)
  }

  fit(x, k) {
    this.put(x)
    this.check(this.exports.fit(x.rows, x.cols, k))
    return this.result(x, k)
  }

  minVolume(x, k, { slack = 0, seed = 0, iterations = 0 } = {}) {
    this.put(x)
    this.check(this.exports.min_volume(x.rows, x.cols, k, slack, seed, iterations))
    const { exports: e } = this
    return {
      ...this.result(x, k),
      trace: this.floats(e.trace(), e.trace_length()).slice(),
      iterations: e.iterations(),
      lambda: e.lambda(),
      converged: e.status() === 2,
    }
  }

  put(x) {
    if (x.values.length === 0) return
    const at = this.exports.data(x.values.length)
    if (at === 0) throw new Error('data: too many numbers')
    this.floats(at, x.values.length).set(x.values)
  }

  check(code) {
    if (code === 0) return
    const { exports: e } = this
    const text = new TextDecoder().decode(new Uint8Array(e.memory.buffer, e.error_text(), e.error_length()))
    throw Object.assign(new Error(text), { code })
  }

  result(x, k) {
    const { exports: e } = this
    return {
      centers: this.floats(e.centers(), k * x.cols).slice(),
      memberships: this.floats(e.memberships(), x.rows * k).slice(),
      objective: e.objective(),
      floor: e.floor(),
      floorError: e.floor_error(),
      total: e.total(),
      gap: e.gap(),
    }
  }
}

function table(name) {
  const lines = readFileSync(new URL(`../../testdata/${name}.csv`, import.meta.url), 'utf8').trim().split('\n')
  const rows = lines.map((line) => line.split(',').map(Number))
  return { rows: rows.length, cols: rows[0].length, values: rows.flat() }
}

// principal returns the squared singular values of the centred table, descending. They
// are the eigenvalues of its scatter matrix, computed by Jacobi's rotations, which is not
// the package's method.
function principal({ rows, cols, values }) {
  const mean = new Float64Array(cols)
  for (let i = 0; i < values.length; i++) mean[i % cols] += values[i] / rows
  const a = Array.from({ length: cols }, () => new Float64Array(cols))
  for (let i = 0; i < rows; i++) {
    const row = values.slice(i * cols, (i + 1) * cols).map((v, c) => v - mean[c])
    for (let p = 0; p < cols; p++) for (let q = 0; q < cols; q++) a[p][q] += row[p] * row[q]
  }
  for (let sweep = 0; sweep < 30; sweep++) {
    for (let p = 0; p < cols; p++) {
      for (let q = p + 1; q < cols; q++) {
        if (a[p][q] === 0) continue
        const zeta = (a[q][q] - a[p][p]) / (2 * a[p][q])
        const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.hypot(1, zeta))
        const c = 1 / Math.hypot(1, t), s = c * t
        for (let i = 0; i < cols; i++) [a[p][i], a[q][i]] = [c * a[p][i] - s * a[q][i], s * a[p][i] + c * a[q][i]]
        for (let i = 0; i < cols; i++) [a[i][p], a[i][q]] = [c * a[i][p] - s * a[i][q], s * a[i][p] + c * a[i][q]]
      }
    }
  }
  return a.map((row, i) => row[i]).sort((p, q) => q - p)
}

const sum = (list) => list.reduce((s, v) => s + v, 0)

// certify computes the certificate from the arrays alone.
function certify(x, k, { centers, memberships }) {
  const spectrum = principal(x)
  let objective = 0, sumError = 0, least = Infinity
  for (let i = 0; i < x.rows; i++) {
    const g = memberships.subarray(i * k, (i + 1) * k)
    sumError = Math.max(sumError, Math.abs(sum(g) - 1))
    least = Math.min(least, ...g)
    for (let c = 0; c < x.cols; c++) {
      let r = x.values[i * x.cols + c]
      for (let j = 0; j < k; j++) r -= g[j] * centers[j * x.cols + c]
      objective += r * r
    }
  }
  const floor = sum(spectrum.slice(k - 1).map((v) => Math.max(v, 0)).reverse()), total = sum(spectrum)
  return { objective, floor, total, gap: (objective - floor) / total, sumError, least }
}

let failures = 0

function must(holds, what) {
  if (holds) return
  failures++
  console.log(`  FAILED: ${what}`)
}

const near = (a, b, scale) => Math.abs(a - b) <= 1e-12 * scale

function agree(said, found) {
  must(near(said.objective, found.objective, found.total), `the objective is ${found.objective}`)
  must(near(said.floor, found.floor, found.total), `the floor is ${found.floor}`)
  must(near(said.total, found.total, found.total), `the total is ${found.total}`)
  must(near(said.gap, found.gap, 1), `the gap is ${found.gap}`)
  must(found.sumError <= 1e-12, `memberships add up to 1 but for ${found.sumError}`)
  must(found.least >= 0, `the least membership is ${found.least}`)
}

function report(title, x, k, result, found, ms) {
  console.log(`${title}: ${x.rows}×${x.cols}, k = ${k}, ${ms.toFixed(1)} ms`)
  if (x.cols <= 8) {
    for (let j = 0; j < k; j++) {
      const center = Array.from(result.centers.subarray(j * x.cols, (j + 1) * x.cols), (v) => v.toFixed(3))
      console.log(`  center ${j}   ${center.join('  ')}`)
    }
  }
  console.log(`  objective  ${result.objective}\n  floor      ${result.floor}`)
  const excess = (result.objective - result.floor + result.floorError) / result.total
  console.log(`  proved to be at most ${excess.toExponential(2)} of the total above the minimum`)
  console.log(`  gap        ${result.gap.toExponential(2)}, by the arrays ${found.gap.toExponential(2)}`)
  console.log(`  memberships at least ${found.least.toExponential(2)}, sums 1 to ${found.sumError.toExponential(1)}`)
}

function timed(call) {
  const from = performance.now()
  const result = call()
  return [result, performance.now() - from]
}

// refused makes a call that must fail with a text. The instance must work after it.
function refused(module, what, code, pattern, call) {
  try {
    call()
    must(false, `${what} is no error`)
  } catch (e) {
    must(e.code === code && pattern.test(e.message), `${what}: code ${e.code}, ${e.message}`)
    must(module.exports.centers() === 0 && module.exports.memberships() === 0, `${what} leaves a result`)
  }
}

function badInput(module, iris) {
  const fits = [['fit', (x, k) => module.fit(x, k)]]
  if (module.exports.min_volume) fits.push(['min_volume', (x, k, o) => module.minVolume(x, k, o)])
  for (const [name, fit] of fits) {
    const holed = { ...iris, values: iris.values.with(3 * 4 + 2, NaN) }
    const endless = { ...iris, values: iris.values.with(5, -Infinity) }
    refused(module, `${name}: NaN`, 2, /^softkmeans: x\[3,2\] = NaN: not a finite number$/, () => fit(holed, 3))
    refused(module, `${name}: −∞`, 2, /x\[1,1\] = -Inf/, () => fit(endless, 3))
    refused(module, `${name}: 1e200`, 2, /out of range/, () => fit({ ...iris, values: iris.values.with(5, 1e200) }, 3))
    refused(module, `${name}: k = 0`, 1, /k is 0/, () => fit(iris, 0))
    refused(module, `${name}: k = −1`, 1, /k is -1/, () => fit(iris, -1))
    refused(module, `${name}: k too large`, 1, /too large/, () => fit(iris, 2 ** 31 - 1))
    refused(module, `${name}: no rows`, 1, /no rows/, () => fit({ rows: 0, cols: 4, values: [] }, 3))
    refused(module, `${name}: no columns`, 1, /no columns/, () => fit({ rows: 4, cols: 0, values: [] }, 3))
    refused(module, `${name}: rows below 0`, 1, /-5×4/, () => fit({ ...iris, rows: -5 }, 3))
    refused(module, `${name}: rows·cols above 2^32`, 1, /./, () => fit({ ...iris, rows: 2 ** 16 + 1, cols: 2 ** 16 }, 1))
    refused(module, `${name}: more rows than data`, 1, /only 600 values/, () => fit({ ...iris, rows: 151 }, 3))
  }
  if (module.exports.min_volume) {
    refused(module, 'min_volume: k² too large', 1, /too large/, () => module.minVolume({ rows: 3, cols: 1, values: [1, 2, 4] }, 5800))
    refused(module, 'slack below 0', 1, /Slack is -0.5/, () => module.minVolume(iris, 3, { slack: -0.5 }))
    refused(module, 'slack NaN', 1, /Slack is NaN/, () => module.minVolume(iris, 3, { slack: NaN }))
    refused(module, 'iterations below 0', 1, /MaxIter is -1/, () => module.minVolume(iris, 3, { iterations: -1 }))
  }
  must(module.exports.data(-1) === 0 && module.exports.data(2 ** 31 - 1) === 0, 'data takes any length')
  must(module.fit(iris, 3).gap <= 1e-12, 'no fit after errors')
}

// shapes: wide tables, strips of rows, more prototypes than columns, one.
function shapes(module) {
  let seed = 1
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647
  for (const [rows, cols, k] of [[5, 3, 1], [7, 2, 4], [300, 30, 12], [40, 120, 6], [3, 250, 2], [1, 1, 1]]) {
    const x = { rows, cols, values: Array.from({ length: rows * cols }, random) }
    const model = module.fit(x, k)
    const found = certify(x, k, model)
    if (rows > 1) agree(model, found)
    must(model.gap <= 1e-12, `${rows}×${cols}, k = ${k}: gap ${model.gap}`)
  }
}

function load(file) {
  try {
    const bytes = readFileSync(file)
    const compiled = new WebAssembly.Module(bytes)
    new Module(compiled).exports.fit.call // one of ours
    return [bytes, compiled]
  } catch (error) {
    console.error(`${file} is not a module of build.sh: ${error.message}`)
    process.exit(2)
  }
}

const files = process.argv.slice(2)
if (files.length === 0) {
  console.error('usage: node examples/tinygo/run.mjs MODULE.wasm …')
  process.exit(2)
}
for (const file of files) {
  const [bytes, compiled] = load(file)
  console.log(`== ${file}, ${bytes.length} bytes`)
  for (const [name, k] of [['iris', 3], ['digits', 10]]) {
    const x = table(name)
    const module = new Module(compiled)
    const [model, ms] = timed(() => module.fit(x, k))
    const found = certify(x, k, model)
    report(`${name}, fit`, x, k, model, found, ms)
    agree(model, found)
    must(found.gap <= 1e-12 && model.gap <= 1e-12, 'the minimum is not reached')
    if (!module.exports.min_volume) continue
    const [compact, longer] = timed(() => module.minVolume(x, k, { seed: 1 }))
    const at = certify(x, k, compact)
    report(`${name}, min_volume`, x, k, compact, at, longer)
    console.log(`  ${compact.iterations} iterations, error ${(compact.objective / compact.floor).toFixed(4)} times the floor`)
    agree(compact, at)
    must(at.objective >= at.floor && at.objective <= 1.25 * at.floor, 'the error is not within the slack')
    must(compact.converged && compact.lambda > 0, 'it did not converge')
    must(compact.trace.length === compact.iterations + 1, 'the trace has another length')
    must(compact.trace.every((v, i) => i === 0 || v <= compact.trace[i - 1]), 'the trace rises')
    const again = module.minVolume(x, k, { seed: 1 })
    must(again.objective === compact.objective, 'the same seed gives another result')
    must(module.minVolume(x, k, { seed: 1, iterations: 1 }).iterations <= 1, 'iterations are not limited')
  }
  const module = new Module(compiled)
  badInput(module, table('iris'))
  shapes(module)
}
console.log(failures === 0 ? 'all as it must be' : `${failures} failures`)
process.exit(failures === 0 ? 0 : 1)
