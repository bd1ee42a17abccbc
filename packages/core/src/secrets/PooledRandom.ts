/**
 * Random numbers of the runtime's generator, drawn in blocks: a call for the 16 bytes of an id takes as long as one for some thousand
 * bytes, and an upload draws three ids.
 */
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Layer from "effect/Layer"

/** Bytes that are drawn at a time. */
const blockBytes = 4096

/** The largest request that a block serves, in bytes. */
const maxPooled = 64

/** Makes a function that returns random bytes, each of them once. `draw` returns as many new ones as it is asked for. */
export const makeBytes = (draw: (size: number) => Uint8Array): ((size: number) => Uint8Array) => {
  let block: Uint8Array = new Uint8Array(0)
  let used = 0
  return (size) => {
    if (!(size <= maxPooled)) return draw(size)
    if (used + size > block.length) {
      block = draw(blockBytes)
      used = 0
    }
    const bytes = block.slice(used, used + size)
    // What was returned may be a part of a key, and must not stay in memory.
    block.fill(0, used, used + size)
    used += size
    return bytes
  }
}

/** Returns random bytes. Every call of the process draws from the same block. */
export const randomBytes = makeBytes(SecureRandom.randomBytesUnsafe)

/** The service on these bytes. */
export const layer: Layer.Layer<SecureRandom.SecureRandom> = Layer.sync(SecureRandom.SecureRandom, () =>
  SecureRandom.make(randomBytes)
)
