// The model file of softkmeans: JSON with a checksum, which the package in Go, its command
// and its page read and write. docs/model.md of the project describes it.

import { SoftKMeansError, matrix, refuse } from './input.js'

const wrong = (message) => {
  throw new SoftKMeansError('format', message)
}

// The fields in the order of the file.
const order = [
  'format', 'version', 'method', 'k', 'columns', 'named', 'sum', 'scale', 'centers', 'clusterMeans', 'clusterAxes', 'rows', 'sizes',
  'objective', 'floor', 'floorError', 'total', 'gap', 'lambda', 'volumeRatio', 'iterations', 'status',
]

// The reflected polynomial of CRC-64 (ECMA), in two halves of 32 bits.
const high = 0xc96c5795
const low = 0xd7870f42
const table = new Uint32Array(512)
for (let i = 0; i < 256; i++) {
  let a = 0
  let b = i
  for (let bit = 0; bit < 8; bit++) {
    const odd = b & 1
    b = (b >>> 1) | (a << 31)
    a >>>= 1
    if (odd) {
      a ^= high
      b ^= low
    }
  }
  table[2 * i] = a
  table[2 * i + 1] = b
}

const checksum = (text) => {
  let a = 0xffffffff
  let b = 0xffffffff
  for (const byte of new TextEncoder().encode(text)) {
    const at = 2 * ((b ^ byte) & 255)
    b = ((b >>> 8) | (a << 24)) ^ table[at + 1]
    a = (a >>> 8) ^ table[at]
  }
  const hex = (v) => (~v >>> 0).toString(16).padStart(8, '0')
  return hex(a) + hex(b)
}

// JSON.stringify, but −0 is -0.
const canonical = (v) => {
  if (Object.is(v, -0)) return '-0'
  if (Array.isArray(v)) return `[${v.map(canonical).join(',')}]`
  if (v !== null && typeof v === 'object') return `{${Object.entries(v).map(([name, of]) => `${JSON.stringify(name)}:${canonical(of)}`).join(',')}}`
  return JSON.stringify(v)
}

/** The rows of a matrix as arrays. */
const nested = (name, m) => {
  const { rows, cols, write } = matrix(name, m)
  const all = new Float64Array(rows * cols)
  write(all)
  return Array.from({ length: rows }, (_, i) => Array.from(all.subarray(i * cols, (i + 1) * cols)))
}

export const writeModel = (model, { columns } = {}) => {
  if (model === null || typeof model !== 'object') refuse('option', 'the model is no object; give what fit, fitMinVolume or readModel returned', { argument: 'model' })
  if (model.file) return `${canonical({ ...model.file, checksum: checksum(canonical(model.file)) })}\n`
  const centers = nested('model.centers', model.centers)
  const d = centers[0]?.length ?? 0
  if (columns !== undefined && (!Array.isArray(columns) || columns.length !== d || columns.some((c) => typeof c !== 'string'))) {
    refuse('shape', `columns are not the names of the ${d} columns of the centers`, { argument: 'columns' })
  }
  const sizes = new Array(centers.length).fill(0)
  for (const label of model.labels ?? []) sizes[label]++
  const file = {
    ...model,
    format: 'softkmeans model',
    version: 2,
    k: centers.length,
    columns: columns ?? Array.from({ length: d }, (_, j) => `c${j + 1}`),
    named: columns !== undefined,
    sum: model.sum === 'at-most-one' ? 'at most one' : undefined,
    scale: 'none',
    centers,
    clusterMeans: model.clusterMeans && nested('model.clusterMeans', model.clusterMeans),
    clusterAxes: model.clusterAxes && nested('model.clusterAxes', model.clusterAxes),
    rows: model.labels?.length ?? 0,
    sizes: model.labels ? sizes : undefined,
    lambda: model.lambda || undefined,
    volumeRatio: model.volumeRatio || undefined,
    iterations: model.iterations ?? 0,
  }
  const ordered = Object.fromEntries(order.filter((name) => file[name] !== undefined).map((name) => [name, file[name]]))
  return `${canonical({ ...ordered, checksum: checksum(canonical(ordered)) })}\n`
}

export const readModel = (text) => {
  if (typeof text !== 'string') refuse('format', 'the text of a model file is no string', { argument: 'text' })
  let file
  try {
    file = JSON.parse(text)
  } catch (cause) {
    wrong(`this is no model file: ${cause.message}`)
  }
  if (file === null || typeof file !== 'object' || file.format !== 'softkmeans model') wrong('this is no model file: its format is not "softkmeans model"')
  if (file.version !== 2) wrong(`the model file has version ${file.version}; this package reads version 2`)
  const { checksum: said, ...rest } = file
  // JSON.parse rounds a seed above 2^53, and the checksum is of its digits.
  if (said !== 'none' && !(file.seed > Number.MAX_SAFE_INTEGER) && said !== checksum(canonical(rest))) wrong('the checksum of the model file is wrong: it is damaged, or was edited')
  if (file.kernel || file.decomposition) wrong('the model file is of similarities, which predict here does not take')
  const table = (name, rows) => {
    const v = file[name]
    if (v === undefined) return undefined
    if (!Array.isArray(v) || (rows !== undefined && v.length !== rows)) wrong(`${name} of the model file is not ${rows} rows`)
    const d = file.columns?.length
    const data = new Float64Array(v.length * d)
    v.forEach((row, i) => {
      if (!Array.isArray(row) || row.length !== d || row.some((x) => !Number.isFinite(x))) wrong(`row ${i} of ${name} of the model file is not ${d} numbers`)
      data.set(row, i * d)
    })
    return { rows: v.length, cols: d, data }
  }
  if (!Number.isInteger(file.k) || file.k < 1 || !Array.isArray(file.columns)) wrong('the model file has no k, or no columns')
  const model = {
    k: file.k,
    cols: file.columns.length,
    columns: file.columns,
    sum: file.sum === 'at most one' ? 'at-most-one' : 'one',
    method: file.method,
    centers: table('centers', file.k) ?? wrong('the model file has no centers'),
    objective: file.objective ?? 0, floor: file.floor ?? 0, floorError: file.floorError ?? 0, total: file.total ?? 0, gap: file.gap ?? 0,
    status: file.status,
    file: rest,
  }
  for (const name of ['scaledCenters', 'clusterMeans', 'clusterAxes']) {
    const m = table(name, name === 'clusterAxes' ? undefined : file.k)
    if (m) model[name] = m
  }
  if (file.rowScaling) model.rowScaling = file.rowScaling
  if (file.divisor) Object.assign(model, { shift: Float64Array.from(file.shift), divisor: Float64Array.from(file.divisor) })
  return model
}
