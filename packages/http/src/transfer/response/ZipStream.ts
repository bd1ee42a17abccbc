/**
 * Writes a ZIP archive (APPNOTE.TXT 6.3.10 of PKWARE) as a stream. Contents are stored, not compressed, so that the archive costs no more
 * than a download. Besides one chunk, the memory of a stream holds one record of the central directory and the name for each file.
 *
 * The CRC-32 of a content is not known before its bytes, so that it follows them in a data descriptor (section 4.3.9). Sizes and offsets
 * that 32 bits cannot hold are written as ZIP64 (section 4.5.3).
 */
import * as Stream from "effect/Stream"
import { crc32 } from "node:zlib"
import * as ContentDisposition from "./ContentDisposition.ts"

export interface ZipEntry<E, R> {
  /** The path of the file in the archive, with slashes and without one at its beginning. */
  readonly name: string
  readonly modifiedAt: Date
  /** Bytes. */
  readonly size: number
  readonly content: Stream.Stream<Uint8Array, E, R>
}

/** The least number that a field of 32 or 16 bits cannot hold: the largest one says that the ZIP64 field has the number. */
const none32 = 0xffffffff
const none16 = 0xffff
const version = 45
/** Bit 3: the CRC-32 follows the content. Bit 11: the name is UTF-8. */
const flags = 0x0808

/** Returns the fields as little-endian bytes, each with its number of bytes. */
const fields = (...values: ReadonlyArray<readonly [bytes: 2 | 4 | 8, value: number]>): Buffer => {
  const buffer = Buffer.alloc(values.reduce((sum, [bytes]) => sum + bytes, 0))
  let at = 0
  for (const [bytes, value] of values) {
    if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value), at)
    else buffer.writeUIntLE(value, at, bytes)
    at += bytes
  }
  return buffer
}

/** Returns the time and the date of MS-DOS, in UTC. They begin in 1980 and count two seconds. */
const dosTime = (date: Date): readonly [time: number, date: number] => {
  const year = Math.min(Math.max(date.getUTCFullYear(), 1980), 2107)
  return [
    (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1),
    ((year - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate()
  ]
}

/**
 * Replaces what is unsafe in a name. Some programs take a backslash for the separator of folders, and marks that change the direction of text
 * hide the extension. They are replaced, not removed: without its marks, a name may be `..`.
 */
const replaceUnsafe = (name: string): string =>
  name.toWellFormed().replaceAll("\\", "_").replace(ContentDisposition.unsafe, "_")

/** Returns a name with a number before its extension. */
const withNumber = (name: string, number: number): string => {
  const dot = name.lastIndexOf(".")
  const end = dot > name.lastIndexOf("/") + 1 ? dot : name.length
  return `${name.slice(0, end)} (${number})${name.slice(end)}`
}

/**
 * Returns the function that returns the safe name of each next file of an archive. Of several that differ in replaced characters only,
 * the later ones get a number: a program that extracts the archive would write one file over the other.
 */
const makeNames = (): ((name: string) => string) => {
  /** The names, with the last number that was tried. */
  const taken = new Map<string, number>()
  return (name) => {
    const safe = replaceUnsafe(name)
    let [unique, number] = [safe, taken.get(safe) ?? 1]
    while (taken.has(unique)) unique = withNumber(safe, ++number)
    taken.set(unique, 1)
    if (unique !== safe) taken.set(safe, number)
    return unique
  }
}

/** Returns the archive of these files, in their order. */
export const make = <E, R, E2, R2>(
  entries: Stream.Stream<ZipEntry<E, R>, E2, R2>
): Stream.Stream<Uint8Array, E | E2, R | R2> =>
  Stream.suspend(() => {
    const directory: Array<Buffer> = []
    const nameOf = makeNames()
    let offset = 0
    const count = <Bytes extends Uint8Array>(bytes: Bytes): Bytes => {
      offset += bytes.length
      return bytes
    }

    const write = ({ content, modifiedAt, name, size: expected }: ZipEntry<E, R>): Stream.Stream<Uint8Array, E, R> =>
      Stream.suspend(() => {
        const start = offset
        const encoded = Buffer.from(nameOf(name)).subarray(0, none16)
        const [time, date] = dosTime(modifiedAt)
        const isLarge = expected >= none32
        const extra = isLarge ? fields([2, 1], [2, 16], [8, 0], [8, 0]) : Buffer.alloc(0)
        let crc = 0
        let size = 0
        const head = [
          fields([4, 0x04034b50], [2, version], [2, flags], [2, 0], [2, time], [2, date], [4, 0]),
          isLarge ? fields([4, none32], [4, none32]) : fields([4, 0], [4, 0]),
          fields([2, encoded.length], [2, extra.length]),
          encoded,
          extra
        ]
        const bytes = Stream.map(content, (chunk) => {
          crc = crc32(chunk, crc)
          size += chunk.length
          return count(chunk)
        })
        const end = Stream.suspend(() => {
          const isBeyond = size >= none32 || start >= none32
          const zip64 = isBeyond ? fields([2, 1], [2, 24], [8, size], [8, size], [8, start]) : Buffer.alloc(0)
          const [shownSize, shownStart] = isBeyond ? [none32, none32] : [size, start]
          directory.push(
            Buffer.concat([
              fields([4, 0x02014b50], [2, version], [2, version], [2, flags], [2, 0], [2, time], [2, date], [4, crc]),
              fields([4, shownSize], [4, shownSize], [2, encoded.length], [2, zip64.length], [2, 0], [2, 0], [2, 0]),
              fields([4, 0], [4, shownStart]),
              encoded,
              zip64
            ])
          )
          const width = isLarge ? 8 : 4
          return Stream.succeed(count(fields([4, 0x08074b50], [4, crc], [width, size], [width, size])))
        })
        return Stream.succeed(count(Buffer.concat(head))).pipe(Stream.concat(bytes), Stream.concat(end))
      })

    const finish = Stream.suspend(() => {
      const start = offset
      for (const record of directory) count(record)
      const length = offset - start
      const number = directory.length
      const zip64 =
        number < none16 && offset < none32
          ? []
          : [
              fields([4, 0x06064b50], [8, 44], [2, version], [2, version], [4, 0], [4, 0]),
              fields([8, number], [8, number], [8, length], [8, start]),
              fields([4, 0x07064b50], [4, 0], [8, offset], [4, 1])
            ]
      const shown = Math.min(number, none16)
      const end = fields([4, 0x06054b50], [2, 0], [2, 0], [2, shown], [2, shown])
      const place = fields([4, Math.min(length, none32)], [4, Math.min(start, none32)], [2, 0])
      return Stream.fromIterable([...directory, Buffer.concat([...zip64, end, place])])
    })

    return Stream.concat(Stream.flatMap(entries, write), finish)
  })
