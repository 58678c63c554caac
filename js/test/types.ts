// Compiles if the types say what the package does.
import { load, readModel, writeModel, SoftKMeansError, type Fitted } from 'softkmeans'
import { start } from 'softkmeans/worker'

const skm = await load()
const m: Fitted = skm.fit([[1, 2], [3, 4]], 1, { enclosure: 'tight', weights: [1, 2] })
const first: number = m.memberships.data[0]!
const label: number | undefined = skm.predict(readModel(writeModel(m, { columns: ['a', 'b'] })), { rows: 1, cols: 2, data: new Float32Array(2) }).labels[0]
const floors: Float64Array = await start().floors([new Float64Array(2)], { signal: new AbortController().signal })
await load(Promise.resolve(new Uint8Array(8)))
start(new ArrayBuffer(8)).close()
const rest: object | undefined = m.file ?? m.clusterMeans
const likely: Float64Array | undefined = skm.predict(m, [[1, 2]]).probabilities?.data ?? m.clusterWeights
const unit: 'unit' | undefined = m.rowScaling
try {
  // @ts-expect-error: there is no such option
  skm.fit([[1]], 1, { slak: 1 })
  // @ts-expect-error: k is a number
  skm.fit([[1]], '1')
  // @ts-expect-error: a code comes before the message
  throw new SoftKMeansError('x')
} catch (e) {
  if (e instanceof SoftKMeansError) console.log(e.row, e.column, first, label, floors, rest, unit, likely)
}
