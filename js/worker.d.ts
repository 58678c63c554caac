import type { Certificate, Clusters, FitOptions, Fitted, LSDOptions, MinVolumeOptions, Matrix, Model, Numbers, Table } from './softkmeans.js'

/** An abort ends the thread, and with it all calls that wait; the next call starts another. */
export interface Abort {
  signal?: AbortSignal
}

/** The functions of SoftKMeans, in a thread of their own. Arguments are copied. */
export interface Remote {
  fit(x: Table, k: number, options?: FitOptions & Abort): Promise<Fitted>
  fitMinVolume(x: Table, k: number, options?: MinVolumeOptions & Abort): Promise<Fitted>
  predict(model: Model, x: Table, options?: Abort): Promise<{ memberships: Matrix; labels: Int32Array }>
  floors(x: Table, options?: { weights?: Numbers; sum?: 'one' | 'at-most-one' } & Abort): Promise<Float64Array>
  certify(x: Table, centers: Table, memberships: Table, options?: { weights?: Numbers; sum?: 'one' | 'at-most-one' } & Abort): Promise<Certificate>
  lsd(x: Table, k: number, options?: LSDOptions & Abort): Promise<Clusters>
  /** Ends the thread. */
  close(): void
}

/** A thread that starts with the first call. source is as for load: a module or bytes. */
export function start(source?: WebAssembly.Module | BufferSource): Remote
