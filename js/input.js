// What callers pass, checked and brought into the form of the module: numbers row after row.

/** The error of every call. See softkmeans.d.ts. */
export class SoftKMeansError extends Error {
  constructor(code, message, where = {}) {
    super(message)
    this.name = 'SoftKMeansError'
    this.code = code
    Object.assign(this, where)
  }
}

export const refuse = (code, message, where) => {
  throw new SoftKMeansError(code, message, where)
}

/** What a value is, for messages. */
const kindOf = (v) => {
  if (v === null) return 'null'
  if (Array.isArray(v)) return 'an array'
  if (typeof v === 'object') return v.constructor?.name ?? 'an object'
  return v === undefined ? 'missing' : `a ${typeof v}`
}

const detached = (v) => v.buffer.detached === true || (v.length === 0 && v.buffer.byteLength === 0 && detachedBefore(v.buffer))

// Hosts without ArrayBuffer.prototype.detached throw where a detached buffer is viewed.
const detachedBefore = (buffer) => {
  try {
    new Uint8Array(buffer)
    return false
  } catch {
    return true
  }
}

const checkView = (name, v) => {
  if (detached(v)) refuse('shape', `the buffer of ${name} is detached: it was transferred to a worker or another window`, { argument: name })
}

// By name: another window, or vm of Node, has other classes.
const isFloats = (v) => ArrayBuffer.isView(v) && ['Float64Array', 'Float32Array'].includes(v[Symbol.toStringTag])

const size = (name, v) => {
  if (!Number.isSafeInteger(v) || v < 0) refuse('shape', `${name} is ${String(v)}, not a whole number of at least 0`, { argument: name })
  return v
}

/**
 * A matrix: rows, cols, and `write`, which puts its numbers into a Float64Array. No number is
 * copied before.
 */
export const matrix = (name, v) => {
  if (Array.isArray(v)) return ofRows(name, v)
  const data = v?.data // once: it may be a getter
  if (isFloats(data)) {
    checkView(`${name}.data`, data)
    const rows = size(`${name}.rows`, v.rows)
    const cols = size(`${name}.cols`, v.cols)
    if (data.length !== rows * cols) {
      refuse('shape', `${name}.data has ${data.length} numbers for ${rows} rows of ${cols}`, { argument: name })
    }
    return { rows, cols, write: (to) => to.set(data) }
  }
  if (isFloats(v)) refuse('shape', `${name} is numbers alone; give { rows, cols, data }`, { argument: name })
  return refuse('shape', `${name} is ${kindOf(v)}; give an array of rows, or { rows, cols, data } with a Float64Array or Float32Array`, { argument: name })
}

const ofRows = (name, v) => {
  const all = Array.from(v) // once: an array may have getters
  const check = (row, i) => {
    if (!Array.isArray(row) && !isFloats(row)) refuse('shape', `row ${i} of ${name} is ${kindOf(row)}, not an array of numbers`, { argument: name, row: i })
    if (!Array.isArray(row)) checkView(`row ${i} of ${name}`, row)
    if (row.length !== cols) refuse('shape', `row ${i} of ${name} has ${row.length} numbers, row 0 has ${cols}`, { argument: name, row: i })
  }
  const cols = all.length === 0 ? 0 : all[0]?.length
  all.forEach(check)
  const write = (to) => {
    all.forEach((row, i) => {
      check(row, i) // a getter may have changed it
      if (!Array.isArray(row)) {
        to.set(row, i * cols)
        return
      }
      for (let j = 0; j < cols; j++) {
        const x = row[j]
        if (typeof x !== 'number') refuse('nonFinite', `${name}[${i}][${j}] is ${kindOf(x)}, not a number`, { argument: name, row: i, column: j })
        to[i * cols + j] = x
      }
    })
  }
  return { rows: all.length, cols, write }
}

/** A list of numbers, such as weights. */
export const list = (name, v) => {
  if (isFloats(v)) checkView(name, v)
  else if (!Array.isArray(v)) refuse('shape', `${name} is ${kindOf(v)}; give an array of numbers`, { argument: name })
  const all = isFloats(v) ? v : Array.from(v) // once: an array may have getters
  for (let i = 0; i < all.length; i++) {
    if (typeof all[i] !== 'number') refuse('nonFinite', `${name}[${i}] is ${kindOf(all[i])}, not a number`, { argument: name, row: i })
  }
  return { length: all.length, write: (to) => to.set(all) }
}

/** A whole number from least to most. */
export const whole = (name, v, least, most = 2 ** 31 - 2) => {
  if (!Number.isInteger(v) || v < least || v > most) {
    refuse('option', `${name} is ${typeof v === 'bigint' ? `${v}n` : String(v)}, not a whole number from ${least} to ${most}`, { argument: name })
  }
  return v
}

/** A finite number of at least 0. */
const amount = (name, v) => {
  if (typeof v !== 'number' || !(v >= 0) || v === Infinity) refuse('option', `${name} is ${String(v)}, not a finite number of at least 0`, { argument: name })
  return v
}

/** The index of a word in a list. */
const word = (name, v, words) => {
  const at = words.indexOf(v)
  if (at < 0) refuse('option', `${name} is ${JSON.stringify(v) ?? String(v)}, not one of ${words.map((w) => `'${w}'`).join(', ')}`, { argument: name })
  return at
}

/** How each option is read. */
const readers = {
  weights: (v) => list('weights', v),
  sum: (v) => word('sum', v, ['one', 'at-most-one']),
  enclosure: (v) => word('enclosure', v, ['ball', 'tight']),
  slack: (v) => (v === 0 ? refuse('option', 'slack is 0, which compact prototypes cannot have; give a small one such as 1e-6, or take fit for the least error', { argument: 'slack' }) : amount('slack', v)),
  seed: (v) => whole('seed', v, 0, Number.MAX_SAFE_INTEGER),
  maxIter: (v) => whole('maxIter', v, 0),
  init: (v) => word('init', v, ['auto', 'k-means', 'spa', 'global']),
  nonNegative: (v) => (typeof v === 'boolean' ? Number(v) : refuse('option', `nonNegative is ${kindOf(v)}, not true or false`, { argument: 'nonNegative' })),
  volume: (v) => word('volume', v, ['auto', 'origin', 'affine']),
  restarts: (v) => whole('restarts', v, 0),
  tol: (v) => amount('tol', v),
  lambda: (v) => amount('lambda', v),
  starts: (v) => whole('starts', v, 0),
  kernel: (v) => word('kernel', v, ['matrix', 'rbf', 'linear']),
  gamma: (v) => amount('gamma', v),
  columns: (v) => (Array.isArray(v) ? Array.from(v) : refuse('option', `columns is ${kindOf(v)}, not an array of names`, { argument: 'columns' })),
}

/** The options of a call by name, own and inherited. */
export const named = (given) => {
  if (given !== undefined && Object.prototype.toString.call(given) !== '[object Object]') refuse('option', `the options are ${kindOf(given)}, not an object`, { argument: 'options' })
  const out = {}
  for (const name in given) out[name] = given[name]
  return out
}

/** The options of a call, read. A name that is not allowed is an error. */
export const options = (given, allowed) => {
  const out = {}
  for (const [name, v] of Object.entries(named(given))) {
    if (!allowed.includes(name)) refuse('option', `there is no option ${JSON.stringify(name)}; there are ${allowed.join(', ') || 'none'}`, { argument: name })
    if (v !== undefined) out[name] = readers[name](v)
  }
  return out
}
