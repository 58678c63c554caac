import type { Certificate, Clusters, FitOptions, Fitted, LSDOptions, MinVolumeOptions, Matrix, Model, Numbers, Source, Table } from './softkmeans.js'

/** What is read of an AbortSignal, which has a type only with those of the browser or of Node. */
export interface Signal {
  readonly aborted: boolean
  readonly reason?: any
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/**
 * An abort ends the thread, and with it all calls that wait; the next call starts another. The
 * call is rejected with the signal's reason, which is a DOMException unless another was given:
 * AbortError, or TimeoutError. Other calls are rejected with a SoftKMeansError of code 'aborted'.
 */
export interface Abort {
  signal?: Signal | null
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

/**
 * A thread that starts with the first call. source is a module or bytes, as for load, or a
 * promise of one. A Response cannot be sent to a thread.
 */
export function start(source?: Source | Promise<Source>): Remote
