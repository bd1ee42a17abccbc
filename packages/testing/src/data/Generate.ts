/**
 * Generates data from a seed: the same on every machine and in every run, so that a test can compute the expected data
 * instead of storing it.
 */
import type * as Ids from "@holdfast/core/Ids"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"

/** Returns a 32-bit word of a seed's endless sequence: the finaliser of MurmurHash3, applied to the word's position. */
const word = (seed: number, index: number): number => {
  let h = Math.imul(index ^ Math.imul(seed, 0x9e3779b1), 0x85ebca6b) ^ seed
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** Returns `length` bytes from `offset` on of a seed's sequence. The seed has 32 bits. The bytes do not compress. */
export const bytes = (seed: number, length: number, offset = 0): Uint8Array => {
  const first = Math.floor(offset / 4)
  const words = new Uint32Array(Math.ceil((offset + length) / 4) - first)
  for (let i = 0; i < words.length; i++) words[i] = word(seed, first + i)
  return new Uint8Array(words.buffer, offset - first * 4, length)
}

/** Streams the same bytes in chunks of these sizes, repeated in turn, one chunk for each pull; 64 KiB when absent. */
export const stream = (
  seed: number,
  length: number,
  sizes: ReadonlyArray<number> = [64 * 1024]
): Stream.Stream<Uint8Array> =>
  Stream.suspend(() => {
    function* chunks() {
      let index = 0
      for (let offset = 0; offset < length;) {
        const size = Math.min(sizes[index++ % sizes.length] ?? length, length - offset)
        yield bytes(seed, size, offset)
        offset += size
      }
    }
    return Stream.fromIterable(chunks(), { chunkSize: 1 })
  })

/** Streams the same chunks in one memory: pulling a chunk overwrites the previous one. */
export const transient = (content: Stream.Stream<Uint8Array>): Stream.Stream<Uint8Array> =>
  Stream.suspend(() => {
    let memory = Buffer.alloc(0)
    return Stream.map(Stream.rechunk(content, 1), (chunk) => {
      memory.fill(0)
      if (memory.byteLength < chunk.byteLength) memory = Buffer.allocUnsafeSlow(chunk.byteLength)
      memory.set(chunk)
      return memory.subarray(0, chunk.byteLength)
    })
  })

/** Returns the SHA-256, hexadecimal, as in a store's receipt. */
export const sha256 = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex")

/** Returns the `index`-th number of a seed, from 0 to below `bound`. */
export const integer = (seed: number, index: number, bound: number): number => word(seed, index) % bound

const hex = (seed: number, index: number, digits: number): string =>
  word(seed, index).toString(16).padStart(8, "0").slice(0, digits)

/** Returns the `index`-th identifier of a seed, well-formed and of a kind. */
export const id = (kind: Ids.Kind, seed: number, index: number): string => {
  const at = index * 5
  const time = `${hex(seed, at, 8)}-${hex(seed, at + 1, 4)}`
  return `${kind}_${time}-7${hex(seed, at + 2, 3)}-8${hex(seed, at + 2, 6).slice(3)}-${hex(seed, at + 3, 8)}${hex(seed, at + 4, 4)}`
}

/** Parts of file names that often cause errors. All are in Unicode NFC. */
const stems = [
  "report",
  "with space",
  " leading and trailing ",
  "UPPER.lower",
  "quote\"and'tick",
  "semi;colon,comma",
  "percent%20%2F",
  "back\\slash",
  "plus+and&equals=",
  "#hash?query",
  "-dash",
  ".hidden",
  "...",
  "smörgåsbord",
  "Ελληνικά",
  "日本語のファイル",
  "עברית",
  "👩‍👩‍👧 family",
  "𝕌nicode",
  "e\u0323\u0302".normalize("NFC"),
  "CON",
  "null",
  "__proto__"
]

const extensions = [".txt", ".pdf", ".JPG", ".tar.gz", "", ".mp4", ".html"]

/** Returns distinct file names, usual and unusual ones. The last one has 255 bytes, the most that a name may have. */
export const fileNames = (seed: number, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) =>
    index === count - 1
      ? `${"n".repeat(245)}${String(index).padStart(10, "0")}`
      : `${stems[integer(seed, index, stems.length)] ?? ""} ${index}${extensions[integer(seed, index + count, extensions.length)] ?? ""}`
  )
