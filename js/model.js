// The model file of softkmeans: JSON with a checksum, which the package in Go, its command
// and its page read and write. docs/model.md of the project describes it.

import { matrix, options, refuse } from './input.js'

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

// The text of all fields. A seed is its digits: numbers above 2^53 are not exact.
const textOf = (file) => `{${Object.entries(file).map(([name, v]) => `"${name}":${name === 'seed' ? v : canonical(v)}`).join(',')}}`

const isText = (v) => typeof v === 'string' && !/\p{Surrogate}/u.test(v) && new TextEncoder().encode(v).length <= 2 ** 20
const isCount = (v) => Number.isSafeInteger(v) && v >= 0 && !Object.is(v, -0)
const isShort = (v) => isCount(v) && v < 2 ** 31
const isSeed = (v) => /^\d{1,20}$/.test(v) && BigInt(v) < 2n ** 64n
const isShare = (v) => Number.isFinite(v) && v >= 0
const isRow = (v, { columns }) => Array.isArray(v) && v.length === columns.length && v.every(Number.isFinite)
const isRows = (v, file) => Array.isArray(v) && v.every((row) => isRow(row, file))
const isTable = (v, file) => isRows(v, file) && v.length === file.k
const isModest = (rows) => rows.every((row) => row.every((x) => Math.abs(x) <= 2 ** 520))
const isAxes = (v, file) => isRows(v, file) && v.length <= file.k + file.columns.length && v.every((row) => row.reduce((sum, x) => sum + Math.abs(x), 0) <= 1)
const isListOf = (is, most) => (v) => Array.isArray(v) && v.length <= most && v.every(is)
const has = (v, ...names) => v !== null && typeof v === 'object' && Object.keys(v).join() === names.join()

export const warnings = ['coincident', 'empty', 'far', 'slack', 'several', 'labels', 'shares', 'dimensions', 'rows']
const isWarning = ({ k }) => (v) => has(v, 'kind', 'cluster', 'other', 'value') && warnings.includes(v.kind) && [v.cluster, v.other].every((i) => isCount(i) && i < k) && Number.isFinite(v.value)
const isAnswer = (file) => (v) => has(v, 'factor', 'moved', 'centers') && Number.isFinite(v.factor) && Number.isFinite(v.moved) && isTable(v.centers, file) && isModest(v.centers)

/** The version of the form that this package reads and writes. */
const current = 2

/**
 * The fields in the order of the file: whether a value is right, and the value of a field that
 * is missing. With `write` that value is written, too. A field without such a value is needed.
 */
const word = (...words) => ({ is: (v) => words.includes(v), missing: words[0] })
const maybe = (is) => ({ is: (v, file) => v === undefined || is(v, file), missing: undefined })
const number = { is: Number.isFinite, missing: 0 }
const share = { is: isShare, missing: 0 }
const proved = { ...number, write: true }
const fields = {
  format: { is: (v) => v === 'softkmeans model' },
  version: { is: (v) => v === current },
  method: { is: isText, missing: '' },
  k: { is: (v) => isShort(v) && v > 0 },
  columns: { is: (v) => isListOf(isText, 2 ** 22)(v) && v.length > 0 },
  named: { is: (v) => typeof v === 'boolean', missing: false, write: true },
  units: maybe((v, { columns }) => isListOf(isText, columns.length)(v) && v.length === columns.length),
  sum: word('one', 'at most one'),
  rowScaling: word('auto', 'unit'),
  labelBy: word('cluster', 'largest'),
  scale: { is: isText },
  shift: maybe(isRow),
  divisor: maybe((v, file) => isRow(v, file) && v.every((x) => x > 0)),
  centers: { is: isTable },
  scaledCenters: maybe((v, file) => isTable(v, file) && isModest(v)),
  clusterMeans: maybe((v, file) => isTable(v, file) && isModest(v)),
  clusterAxes: maybe(isAxes),
  clusterWeights: maybe((v, { k }) => isListOf(isShare, k)(v) && v.length === k && Math.abs(v.reduce((sum, w) => sum + w, 0) - 1) <= 1e-6),
  clusterSpread: share,
  clusterDoubt: { is: (v) => isShare(v) && v <= 1, missing: 0 },
  rows: { is: isCount, missing: 0, write: true },
  sizes: maybe((v, { k }) => isListOf(isCount, k)(v) && v.length === k),
  columnLeast: maybe(isRow),
  columnMost: maybe(isRow),
  columnMean: maybe(isRow),
  columnSpread: maybe(isRow),
  largestResidual: share,
  objective: proved,
  floor: proved,
  floorError: proved,
  total: proved,
  gap: proved,
  solver: word('auto', 'gram', 'jacobi', 'krylov'),
  lambda: number,
  epsilon: number,
  slack: share,
  lower: maybe((v) => isListOf(Number.isFinite, 1)(v) && v.length === 1),
  upper: maybe((v) => isListOf(Number.isFinite, 1)(v) && v.length === 1),
  seed: { is: isSeed, missing: '0' },
  volume: word('auto', 'origin', 'affine'),
  volumeRatio: { is: (v) => Object.is(v, 0) || (Number.isFinite(v) && v >= 1), missing: 0 },
  stationarity: number,
  lossGap: number,
  iterations: { is: isShort, missing: 0, write: true },
  status: word('none', 'optimal', 'converged', 'iteration limit', 'cancelled', 'no half-space'),
  warnings: maybe((v, file) => isListOf(isWarning(file), 2 ** 20)(v)),
  others: maybe((v, file) => isListOf(isAnswer(file), 2 ** 20)(v)),
}

/**
 * The canonical form of a file, which the checksum is of. fault gets what is wrong: what the
 * reader in Go refuses.
 */
const checked = (given, fault) => {
  const file = {}
  for (const [name, { is, missing, write }] of Object.entries(fields)) {
    const v = given[name] === undefined ? missing : given[name]
    if (!is(v, file)) fault(v === undefined ? `it has no ${name}` : `its ${name} is ${show(v)}`)
    if (write || (v !== missing && !(Array.isArray(v) && v.length === 0))) file[name] = v
  }
  const { columns, scale, shift, divisor, centers, scaledCenters, rows, sizes } = file
  const parts = [shift, divisor, scaledCenters, scale === 'none' ? undefined : scale]
  if (parts.includes(undefined) && parts.some((v) => v !== undefined)) fault(`its scale is ${show(scale)}, and it has no ${['shift', 'divisor', 'scaledCenters', 'scale'][parts.indexOf(undefined)]}`)
  if (file.rowScaling && (file.sum || divisor || file.clusterMeans)) fault('it has rowScaling with sum, scale or clusterMeans')
  if (file.clusterAxes && !file.clusterMeans) fault('it has clusterAxes without clusterMeans')
  if (file.clusterWeights && !file.clusterMeans) fault('it has clusterWeights without clusterMeans')
  if (rows > 0 && sizes && sizes.reduce((a, b) => a + b) !== rows) fault(`its sizes do not add up to ${rows} rows`)
  if (!scaledCenters && !isModest(centers)) fault('its centers are out of range')
  scaledCenters?.forEach((row, i) => row.forEach((u, j) => {
    // In halves, of which no sum is out of range.
    const [v, s, us] = [centers[i][j], shift[j], u * (divisor[j] / 2)]
    if (!(Math.abs(v / 2 - s / 2 - us) <= 1e-12 * (Math.abs(v) + Math.abs(s) + Math.abs(us)))) fault(`its center ${i} is ${v} in column ${j}, which contradicts the scaled ${u}`)
  }))
  columns.forEach((name, j) => {
    const at = (list, other) => (list ? list[j] : other)
    const least = at(file.columnLeast, -Infinity)
    const most = at(file.columnMost, Infinity)
    const mean = at(file.columnMean, undefined)
    const spread = at(file.columnSpread, 0)
    const off = 1e-6 * Math.abs(least) + 1e-6 * Math.abs(most) + 2 ** -1000 // rounding
    if (least > most || mean < least - off || mean > most + off || spread < 0 || spread > most - least + off) fault(`the range, mean and spread of its column ${show(name)} contradict each other`)
  })
  return file
}

/** A value for messages, in at most 40 characters. */
const show = (v) => (typeof v === 'number' ? String(v) : canonical(v) ?? typeof v).slice(0, 40)

/** The rows of a matrix as arrays. */
const nested = (name, m) => {
  const { rows, cols, write } = matrix(name, m)
  const all = new Float64Array(rows * cols)
  write(all)
  const at = all.findIndex((v) => !Number.isFinite(v))
  if (at >= 0) refuse('nonFinite', `${name} has ${all[at]} in row ${Math.floor(at / cols)}, column ${at % cols}`, { argument: name, row: Math.floor(at / cols), column: at % cols })
  return Array.from({ length: rows }, (_, i) => Array.from(all.subarray(i * cols, (i + 1) * cols)))
}

/** The number of rows, and by label. */
const counted = (labels, k) => {
  if (!Array.isArray(labels) && !ArrayBuffer.isView(labels)) refuse('option', 'model.labels are no list', { argument: 'model.labels' })
  const sizes = new Array(k).fill(0)
  Array.from(labels).forEach((label, i) => {
    if (!isCount(label) || label >= k) refuse('option', `model.labels[${i}] is ${String(label)}, and the model has ${k} centers`, { argument: 'model.labels', row: i })
    sizes[label]++
  })
  return { rows: labels.length, sizes }
}

export const writeModel = (model, given) => {
  if (model === null || typeof model !== 'object') refuse('option', 'the model is no object; give what fit, fitMinVolume or readModel returned', { argument: 'model' })
  const { columns } = options(given, ['columns'])
  const { sum } = options({ sum: model.sum }, ['sum'])
  const centers = nested('model.centers', model.centers)
  const d = centers[0]?.length ?? 0
  const names = columns ?? model.columns ?? Array.from({ length: d }, (_, j) => `c${j + 1}`)
  if (!Array.isArray(names) || names.length !== d || !Array.from(names).every(isText)) refuse('shape', `columns are not the names of the ${d} columns of the centers`, { argument: 'columns' })
  const table = (name) => model[name] && nested(`model.${name}`, model[name])
  const list = (name) => model[name] && nested(`model.${name}`, [model[name]])[0]
  const { method, rowScaling, labelBy, scale = 'none', objective, floor, floorError, total, gap, lambda, slack, volumeRatio, iterations, status, warnings: warned } = model
  const file = checked({
    ...model.file,
    method, rowScaling, labelBy, scale, objective, floor, floorError, total, gap, lambda, slack, volumeRatio, iterations, status, centers,
    ...(warned && { warnings: warned.length > 0 ? warned : undefined }),
    ...(model.labels && counted(model.labels, centers.length)),
    format: 'softkmeans model',
    version: current,
    k: centers.length,
    columns: Array.from(names),
    named: columns !== undefined || (model.file?.named ?? model.columns !== undefined),
    sum: sum === 1 ? 'at most one' : 'one',
    shift: list('shift'),
    divisor: list('divisor'),
    scaledCenters: table('scaledCenters'),
    clusterMeans: table('clusterMeans'),
    clusterAxes: table('clusterAxes'),
    clusterWeights: list('clusterWeights'),
    clusterSpread: model.clusterSpread,
    clusterDoubt: model.clusterDoubt,
  }, (what) => refuse('option', `the model cannot be written: ${what}`, { argument: 'model' }))
  const text = textOf(file)
  return `${text.slice(0, -1)},"checksum":"${checksum(text)}"}\n`
}

export const readModel = (text) => {
  const wrong = (what) => refuse('format', `this is no model file that can be read: ${what}`)
  if (typeof text !== 'string') refuse('format', 'the text of a model file is no string', { argument: 'text' })
  let given
  try {
    given = JSON.parse(text)
  } catch (cause) {
    wrong(cause.message)
  }
  if (given?.format !== 'softkmeans model') wrong('its format is not "softkmeans model"')
  if (given.version !== current) wrong(`it has version ${show(given.version)}; this package reads version ${current}, a number`)
  if (given.kernel !== undefined || given.decomposition !== undefined) wrong('it is of similarities, which predict here does not take')
  const names = [...Object.keys(fields), 'checksum']
  Object.keys(given).reduce((last, name) => {
    const at = names.indexOf(name)
    return at > last ? at : wrong(`its field ${show(name)} is unknown or not in its place`)
  }, -1)
  if (given.seed !== undefined) given.seed = /"seed"\s*:\s*([^\s,}]*)/.exec(text)?.[1]
  const file = checked(given, wrong)
  if (given.checksum !== 'none' && given.checksum !== checksum(textOf(file))) wrong('its checksum is wrong: it is damaged, or was edited')

  const { format, version, k, columns, sum, scale, shift, divisor, centers, scaledCenters, clusterMeans, clusterAxes, clusterWeights, ...rest } = file
  const { method, rowScaling, labelBy, objective, floor, floorError, total, gap, lambda, slack, volumeRatio, iterations, status, warnings: warned, clusterSpread, clusterDoubt, ...others } = rest
  const table = (rows) => ({ rows: rows.length, cols: columns.length, data: Float64Array.from(rows.flat()) })
  const model = {
    k,
    cols: columns.length,
    columns,
    sum: sum ? 'at-most-one' : 'one',
    centers: table(centers),
    objective, floor, floorError, total, gap, iterations,
    file: others,
  }
  for (const [name, v] of Object.entries({ method, rowScaling, labelBy, lambda, slack, volumeRatio, status, warnings: warned, clusterSpread, clusterDoubt })) {
    if (v !== undefined) model[name] = v
  }
  for (const [name, v] of Object.entries({ clusterMeans, clusterAxes, scaledCenters })) {
    if (v) model[name] = table(v)
  }
  if (clusterWeights) model.clusterWeights = Float64Array.from(clusterWeights)
  if (divisor) Object.assign(model, { scale, shift: Float64Array.from(shift), divisor: Float64Array.from(divisor) })
  return model
}
