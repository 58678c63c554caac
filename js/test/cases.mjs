// The tests, for Node and for browsers: each is a name and a function of the loaded package,
// the package's exports and what Go makes of the sets.

const check = (ok, what) => {
  if (!ok) throw new Error(what)
}

const near = (got, want, what, tol = 1e-12) => {
  const a = Array.from(typeof got === 'number' ? [got] : got)
  const b = Array.from(typeof want === 'number' ? [want] : want)
  check(a.length === b.length, `${what}: ${a.length} numbers, not ${b.length}`)
  const unit = Math.max(...b.map(Math.abs), 1e-300)
  a.forEach((v, i) => check(Math.abs(v - b[i]) <= tol * unit, `${what}[${i}] is ${v}, not ${b[i]}`))
}

const same = (got, want, what) => check(JSON.stringify(Array.from(got)) === JSON.stringify(Array.from(want)), `${what}: ${Array.from(got).slice(0, 9)}…, not ${Array.from(want).slice(0, 9)}…`)

/** Labels numbered as they appear: equal starts end in clusters of any order. */
const inOrder = (labels) => Array.from(labels, ((seen) => (v) => seen.get(v) ?? (seen.set(v, seen.size), seen.size - 1))(new Map()))

/** Fails unless f throws the error. Says what a call that should not have passed returned. */
const fails = (exports, f, code, words, where = {}) => {
  let error
  try {
    f()
  } catch (e) {
    error = e
  }
  check(error, `no error with ${words}`)
  check(error instanceof exports.SoftKMeansError, `${error?.stack ?? error}`)
  check(error.code === code && error.message.includes(words), `${error.code}: ${error.message}, not ${code} with ${words}`)
  for (const [name, v] of Object.entries(where)) check(error[name] === v, `${words}: ${name} is ${error[name]}, not ${v}`)
}

export const cases = []
const test = (name, run) => cases.push({ name, run })

for (const name of ['iris', 'wine']) {
  test(`${name}: the numbers of Go`, (skm, exports, all) => {
    const want = all[name]
    const m = skm.fit(want.Rows, 3)
    near(m.centers.data, want.Centers, 'centers')
    near(m.memberships.data, want.Memberships, 'memberships')
    near(m.objective, want.Objective, 'objective')
    near(m.floor, want.Floor, 'floor')
    same(m.labels, want.Labels, 'labels')
    check(m.status === 'optimal' && m.excessShare < 1e-10, `${m.status}, ${m.excessShare}`)
    const v = skm.fitMinVolume(want.Rows, 3)
    const spread = 1e-7 // Tol is 1e-5, and steps amplify the rounding of log and exp, which differ in TinyGo
    near(v.centers.data, want.MinCenters, 'compact centers', spread)
    near(v.memberships.data, want.MinShares, 'compact memberships', spread)
    near(v.objective, want.MinObjective, 'its objective', spread)
    same(v.labels, want.MinLabels, 'its labels')
    near(skm.floors(want.Rows), want.Floors, 'floors')
    const c = skm.certify(want.Rows, v.centers, v.memberships)
    near(c.objective, want.CertifiedObjective, 'certified objective', spread)
    near(c.total, want.Total, 'total')
    const s = skm.lsd(want.Rows, 3, { kernel: 'rbf' })
    near(s.objective, want.SimilarObjective, 'objective of similarities', 1e-9)
    same(inOrder(s.labels), inOrder(want.SimilarLabels), 'labels of similarities')
    const p = skm.predict(v, want.Rows)
    near(p.memberships.data, v.memberships.data, 'predicted memberships', 1e-9)
    same(p.labels, v.labels, 'predicted labels')
    near(v.clusterMeans.data, want.MinMeans, 'means of clusters')
    near(v.probabilities.data, want.MinLikely, 'probabilities', 1e-9)
    same(p.probabilities.data, v.probabilities.data, 'predicted probabilities')
    const read = exports.readModel(exports.writeModel(v))
    same(skm.predict(read, want.Rows).probabilities.data, v.probabilities.data, 'probabilities of the model that was read')
    const largest = skm.predict({ ...v, labelBy: 'largest' }, want.Rows)
    same(largest.probabilities.data, v.probabilities.data, 'probabilities with labelBy')
    largest.labels.forEach((label, i) => check(want.MinShares[3 * i + label] === Math.max(...want.MinShares.slice(3 * i, 3 * i + 3)), `label ${i} is not the largest membership`))
    check(skm.predict({ ...v, clusterWeights: undefined }, want.Rows).probabilities === undefined, 'probabilities without weights')
  })
}

test('tables in every form give the same bits', (skm, exports, all) => {
  const rows = all.iris.Rows
  const data = Float64Array.from(rows.flat())
  const wide = new Float64Array(data.length + 7)
  wide.set(data, 3)
  const before = data.slice()
  const want = skm.fit(rows, 3)
  for (const x of [
    { rows: 150, cols: 4, data },
    { rows: 150, cols: 4, data: wide.subarray(3, 603) },
    rows.map((r) => Float64Array.from(r)),
    Object.freeze(rows.map((r) => Object.freeze([...r]))),
  ]) {
    same(skm.fit(x, 3).centers.data, want.centers.data, 'centers')
  }
  same(data, before, 'the input')
  const single = skm.fit({ rows: 150, cols: 4, data: Float32Array.from(data) }, 3)
  check(Math.abs(single.floor - want.floor) < 1e-4, 'float32')
  if (typeof SharedArrayBuffer === 'function') {
    const shared = new Float64Array(new SharedArrayBuffer(8 * data.length))
    shared.set(data)
    same(skm.fit({ rows: 150, cols: 4, data: shared }, 3).centers.data, want.centers.data, 'shared')
  }
})

test('options reach the package', (skm, exports, all) => {
  const { Rows: x } = all.iris
  const weights = x.map((_, i) => (i % 3 === 0 ? 2 : 1))
  const twice = x.flatMap((row, i) => (i % 3 === 0 ? [row, row] : [row]))
  near(skm.floors(x, { weights }), skm.floors(twice), 'weight 2 and a row twice', 1e-11)
  check(skm.fit(x, 2, { sum: 'at-most-one' }).floor < skm.fit(x, 2).floor * 4, 'sum')
  check(Math.max(...skm.fit(x, 3, { enclosure: 'tight' }).centers.data.map(Math.abs)) < Math.max(...skm.fit(x, 3).centers.data.map(Math.abs)), 'tight')
  check(skm.fitMinVolume(x, 3, { nonNegative: true }).centers.data.every((v) => v >= 0), 'nonNegative')
  check(skm.fitMinVolume(x, 3, { slack: 0.5 }).objective > skm.fitMinVolume(x, 3, { slack: 0.1 }).objective, 'slack')
  check(skm.fitMinVolume(x, 3, Object.freeze({ seed: 2, init: 'k-means', restarts: 3, maxIter: undefined })).status === 'converged', 'seed')
})

test('hard tables', (skm) => {
  for (const [x, k] of [
    [[[1, 2, 3]], 1],
    [[[1, 1], [1, 1], [1, 1]], 2],
    [[[0, 0], [0, 0]], 2],
    [[[1e150, 0], [0, 1e150], [1, 1]], 2],
    [Array.from({ length: 5 }, (_, i) => Array.from({ length: 300 }, (_, j) => Math.sin(i * j))), 3],
    [[[1], [2], [4]], 7],
  ]) {
    const m = skm.fit(x, k)
    check(m.memberships.data.length === x.length * k && m.objective >= 0 && m.excessShare <= 1e-9 * (m.total > 0 ? 1 : 1e308), `${JSON.stringify(x).slice(0, 60)}: ${m.objective}, ${m.excessShare}`)
  }
})

test('bad input is a clear error, and the next call works', (skm, exports, all) => {
  const x = [[0, 0], [1, 0], [0, 1]]
  const bad = (f, code, words, where) => {
    fails(exports, f, code, words, where)
    check(skm.fit(x, 2).k === 2, 'the package does not go on')
  }
  bad(() => skm.fit([[1, 2], [3, NaN]], 1), 'nonFinite', 'x[1,1] = NaN', { argument: 'x', row: 1, column: 1 })
  bad(() => skm.fit([[1, 2], [Infinity, 3]], 1), 'nonFinite', 'x[1,0]', { row: 1, column: 0 })
  bad(() => skm.fit([[1e200, 2]], 1), 'range', 'out of range', { row: 0, column: 0 })
  bad(() => skm.fit([[1, 2], [3]], 1), 'shape', 'row 1 of x has 1 numbers, row 0 has 2', { row: 1 })
  bad(() => skm.fit([[1, 2], 5], 1), 'shape', 'row 1 of x is a number')
  bad(() => skm.fit([[1, '2']], 1), 'nonFinite', 'x[0][1] is a string', { row: 0, column: 1 })
  bad(() => skm.fit([[1, , 2]], 1), 'nonFinite', 'x[0][1] is missing', { column: 1 })
  bad(() => skm.fit([[1, null]], 1), 'nonFinite', 'is null')
  bad(() => skm.fit([new BigInt64Array(2)], 1), 'shape', 'row 0 of x is BigInt64Array')
  bad(() => skm.fit({ rows: 1, cols: 2, data: [1, 2] }, 1), 'shape', 'x is Object')
  bad(() => skm.fit({ rows: 2, cols: 2, data: new Float64Array(3) }, 1), 'shape', '3 numbers for 2 rows of 2')
  bad(() => skm.fit({ rows: -1, cols: 2, data: new Float64Array(2) }, 1), 'shape', 'x.rows is -1')
  bad(() => skm.fit({ rows: 1.5, cols: 2, data: new Float64Array(3) }, 1), 'shape', 'x.rows is 1.5')
  bad(() => skm.fit({ rows: 2, cols: 2, data: new BigInt64Array(4) }, 1), 'shape', 'x is Object')
  bad(() => skm.fit(new Float64Array(4), 1), 'shape', 'give { rows, cols, data }')
  bad(() => skm.fit(undefined, 1), 'shape', 'x is missing')
  bad(() => skm.fit(null, 1), 'shape', 'x is null')
  bad(() => skm.fit('1,2', 1), 'shape', 'x is a string')
  bad(() => skm.fit([], 1), 'tooFewSamples', 'no rows')
  bad(() => skm.fit([[], []], 1), 'shape', 'no columns')
  for (const k of [0, -1, 1.5, NaN, '2', 2n, null, undefined, Infinity]) bad(() => skm.fit(x, k), 'option', `k is ${typeof k === 'bigint' ? `${k}n` : String(k)}`, { argument: 'k' })
  bad(() => skm.fit(x, 2 ** 31 - 2), 'tooLarge', 'too large')
  bad(() => skm.fit(x, 2, { slack: 1 }), 'option', 'there is no option "slack"')
  bad(() => skm.fit(x, 2, { enclosure: 'cube' }), 'option', "not one of 'ball'")
  bad(() => skm.fit(x, 2, 5), 'option', 'the options are a number')
  bad(() => skm.fit(x, 2, null), 'option', 'the options are null')
  for (const odd of [new Map(), new Date(), new Float64Array(0), [], () => 1]) bad(() => skm.fit(x, 2, odd), 'option', 'the options are', { argument: 'options' })
  bad(() => skm.fit(x, 2, Object.create({ slack: 1 })), 'option', 'there is no option "slack"')
  bad(() => skm.predict(skm.fit(x, 2), x, { foo: 1 }), 'option', 'there is no option "foo"')
  bad(() => skm.fit(x, 2, { weights: [] }), 'shape', '0 weights for 3 rows', { argument: 'weights' })
  bad(() => skm.floors(x, { weights: new Float64Array(0) }), 'shape', '0 weights for 3 rows')
  if ('resize' in ArrayBuffer.prototype) {
    const buffer = new ArrayBuffer(24, { maxByteLength: 24 })
    const weights = new Float64Array(buffer, 0, 3)
    buffer.resize(8)
    bad(() => skm.fit(x, 2, { weights }), 'shape', '0 weights for 3 rows')
    bad(() => skm.fit({ rows: 1, cols: 3, data: weights }, 2), 'shape', '0 numbers for 1 rows of 3')
  }
  bad(() => skm.fit(x, 2, { weights: [1, 2] }), 'shape', '2 weights for 3 rows')
  bad(() => skm.fit(x, 2, { weights: [1, -1, 1] }), 'option', 'weights[1]', { argument: 'weights', row: 1 })
  bad(() => skm.fit(x, 2, { weights: [1, NaN, 1] }), 'nonFinite', 'weights[1]')
  bad(() => skm.fit(x, 2, { weights: 'x' }), 'shape', 'weights is a string')
  bad(() => skm.fit(x, 2, { weights: [0, 0, 0] }), 'tooFewSamples', 'every weight is 0')
  bad(() => skm.fitMinVolume(x, 2, { seed: -1 }), 'option', 'seed is -1')
  bad(() => skm.fitMinVolume(x, 2, { slack: NaN }), 'option', 'slack is NaN')
  bad(() => skm.fitMinVolume(x, 2, { slack: 0 }), 'option', 'slack is 0', { argument: 'slack' })
  bad(() => skm.fitMinVolume(x, 2, { nonNegative: 1 }), 'option', 'nonNegative')
  bad(() => skm.certify(x, [[1, 2, 3]], [[1], [1], [1]]), 'shape', 'centers have 3')
  bad(() => skm.certify(x, [[1, 2]], [[1], [1]]), 'shape', 'memberships are 2 rows')
  bad(() => skm.lsd([[1, 2], [3, 4]], 1), 'shape', 'not symmetric')
  bad(() => skm.lsd([[1, 2, 3]], 1), 'shape', 'not square')
  const m = skm.fit(x, 2)
  bad(() => skm.predict(m, [[1, 2, 3]]), 'shape', 'the model has 2 centers of 2')
  bad(() => skm.predict(undefined, x), 'option', 'the model is no object')
  bad(() => skm.predict({ ...m, centers: { rows: 2, cols: 2, data: new Float64Array([1, NaN, 2, 3]) } }, x), 'nonFinite', 'centers[0,1]')
  const data = new Float64Array([1, 2, 3, 4])
  structuredClone(data.buffer, { transfer: [data.buffer] })
  bad(() => skm.fit({ rows: 2, cols: 2, data }, 1), 'shape', 'detached')
  bad(() => skm.fit({ rows: 2 ** 13 + 1, cols: 2 ** 13, data: new Float32Array(2 ** 26 + 2 ** 13) }, 1), 'tooLarge', 'too many for the module')
})

test('an error of a getter goes through, and getters are read once', (skm, exports) => {
  const mine = new Error('mine')
  const row = Object.defineProperty([1, 2], 1, { get: () => { throw mine } })
  let got
  try {
    skm.fit([row], 1)
  } catch (e) {
    got = e
  }
  check(got === mine, `${got}`)
  const x = [[1, 2], [3, 4]]
  let reads = 0
  Object.defineProperty(x, 1, { get: () => (reads++ === 0 ? [3, 4] : [3]) })
  near(skm.fit(x, 1).centers.data, [2, 3], 'centers')
  const shrinks = [Object.defineProperty([1, 2], 1, { get: () => (shrinks[1].pop(), 2) }), [3, 4]]
  fails(exports, () => skm.fit(shrinks, 1), 'shape', 'row 1 of x has 1 numbers')
})

test('options may be inherited', (skm) => {
  const x = [[1], [2], [4]]
  const weights = [1, 0, 1]
  near(skm.fit(x, 1, Object.create({ weights })).centers.data, skm.fit(x, 1, { weights }).centers.data, 'centers')
})

test('a model file is read back', (skm, exports, all) => {
  const { Rows: x } = all.wine
  const m = skm.fitMinVolume(x, 3)
  const columns = x[0].map((_, j) => `c"${j}é`)
  const text = exports.writeModel(m, { columns })
  const back = exports.readModel(text)
  check(exports.writeModel(back) === text, 'written again it is another text')
  same(back.centers.data, m.centers.data, 'centers')
  same(back.columns, columns, 'columns')
  same(skm.predict(back, x).labels, m.labels, 'labels')
  near(skm.predict(back, x).memberships.data, m.memberships.data, 'memberships', 1e-9)
  const fit = exports.readModel(exports.writeModel(skm.fit(x, 3, { sum: 'at-most-one' })))
  check(fit.sum === 'at-most-one', 'the sum')
  for (const [wrong, words] of [
    [text.replace('"objective":', '"objective":1'), 'checksum'], [text.replace('"k":3', '"k":4'), 'its centers is'], [text.slice(0, 99), 'no model file'], ['{}', 'format'], ['null', 'format'],
    [text.replace('"version":2', '"version":9'), 'version 9'], [text.replace('"version":2', '"version":"2"'), 'version "2"'],
  ]) {
    fails(exports, () => exports.readModel(wrong), 'format', words)
  }
  fails(exports, () => exports.readModel(5), 'format', 'no string')
  fails(exports, () => exports.writeModel(m, { columns: ['a'] }), 'shape', '13 columns')
})

// A scaled model as Go writes it, but for spaces and the checksum.
const scaled = {
  format: 'softkmeans model', version: 2, k: 2, columns: ['a', 'b'], named: true, scale: 'zscore', shift: [5, 5], divisor: [10, 10],
  centers: [[5, 5], [15, 15]], scaledCenters: [[0, 0], [1, 1]], rows: 3, sizes: [1, 2], columnLeast: [0, 0], columnMost: [20, 20], checksum: 'none',
}

test('rows of counts are shares of their sums', (skm, exports) => {
  const { checksum, ...rest } = { ...scaled, scale: 'counts', shift: [0, 0], divisor: [0.5, 0.5], centers: [[1, 0], [0, 1]], scaledCenters: [[2, 0], [0, 2]] }
  const model = exports.readModel(JSON.stringify({ ...rest, lower: [0], checksum }))
  near(skm.predict(model, [[10, 0], [3, 9], [0, 0]]).memberships.data, [1, 0, 0.25, 0.75, 0.5, 0.5], 'shares of counts')
  same(JSON.parse(exports.writeModel(model)).lower, [0], 'the bound')
  fails(exports, () => skm.predict(model, [[10, -1]]), 'range', 'at least 0')
})

test('rows of any brightness are divided by their sums', (skm, exports) => {
  const { checksum, ...rest } = { ...scaled, scale: 'sums', shift: [0, 0], divisor: [4, 4], centers: [[4, 0], [0, 4]], scaledCenters: [[1, 0], [0, 1]] }
  const model = exports.readModel(JSON.stringify({ ...rest, checksum }))
  near(skm.predict(model, [[10, 0], [3, 9], [0.01, 0.01]]).memberships.data, [1, 0, 0.25, 0.75, 0.5, 0.5], 'parts of sums')
  fails(exports, () => skm.predict(model, [[1, 2], [0, 0]]), 'range', 'above 0')
})

test('counts of words are logarithms by rarity, in rows of length 1', (skm, exports) => {
  const { checksum, ...rest } = { ...scaled, scale: 'words', shift: [0, 0], divisor: [1, 0.5], centers: [[1, 0], [0, 0.5]], scaledCenters: [[1, 0], [0, 1]] }
  const model = exports.readModel(JSON.stringify({ ...rest, checksum }))
  const [few, many] = [0.5 - 0.5 / Math.sqrt(5), 0.5 + 0.5 / Math.sqrt(5)] // of the row (1, 2)/√5
  near(skm.predict(model, [[Math.E - 1, 0], [Math.E - 1, Math.E - 1], [0, 0]]).memberships.data, [1, 0, few, many, 0.5, 0.5], 'words')
  fails(exports, () => skm.predict(model, [[1, -2]]), 'range', 'at least 0')
})

test('a model file that Go refuses is refused', (skm, exports) => {
  const good = JSON.stringify(scaled)
  const back = exports.readModel(good)
  same(skm.predict(back, [[5, 5], [15, 15]]).labels, [0, 1], 'labels of scaled rows')
  for (const [change, words] of [
    [{ scaledCenters: undefined }, 'no scaledCenters'], [{ shift: undefined }, 'no shift'], [{ divisor: undefined }, 'no divisor'], [{ scale: 'none' }, 'no scale'],
    [{ divisor: 5 }, 'its divisor is 5'], [{ divisor: ['a', 'b'] }, 'its divisor'], [{ divisor: [null, 1] }, 'its divisor'], [{ divisor: [1] }, 'its divisor'], [{ divisor: [0, 1] }, 'its divisor'],
    [{ shift: [5, '5'] }, 'its shift'], [{ shift: [6, 5] }, 'contradicts'], [{ scaledCenters: [[0, 0], [1, 2]] }, 'contradicts'],
    [{ columns: [1, 2] }, 'its columns'], [{ columns: ['a', '\ud800'] }, 'its columns'], [{ columns: [] }, 'its columns'], [{ k: 2.5 }, 'its k'], [{ k: 0 }, 'its k'], [{ k: null }, 'its k'], [{ k: undefined }, 'no k'],
    [{ centers: undefined }, 'no centers'], [{ centers: [[5, 5]] }, 'its centers'], [{ centers: [[5, 5], [15, null]] }, 'its centers'], [{ centers: { length: 2 } }, 'its centers'],
    [{ rows: 4 }, 'do not add up'], [{ sizes: [3] }, 'its sizes'], [{ sizes: [4, -1] }, 'its sizes'], [{ columnLeast: [21, 0] }, 'column "a"'], [{ named: 1 }, 'its named'], [{ scale: 5 }, 'its scale'],
    [{ extra: 1 }, 'its field "extra"'],
  ]) {
    const { checksum, ...rest } = { ...scaled, ...change }
    fails(exports, () => exports.readModel(JSON.stringify({ ...rest, checksum })), 'format', words)
  }
  for (const [field, words] of [
    ['"objective":"1"', 'its objective'], ['"status":7', 'its status'], ['"lambda":1e999', 'its lambda'], ['"slack":-1', 'its slack'], ['"volumeRatio":0.5', 'its volumeRatio'], ['"volumeRatio":true', 'its volumeRatio'], ['"iterations":-0', 'its iterations'], ['"iterations":1.5', 'its iterations'],
    ['"seed":1e20', 'its seed'], ['"seed":18446744073709551616', 'its seed'], ['"seed":"1"', 'its seed'], ['"warnings":[{"kind":"near"}]', 'its warnings'], ['"others":[5]', 'its others'], ['"kernel":"rbf"', 'similarities'],
  ]) {
    fails(exports, () => exports.readModel(good.replace('"checksum"', `${field},"checksum"`)), 'format', words)
  }
  for (const [from, to] of [['"named":true,', '"named":true,"sum":"at-most-one",'], ['"named":true,', '"sum":"one","named":true,'], ['"scale":"zscore",', '"rowScaling":"given","scale":"zscore",'], ['"scale":"zscore",', '"rowScaling":"unit","scale":"zscore",'], [',"checksum":"none"', ''], ['"none"', '"NONE"']]) {
    fails(exports, () => exports.readModel(good.replace(from, to)), 'format', 'model file')
  }
  for (const name of ['shift', 'divisor', 'scaledCenters']) fails(exports, () => skm.predict({ ...back, [name]: undefined }, [[1, 2]]), 'shape', 'of its scaling')
  for (const [change, code, words] of [[{ shift: ['5', 5] }, 'nonFinite', 'model.shift[0] is a string'], [{ divisor: [1] }, 'shape', 'model.divisor has 1'], [{ divisor: null }, 'shape', 'model.divisor is null'], [{ divisor: [0, 1] }, 'nonFinite', 'x[0,0]']]) {
    fails(exports, () => skm.predict({ ...back, ...change }, [[1, 2]]), code, words)
  }
})

test('warnings are those of Go, and are kept in the file', (skm, exports) => {
  const one = skm.fitMinVolume([[1, 1], [1, 1], [1, 1]], 2)
  const want = [{ kind: 'dimensions', cluster: 0, other: 0, value: 2 }]
  check(JSON.stringify(one.warnings) === JSON.stringify(want), JSON.stringify(one.warnings))
  check(JSON.stringify(exports.readModel(exports.writeModel(one)).warnings) === JSON.stringify(want), 'of the file')
  const none = skm.fit([[1, 2], [3, 5], [4, 4]], 2)
  check(none.warnings.length === 0 && exports.readModel(exports.writeModel(none)).warnings === undefined, 'without warnings')
})

test('a model that was read is written with what has changed', (skm, exports) => {
  const good = JSON.stringify(scaled).replace('"checksum"', '"epsilon":2,"seed":18446744073709551615,"iterations":3,"warnings":[{"kind":"far","cluster":1,"other":0,"value":-0}],"checksum"')
  const text = exports.writeModel(exports.readModel(good))
  check(text.includes('"seed":18446744073709551615') && text.includes('"value":-0') && text.includes('"epsilon":2'), text)
  const back = exports.readModel(text)
  check(exports.writeModel(back) === text, 'written again it is another text')
  fails(exports, () => exports.readModel(text.replace('551615', '551614')), 'format', 'checksum')
  fails(exports, () => exports.readModel(text.replace('"columnMost":[20', '"columnMost":[21')), 'format', 'checksum')
  same(exports.readModel(exports.writeModel(back, { columns: ['x', 'y'] })).columns, ['x', 'y'], 'columns')
  fails(exports, () => exports.writeModel({ ...back, centers: [[1, 1], [2, 2]] }), 'option', 'contradicts')
  const m = skm.fit([[1, 2], [3, 5], [4, 4]], 2)
  const plain = exports.readModel(exports.writeModel(m))
  same(exports.readModel(exports.writeModel({ ...plain, centers: [[1, 1], [2, 2]] })).centers.data, [1, 1, 2, 2], 'centers')
  for (const [change, code, words] of [
    [{ centers: [[NaN, 1], [2, 2]] }, 'nonFinite', 'NaN in row 0, column 0'], [{ centers: [], labels: undefined }, 'option', 'its k is 0'], [{ labels: [0, 1, 2] }, 'option', 'model.labels[2] is 2'], [{ labels: [0.5] }, 'option', 'model.labels[0]'], [{ labels: 5 }, 'option', 'no list'],
    [{ objective: NaN }, 'option', 'its objective'], [{ sum: 'at most one' }, 'option', 'sum is'], [{ status: 7 }, 'option', 'its status'], [{ lambda: NaN }, 'option', 'its lambda'], [{ shift: [1, 2] }, 'option', 'no divisor'], [{ columns: ['a'] }, 'shape', '2 columns'],
  ]) {
    fails(exports, () => exports.writeModel({ ...m, ...change }), code, words)
  }
  for (const [given, words] of [[null, 'are null'], [{ column: ['a', 'b'] }, 'no option "column"'], [{ columns: 'ab' }, 'a string']]) fails(exports, () => exports.writeModel(m, given), 'option', words)
  fails(exports, () => exports.writeModel(m, { columns: ['a', '\ud800'] }), 'shape', 'names of the 2 columns')
})

test('a thousand fits keep no memory', (skm, exports, all) => {
  const { Rows: x } = all.iris
  const used = () => globalThis.process?.memoryUsage().rss ?? 0
  for (let i = 0; i < 100; i++) skm.fit(x, 3)
  const before = used()
  for (let i = 0; i < 1000; i++) skm.fit(x, 3)
  check(used() - before < 200e6, `${Math.round((used() - before) / 1e6)} MB more`)
})

test('a worker: the same numbers, calls at once, errors, aborts', async (skm, exports, all, start) => {
  const { Rows: x } = all.iris
  const w = start()
  const [a, b, c] = await Promise.all([w.fit(x, 3), w.fitMinVolume(x, 3, { seed: 1 }), w.fit([[1, NaN]], 1).catch((e) => e)])
  same(a.centers.data, skm.fit(x, 3).centers.data, 'centers')
  same(b.centers.data, skm.fitMinVolume(x, 3, { seed: 1 }).centers.data, 'compact centers')
  check(c instanceof exports.SoftKMeansError && c.code === 'nonFinite' && c.column === 1, `${c}`)
  same((await w.predict(b, x)).labels, b.labels, 'labels')
  const control = new AbortController()
  const long = w.fitMinVolume(x, 10, { restarts: 200, signal: control.signal }).catch((e) => e)
  const beside = w.floors(x).catch((e) => e)
  setTimeout(() => control.abort(), 100)
  check((await long).name === 'AbortError', `${await long}`)
  check((await beside).code === 'aborted' || (await beside).length === 5, `${await beside}`)
  near(await w.floors(x), skm.floors(x), 'floors after an abort')
  const never = await w.fit(x, 3, { signal: AbortSignal.abort() }).catch((e) => e)
  check(never.name === 'AbortError', `${never}`)
  check((await w.fit(x, 3, { signal: null })).k === 3, 'a signal of null is none')
  for (const [o, words] of [[null, 'are null'], [5, 'are a number'], [new Map(), 'are Map'], [{ foo: 1 }, '"foo"'], [{ signal: 5 }, 'signal'], [{ signal: { throwIfAborted() {} } }, 'signal']]) {
    for (const call of [w.fit(x, 3, o), w.predict(b, x, o)]) {
      const e = await call.catch((e) => e)
      check(e instanceof exports.SoftKMeansError && e.code === 'option' && e.message.includes(words), `${words}: ${e}`)
    }
  }
  const odd = await w.fit(() => 1, 3).catch((e) => e)
  check(odd.code === 'shape', `${odd}`)
  const none = start(() => 1)
  for (let i = 0; i < 2; i++) {
    const e = await none.floors(x).catch((e) => e)
    check(e instanceof exports.SoftKMeansError && e.code === 'load', `a source that cannot be sent: ${e}`)
  }
  none.close()
  const open = w.fitMinVolume(x, 30, { restarts: 20 }).catch((e) => e)
  w.close()
  check((await open).code === 'closed' || (await open).k === 30, `${await open}`)
})
