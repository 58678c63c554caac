// The package softkmeans in JavaScript: a typed face of module.wasm. softkmeans.d.ts has the
// documentation.

import { SoftKMeansError, list, matrix, options, refuse, whole } from './input.js'
export { SoftKMeansError } from './input.js'
import { warnings } from './model.js'
export { readModel, writeModel } from './model.js'

// These are in the order of module/main.go.
const arrays = ['rows', 'options', 'weights', 'centers', 'memberships', 'means', 'axes', 'shares']
const numbers = ['rows', 'cols', 'k', 'sum', 'enclosure', 'slack', 'seed', 'maxIter', 'init', 'nonNegative', 'volume', 'restarts', 'tol', 'lambda', 'starts', 'kernel', 'gamma', 'axes', 'spread', 'doubt', 'largest']
const results = { numbers: 0, centers: 1, memberships: 2, labels: 3, means: 4, axes: 5, warnings: 6, shares: 7, probabilities: 8 }
const operations = { fit: 0, fitMinVolume: 1, predict: 2, floors: 3, certify: 4, lsd: 5 }
const codes = ['', 'tooLarge', 'shape', 'nonFinite', 'range', 'tooFewSamples', 'option']
const statuses = ['none', 'optimal', 'converged', 'iteration limit', 'cancelled', 'no half-space']

/** The warnings of a model, from four numbers each. */
const warningsOf = (list) => Array.from({ length: list.length / 4 }, (_, i) => {
  const [kind, cluster, other, value] = list.slice(4 * i, 4 * i + 4)
  return { kind: warnings[kind], cluster, other, value }
})

/** The module beside this file. Node has node.js. */
const own = async () => {
  const answer = await fetch(new URL('./module.wasm', import.meta.url))
  if (!answer.ok) throw new Error(`${answer.url} answers ${answer.status}`)
  return answer
}

export const load = async (source) => {
  try {
    let module = await (source ?? own())
    if (typeof Response === 'function' && module instanceof Response) module = await module.arrayBuffer()
    return new SoftKMeans(isModule(module) ? module : await WebAssembly.compile(module))
  } catch (cause) {
    throw cause instanceof SoftKMeansError ? cause : new SoftKMeansError('load', `there is no module of softkmeans: ${cause?.message ?? cause}`)
  }
}

// By name: another window has another WebAssembly.
const isModule = (v) => Object.prototype.toString.call(v) === '[object WebAssembly.Module]'

// What Go's own compiler asks of a host; TinyGo's module imports nothing.
const imports = (module, memory) => {
  const out = {}
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    out[from] ??= {}
    out[from][name] = wasi(name, memory)
  }
  return out
}

const wasi = (name, memory) => {
  const view = () => new DataView(memory().buffer)
  switch (name) {
    case 'clock_time_get':
      return (_id, _precision, at) => (view().setBigUint64(at, BigInt(Math.round(Date.now() * 1e6)), true), 0)
    case 'args_sizes_get':
    case 'environ_sizes_get':
      return (count, size) => (view().setUint32(count, 0, true), view().setUint32(size, 0, true), 0)
    case 'random_get': // the seeds of Go's maps, and nothing else
      return (at, n) => {
        for (let i = 0; i < n; i++) view().setUint8(at + i, 256 * Math.random())
        return 0
      }
    case 'fd_write': // what a panic writes
      return (_fd, list, count, written) => {
        let n = 0
        for (let i = 0; i < count; i++) n += view().getUint32(list + 8 * i + 4, true)
        view().setUint32(written, n, true)
        return 0
      }
    case 'proc_exit':
      return (code) => {
        throw new Error(`the module ended with code ${code}`)
      }
    case 'args_get':
    case 'environ_get':
    case 'sched_yield':
    case 'poll_oneoff':
      return () => 0
  }
  return () => 8 // no such file
}

class SoftKMeans {
  #module

  constructor(module) {
    const all = WebAssembly.Module
    const other = all.imports(module).find((i) => i.kind !== 'function' || i.module !== 'wasi_snapshot_preview1')
    if (other) refuse('load', `this is no module of softkmeans: it imports ${other.module}.${other.name}`)
    if (!all.exports(module).some((e) => e.name === 'error_arg_length')) refuse('load', 'this is no module of softkmeans: its exports are others')
    this.#module = module
  }

  fit(x, k, given) {
    return this.#fitted('fit', x, k, given, ['weights', 'sum', 'enclosure'])
  }

  fitMinVolume(x, k, given) {
    return this.#fitted('fitMinVolume', x, k, given, ['weights', 'sum', 'slack', 'seed', 'maxIter', 'init', 'nonNegative', 'volume', 'restarts', 'tol', 'lambda'])
  }

  #fitted(operation, x, k, given, allowed) {
    const rows = matrix('x', x)
    whole('k', k, 1)
    const chosen = options(given, allowed)
    const out = this.#call(operation, { rows, k, chosen })
    const [objective, floor, floorError, total, gap, status, iterations, lambda, excessShare, slack, clusterSpread, clusterDoubt] = out('numbers')
    const model = {
      k,
      cols: rows.cols,
      sum: chosen.sum === 1 ? 'at-most-one' : 'one',
      method: operation === 'fit' ? 'global' : 'minvol',
      centers: { rows: k, cols: rows.cols, data: out('centers') },
      memberships: { rows: rows.rows, cols: k, data: out('memberships') },
      labels: Int32Array.from(out('labels')),
      objective, floor, floorError, total, gap, excessShare,
      status: statuses[status],
      warnings: warningsOf(out('warnings')),
    }
    if (operation === 'fit') return model
    Object.assign(model, { iterations, lambda, slack })
    const means = out('means')
    if (means.length > 0) model.clusterMeans = { rows: k, cols: rows.cols, data: means }
    const axes = out('axes')
    if (axes.length > 0) model.clusterAxes = { rows: axes.length / rows.cols, cols: rows.cols, data: axes }
    return Object.assign(model, { clusterWeights: out('shares'), clusterSpread, clusterDoubt, probabilities: { rows: rows.rows, cols: k, data: out('probabilities') } })
  }

  predict(model, x, given) {
    options(given, [])
    if (model === null || typeof model !== 'object') refuse('option', 'the model is no object; give what fit, fitMinVolume or readModel returned', { argument: 'model' })
    if (model.rowScaling) refuse('option', 'the model is of rows scaled to length 1, which predict does not take', { argument: 'model' })
    const centers = matrix('model.centers', model.scaledCenters ?? model.centers)
    const means = model.clusterMeans && matrix('model.clusterMeans', model.clusterMeans)
    const axes = model.clusterAxes && matrix('model.clusterAxes', model.clusterAxes)
    const weights = model.clusterWeights && list('model.clusterWeights', model.clusterWeights)
    const shares = weights && { rows: 1, cols: weights.length, write: weights.write }
    const rows = scaled(matrix('x', x), model)
    const k = whole('model.k', centers.rows, 1)
    for (const [name, m, height] of [['x', rows, rows.rows], ['model.clusterMeans', means, k], ['model.clusterAxes', axes, axes?.rows]]) {
      if (m && (m.cols !== centers.cols || m.rows !== height)) {
        refuse('shape', `${name} has ${m.rows} rows of ${m.cols}; the model has ${k} centers of ${centers.cols}`, { argument: name })
      }
    }
    const { clusterSpread: spread, clusterDoubt: doubt, labelBy } = model
    const out = this.#call('predict', { rows, k, centers, means, axes, shares, chosen: { ...options({ sum: model.sum }, ['sum']), spread, doubt, largest: labelBy === 'largest' ? 1 : 0 } })
    const found = { memberships: { rows: rows.rows, cols: k, data: out('memberships') }, labels: Int32Array.from(out('labels')) }
    return shares ? { ...found, probabilities: { rows: rows.rows, cols: k, data: out('probabilities') } } : found
  }

  floors(x, given) {
    const rows = matrix('x', x)
    return this.#call('floors', { rows, k: 0, chosen: options(given, ['weights', 'sum']) })('numbers')
  }

  certify(x, centers, memberships, given) {
    const rows = matrix('x', x)
    const f = matrix('centers', centers)
    const g = matrix('memberships', memberships)
    if (f.cols !== rows.cols) refuse('shape', `x has ${rows.cols} columns, centers have ${f.cols}`, { argument: 'centers' })
    if (g.rows !== rows.rows || g.cols !== f.rows) refuse('shape', `memberships are ${g.rows} rows of ${g.cols}, not ${rows.rows} of ${f.rows}`, { argument: 'memberships' })
    const out = this.#call('certify', { rows, k: f.rows, centers: f, memberships: g, chosen: options(given, ['weights', 'sum']) })
    const [objective, floor, floorError, total, gap, excessShare, minMembership, maxSumError, repair, spanError] = out('numbers')
    return { objective, floor, floorError, total, gap, excessShare, minMembership, maxSumError, repair, spanError }
  }

  lsd(x, k, given) {
    const rows = matrix('x', x)
    whole('k', k, 1)
    const chosen = options(given, ['kernel', 'gamma', 'seed', 'starts', 'maxIter'])
    const out = this.#call('lsd', { rows, k, chosen })
    const [objective, floor, floorError, total, gap, status, iterations] = out('numbers')
    return {
      k,
      memberships: { rows: rows.rows, cols: k, data: out('memberships') },
      labels: Int32Array.from(out('labels')),
      objective, floor, floorError, total, gap,
      status: statuses[status],
      iterations,
    }
  }

  // Every call has an instance of its own. So its memory is freed, calls do not meet, and
  // one that runs out of memory ends alone.
  #call(operation, { chosen: { weights, ...chosen }, k, ...given }) {
    const { rows } = given
    if (weights && weights.length !== rows.rows) refuse('shape', `there are ${weights.length} weights for ${rows.rows} rows`, { argument: 'weights' })
    let wasm
    wasm = run(() => new WebAssembly.Instance(this.#module, imports(this.#module, () => wasm.memory))).exports
    const floats = (address, n) => new Float64Array(wasm.memory.buffer, address, n)
    const text = (address, n) => new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, address, n))
    const put = (name, n, write) => {
      const address = run(() => wasm.input(arrays.indexOf(name), n)) >>> 0
      if (n > 0 && address === 0) refuse('tooLarge', `${name === 'rows' ? 'x' : name} has ${n} numbers, too many for the module, which takes ${2 ** 25}`, { argument: name === 'rows' ? 'x' : name })
      if (n > 0) write(floats(address, n))
    }
    run(() => wasm._initialize())
    for (const name of ['rows', 'centers', 'memberships', 'means', 'axes', 'shares']) {
      const m = given[name]
      if (m) put(name, m.rows * m.cols, m.write)
    }
    if (weights) put('weights', weights.length, weights.write)
    put('options', numbers.length, (to) => {
      const all = { ...chosen, rows: rows.rows, cols: rows.cols, k, axes: given.axes?.rows ?? 0 }
      numbers.forEach((name, i) => (to[i] = all[name] ?? 0))
    })
    const code = run(() => wasm.call(operations[operation]))
    if (code !== 0) {
      const where = {}
      if (wasm.error_row() >= 0) where.row = wasm.error_row()
      if (wasm.error_col() >= 0) where.column = wasm.error_col()
      if (wasm.error_arg_length() > 0) where.argument = text(wasm.error_arg() >>> 0, wasm.error_arg_length())
      refuse(codes[code], text(wasm.error_text() >>> 0, wasm.error_length()).replace(/^softkmeans: /, ''), where)
    }
    return (name) => run(() => floats(wasm.output(results[name]) >>> 0, wasm.output_length(results[name])).slice())
  }
}

/** What f, a call of the module alone, returns. It throws where memory ends. */
const run = (f) => {
  try {
    return f()
  } catch (cause) {
    throw new SoftKMeansError('memory', `the module stopped, which it does when it runs out of memory: ${cause.message}`)
  }
}

/** Divides each row by its sum. A row of zeros stays. */
const close = (to, cols, { scale, divisor }) => {
  for (let at = 0; at < to.length; at += cols) {
    const row = to.subarray(at, at + cols)
    const sum = row.reduce((a, v) => a + v, 0)
    if (scale === 'counts' && !row.every((v) => v >= 0)) refuse('range', 'the model is of counts, which are at least 0', { argument: 'x' })
    if (scale === 'sums' && !(sum > 0)) refuse('range', 'the model is of rows divided by their sums, which are above 0', { argument: 'x' })
    if (sum > 0) row.forEach((v, j) => { row[j] = scale === 'sums' ? v / sum * divisor[j] : v / sum })
  }
}

/** Counts of words: log(1 + count) by divisor, and rows of length 1. A row of zeros stays. */
const words = (to, cols, divisor) => {
  for (let at = 0; at < to.length; at += cols) {
    const row = to.subarray(at, at + cols)
    if (!row.every((v) => v >= 0)) refuse('range', 'the model is of counts of words, which are at least 0', { argument: 'x' })
    row.forEach((v, j) => { row[j] = Math.log1p(v) / divisor[j] })
    const length = Math.sqrt(row.reduce((sum, v) => sum + v * v, 0))
    if (length > 0) row.forEach((v, j) => { row[j] = v / length })
  }
}

/** The rows as the fit of the model had them: (v − shift)/divisor by columns; of counts and sums as shares of their rows. */
const scaled = (rows, model) => {
  const parts = ['shift', 'divisor', 'scaledCenters'].filter((name) => model[name] !== undefined)
  if (parts.length === 0) return rows
  if (parts.length < 3) refuse('shape', `of its scaling the model has ${parts.join(' and ')} alone; that is shift, divisor and scaledCenters`, { argument: 'model' })
  const [shift, divisor] = parts.map((name) => model[name])
  for (const [i, v] of [shift, divisor].entries()) {
    if (list(`model.${parts[i]}`, v).length !== rows.cols) refuse('shape', `x has ${rows.cols} columns, model.${parts[i]} has ${v.length}`, { argument: 'x' })
  }
  return {
    ...rows,
    write: (to) => {
      rows.write(to)
      if (model.scale === 'words') return words(to, rows.cols, divisor)
      if (['counts', 'sums'].includes(model.scale)) close(to, rows.cols, model)
      for (let i = 0; i < to.length; i++) to[i] = (to[i] - shift[i % rows.cols]) / divisor[i % rows.cols]
    },
  }
}
