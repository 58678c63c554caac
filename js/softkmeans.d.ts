/**
 * Soft k-means in WebAssembly: rows of a table as mixtures of k prototypes, X ≈ GF, with
 * memberships G that are at least 0 and add up to 1 in each row. The least squared error is
 * known and proved; `fit` reaches it.
 */

/** Numbers row after row. */
export interface Matrix {
  rows: number
  cols: number
  /** rows·cols numbers: row i is `data.subarray(i * cols, (i + 1) * cols)`. */
  data: Float64Array
}

/** A table: rows of numbers, or a matrix. It is read and not changed. */
export type Table =
  | readonly (readonly number[] | Float64Array | Float32Array)[]
  | { readonly rows: number; readonly cols: number; readonly data: Float64Array | Float32Array }

export type Numbers = readonly number[] | Float64Array | Float32Array

/** What is proved of a solution. All are in squared units of the table. */
export interface Proof {
  /** ‖X − GF‖², or a little above: an upper bound with all rounding. */
  objective: number
  /** No k prototypes can have a smaller error, but for floorError. */
  floor: number
  floorError: number
  /** The sum of squares about the mean (about 0 for sums of at most one). */
  total: number
  /** (objective − floor)/total. */
  gap: number
}

/** What a fit is to be told of: the words and values of WarningKind in the Go package. */
export interface Warning {
  kind: 'coincident' | 'empty' | 'far' | 'slack' | 'several' | 'labels' | 'shares' | 'dimensions' | 'rows'
  /** The prototypes that it is about, from 0. */
  cluster: number
  other: number
  value: number
}

export interface Model extends Proof {
  k: number
  cols: number
  sum: 'one' | 'at-most-one'
  method: string
  /** k×cols, in the units of the table. */
  centers: Matrix
  /** rows×k. Missing in a model that was read. */
  memberships?: Matrix
  /** The cluster of each row, from 0. Missing in a model that was read. */
  labels?: Int32Array
  /** How far above the least error the solution can be at most, as a share of total. */
  excessShare?: number
  /** 'optimal', 'converged', 'iteration limit' or 'no half-space'. */
  status?: string
  warnings?: Warning[]
  iterations?: number
  lambda?: number
  /** What lambda was chosen by: the error that was allowed above the floor, as a share of it. */
  slack?: number
  /** Of a model that was read. */
  volumeRatio?: number
  clusterMeans?: Matrix
  clusterAxes?: Matrix
  /** The weight of each cluster's rows, a share of all; for the probabilities of predict. */
  clusterWeights?: Float64Array
  /** How far rows are from the means of their clusters along an axis. */
  clusterSpread?: number
  /** The share of rows to which two halves give different labels. */
  clusterDoubt?: number
  /** Of fitMinVolume: how likely each cluster is for each row, rows×k. Rows add up to 1. */
  probabilities?: Matrix
  /** Of a model that was read: the names of the columns. */
  columns?: string[]
  /**
   * Of a model that was read: the fit was of (v − shift)/divisor by columns, by the rule scale,
   * such as 'zscore'. predict takes scaledCenters, which are of these, in place of centers.
   */
  scale?: string
  shift?: Float64Array
  divisor?: Float64Array
  scaledCenters?: Matrix
  /** Of a model that was read: the fit was of rows of length 1, which predict does not take. */
  rowScaling?: 'unit'
  /** Of a model that was read: its rows are mixtures, and a label is the largest membership. */
  labelBy?: 'largest'
  /** Of a model that was read: what else its file has. writeModel writes it again. */
  file?: object
}

/** A fitted model. */
export type Fitted = Model & Required<Pick<Model, 'memberships' | 'labels' | 'excessShare' | 'status'>>

export interface FitOptions {
  /** A number of at least 0 for each row; default: all 1. A row of weight 2 counts twice. */
  weights?: Numbers
  /** Whether memberships add up to one (default) or to at most one, as for shade. */
  sum?: 'one' | 'at-most-one'
  /** The simplex around the data: 'ball' (default) or 'tight'. */
  enclosure?: 'ball' | 'tight'
}

export interface MinVolumeOptions {
  weights?: Numbers
  sum?: 'one' | 'at-most-one'
  /**
   * The share of the floor that compact prototypes may cost above it, above 0; default: by the
   * noise, at most 0.25.
   */
  slack?: number
  /** The weight of the volume itself, in place of slack; default, as 0: by slack. */
  lambda?: number
  /** Of all that is random, from 0 to 2^53 − 1; default 0. The same seed gives the same result. */
  seed?: number
  /** Iterations for each weight of the volume; default, as 0: 1000. */
  maxIter?: number
  /** Starts; default, as 0: 1. */
  restarts?: number
  /** When to stop; default, as 0: 1e-5. */
  tol?: number
  init?: 'auto' | 'k-means' | 'spa' | 'global'
  /** Keeps all entries of the centers at 0 or above, as spectra are. */
  nonNegative?: boolean
  volume?: 'auto' | 'origin' | 'affine'
}

export interface LSDOptions {
  /** 'matrix' (default): x is the symmetric matrix of similarities. 'rbf', 'linear': of the rows of x. */
  kernel?: 'matrix' | 'rbf' | 'linear'
  /** γ of exp(−γ·distance²); default, as 0: the median heuristic. */
  gamma?: number
  seed?: number
  /** Starts; default, as 0: 5. */
  starts?: number
  /** Steps of each descent; default, as 0: 1000. */
  maxIter?: number
}

export interface Clusters extends Proof {
  k: number
  memberships: Matrix
  labels: Int32Array
  status: string
  iterations: number
}

export interface Certificate extends Proof {
  /** How far above the least error the pair can be at most, as a share of total. */
  excessShare: number
  minMembership: number
  maxSumError: number
  /** How far the memberships are from those on the simplex that the verdict is about. */
  repair: number
  spanError: number
}

/**
 * Every error of this package. `code` is 'shape', 'nonFinite', 'range', 'tooFewSamples',
 * 'option', 'tooLarge', 'format' (of a model file), 'memory', 'load', and in a worker
 * 'aborted' (by another call), 'closed', or 'bug' for what nothing here foresees. Where one
 * number is at fault, `argument`, `row` and `column` (from 0) say which.
 */
export class SoftKMeansError extends Error {
  constructor(code: string, message: string, where?: { argument?: string; row?: number; column?: number })
  code: string
  argument?: string
  row?: number
  column?: number
}

/** The package, loaded. Calls are synchronous and share nothing. Each frees its memory. */
export interface SoftKMeans {
  /**
   * A global minimum of ‖X − GF‖² for k prototypes. They enclose the data, and memberships
   * are vague: for prototypes to look at take fitMinVolume. Cost: rows·cols·min(rows, cols).
   */
  fit(x: Table, k: number, options?: FitOptions): Fitted
  /** Compact prototypes: those of small volume whose error is at most (1 + slack)·floor. */
  fitMinVolume(x: Table, k: number, options?: MinVolumeOptions): Fitted
  /**
   * Memberships and labels of new rows, in the units of the rows that were fitted. A label is
   * the nearest of clusterMeans, by clusterAxes; without these, as by fit, and with labelBy it is
   * the largest membership. probabilities are of clusters, if the model has clusterWeights.
   */
  predict(model: Model, x: Table): { memberships: Matrix; labels: Int32Array; probabilities?: Matrix }
  /**
   * The least possible error for k = 1, 2, … min(rows, cols) + 1 prototypes; for sums of at
   * most one, up to min(rows, cols).
   */
  floors(x: Table, options?: { weights?: Numbers; sum?: 'one' | 'at-most-one' }): Float64Array
  /** How good any centers (k×cols) and memberships (rows×k) are. */
  certify(x: Table, centers: Table, memberships: Table, options?: { weights?: Numbers; sum?: 'one' | 'at-most-one' }): Certificate
  /** Clusters from similarities. */
  lsd(x: Table, k: number, options?: LSDOptions): Clusters
}

/**
 * A WebAssembly.Module, the bytes of one, or a Response with them. It is `object`, as these
 * have types only with those of the browser.
 */
export type Source = object

/**
 * Loads the module once. Without an argument it is module.wasm beside this file, by fetch,
 * or from disk in Node. Hosts without either pass a compiled module, bytes or a response.
 */
export function load(source?: Source | Promise<Source>): Promise<SoftKMeans>

/**
 * The text of a model file, which the package in Go and its command read. columns are the
 * names of the columns; default: those of the model, or c1, c2, …
 */
export function writeModel(model: Model, options?: { columns?: readonly string[] }): string

/** The model of a file that writeModel, the package in Go or its command wrote. */
export function readModel(text: string): Model
