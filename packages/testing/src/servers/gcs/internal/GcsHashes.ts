/**
 * The two checksums that the service stores for an object, in base64 as in its resources.
 */
import { createHash } from "node:crypto"

export interface Digests {
  /** CRC-32C (Castagnoli), big-endian. */
  readonly crc32c: string
  readonly md5Hash: string
}

/** Computes both checksums of one content. */
export interface Hashes {
  readonly update: (bytes: Uint8Array) => void
  /** Called once, after the last byte. */
  readonly digests: () => Digests
}

/** The polynomial with its bits reversed. */
const polynomial = 0x82f63b78

const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ polynomial : remainder >>> 1
  return remainder
})

const extend = (from: number, bytes: Uint8Array): number => {
  let crc = from
  for (let index = 0; index < bytes.length; index++) {
    crc = (table[(crc ^ (bytes[index] ?? 0)) & 0xff] ?? 0) ^ (crc >>> 8)
  }
  return crc
}

/** Begins to hash a content. */
export const make = (): Hashes => {
  const md5 = createHash("md5")
  let crc = -1
  return {
    update: (bytes) => {
      md5.update(bytes)
      crc = extend(crc, bytes)
    },
    digests: () => {
      const crc32c = Buffer.alloc(4)
      crc32c.writeInt32BE(~crc)
      return { crc32c: crc32c.toString("base64"), md5Hash: md5.digest("base64") }
    }
  }
}
