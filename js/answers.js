// The other side of remote.js.

import { SoftKMeansError } from './input.js'

/** A function that takes the messages of a Remote, and answers by `post`. */
export const answers = (load, post) => {
  let loaded
  return async ({ id, name, args, source }) => {
    if (name === undefined) {
      loaded = load(source)
      loaded.catch(() => {}) // each call tells
      return
    }
    try {
      post({ id, result: (await loaded)[name](...args) })
    } catch (e) {
      const { row, column, argument } = e
      post({ id, error: { code: e instanceof SoftKMeansError ? e.code : 'bug', message: e.message, where: JSON.parse(JSON.stringify({ row, column, argument })) } })
    }
  }
}
