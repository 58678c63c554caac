// Compiles if the types say what the package does.
import { load, readModel, writeModel, SoftKMeansError, type Fitted } from 'softkmeans'
import { start } from 'softkmeans/worker'

const skm = await load()
const m: Fitted = skm.fit([[1, 2], [3, 4]], 1, { enclosure: 'tight', weights: [1, 2] })
const first: number = m.memberships.data[0]!
const label: number | undefined = skm.predict(readModel(writeModel(m, { columns: ['a', 'b'] })), { rows: 1, cols: 2, data: new Float32Array(2) }).labels[0]
const floors: Float64Array = await start().floors([new Float64Array(2)], { signal: new AbortController().signal })
try {
  // @ts-expect-error: there is no such option
  skm.fit([[1]], 1, { slak: 1 })
  // @ts-expect-error: k is a number
  skm.fit([[1]], '1')
} catch (e) {
  if (e instanceof SoftKMeansError) console.log(e.row, e.column, first, label, floors)
}
