/**
 * The CRCs of the S3 API that Node does not compute: CRC-32C (RFC 3720) and CRC-64/NVME (NVM Express specification). Both are
 * reflected, begin with all bits set and end inverted. Eight bytes are looked up at a time ("slicing-by-8").
 */
import { crc32 } from "node:zlib"

/** Computes a checksum over chunks. */
export interface Crc {
  readonly update: (chunk: Uint8Array) => void
  /** Returns the checksum, most significant byte first. */
  readonly digest: () => Buffer
}

const bytesOf = (...words: ReadonlyArray<number>): Buffer => {
  const bytes = Buffer.alloc(words.length * 4)
  words.forEach((word, index) => bytes.writeUInt32BE(word >>> 0, index * 4))
  return bytes
}

export const makeCrc32 = (): Crc => {
  let value = 0
  return {
    update: (chunk) => void (value = crc32(chunk, value)),
    digest: () => bytesOf(value)
  }
}

/** Eight tables of 256 words each, one after the other. */
interface Tables {
  readonly low: Int32Array
  readonly high: Int32Array
}

/** Makes the tables of a reflected polynomial of 64 bits; of 32 bits, with zero as the high word. */
const makeTables = (polynomial: { readonly low: number; readonly high: number }): Tables => {
  const low = new Int32Array(2048)
  const high = new Int32Array(2048)
  for (let index = 0; index < 256; index++) {
    let [lowWord, highWord] = [index, 0]
    for (let bit = 0; bit < 8; bit++) {
      const isSet = (lowWord & 1) === 1
      lowWord = (lowWord >>> 1) | (highWord << 31)
      highWord >>>= 1
      if (isSet) {
        lowWord ^= polynomial.low
        highWord ^= polynomial.high
      }
    }
    low[index] = lowWord
    high[index] = highWord
  }
  for (let index = 256; index < 2048; index++) {
    const before = index - 256
    const lowWord = low[before] ?? 0
    const highWord = high[before] ?? 0
    const first = lowWord & 0xff
    low[index] = ((lowWord >>> 8) | (highWord << 24)) ^ (low[first] ?? 0)
    high[index] = (highWord >>> 8) ^ (high[first] ?? 0)
  }
  return { low, high }
}

const crc32cTables = makeTables({ low: 0x82f63b78, high: 0 })
const crc64Tables = makeTables({ low: 0xac4bc9b5, high: 0x9a6c9329 })

export const makeCrc32c = (): Crc => {
  const table = crc32cTables.low
  let value = -1
  return {
    update: (chunk) => {
      let crc = value
      let at = 0
      for (const end = chunk.length - 7; at < end; at += 8) {
        const one = crc ^ (chunk[at]! | (chunk[at + 1]! << 8) | (chunk[at + 2]! << 16) | (chunk[at + 3]! << 24))
        crc =
          table[1792 + (one & 0xff)]! ^
          table[1536 + ((one >>> 8) & 0xff)]! ^
          table[1280 + ((one >>> 16) & 0xff)]! ^
          table[1024 + (one >>> 24)]! ^
          table[768 + chunk[at + 4]!]! ^
          table[512 + chunk[at + 5]!]! ^
          table[256 + chunk[at + 6]!]! ^
          table[chunk[at + 7]!]!
      }
      for (; at < chunk.length; at++) crc = (crc >>> 8) ^ table[(crc ^ chunk[at]!) & 0xff]!
      value = crc
    },
    digest: () => bytesOf(~value)
  }
}

export const makeCrc64 = (): Crc => {
  const { high: highs, low: lows } = crc64Tables
  let lowValue = -1
  let highValue = -1
  return {
    update: (chunk) => {
      let [low, high] = [lowValue, highValue]
      let at = 0
      for (const end = chunk.length - 7; at < end; at += 8) {
        const one = low ^ (chunk[at]! | (chunk[at + 1]! << 8) | (chunk[at + 2]! << 16) | (chunk[at + 3]! << 24))
        const two = high ^ (chunk[at + 4]! | (chunk[at + 5]! << 8) | (chunk[at + 6]! << 16) | (chunk[at + 7]! << 24))
        const [a, b, c, d] = [
          1792 + (one & 0xff),
          1536 + ((one >>> 8) & 0xff),
          1280 + ((one >>> 16) & 0xff),
          1024 + (one >>> 24)
        ]
        const [e, f, g, h] = [768 + (two & 0xff), 512 + ((two >>> 8) & 0xff), 256 + ((two >>> 16) & 0xff), two >>> 24]
        low = lows[a]! ^ lows[b]! ^ lows[c]! ^ lows[d]! ^ lows[e]! ^ lows[f]! ^ lows[g]! ^ lows[h]!
        high = highs[a]! ^ highs[b]! ^ highs[c]! ^ highs[d]! ^ highs[e]! ^ highs[f]! ^ highs[g]! ^ highs[h]!
      }
      for (; at < chunk.length; at++) {
        const index = (low ^ chunk[at]!) & 0xff
        low = ((low >>> 8) | (high << 24)) ^ lows[index]!
        high = (high >>> 8) ^ highs[index]!
      }
      lowValue = low
      highValue = high
    },
    digest: () => bytesOf(~highValue, ~lowValue)
  }
}
