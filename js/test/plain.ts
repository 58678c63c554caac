// Compiles without the types of a host.
import { load, type SoftKMeans } from 'softkmeans'
import { start } from 'softkmeans/worker'

export const skm: SoftKMeans = await load(new Uint8Array(8))
export const floors: Float64Array = await start().floors([[1]])
