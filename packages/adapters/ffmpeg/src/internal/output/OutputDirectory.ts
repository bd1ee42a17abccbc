/**
 * Reads the output directory of a running conversion.
 */
import type { ByteRange } from "@holdfast/core/storage/BlobStore"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"

export interface OutputDirectory {
  /** Reads the directory. Returns the bytes of all files, finished or not. */
  readonly measureBytes: Effect.Effect<number, PlatformError>
  /** Reads the directory. Returns the segments that finished since the last call, in playing order within a rendition. */
  readonly newSegments: Effect.Effect<ReadonlyArray<string>, PlatformError>
  /** Returns the bytes of a finished segment. */
  readonly sizeOf: (name: string) => number
  /** Returns the text of a file; undefined if the file does not exist yet. */
  readonly read: (name: string) => Effect.Effect<string | undefined, PlatformError>
  /** Returns the first bytes of a file. */
  readonly head: (name: string, bytes: number) => Effect.Effect<Uint8Array, PlatformError>
  /** Reads a range of a finished segment, which the caller keeps within it. */
  readonly readRange: (name: string, range: ByteRange) => Effect.Effect<Uint8Array, PlatformError>
  /** Removes a file, if it exists. */
  readonly remove: (name: string) => Effect.Effect<void, PlatformError>
  /** Writes a file atomically. */
  readonly write: (name: string, content: string | Uint8Array) => Effect.Effect<void, PlatformError>
}

/** The initialization segments of DASH, in both of their places. */
const isInit = (name: string): boolean => /(?:^init-|\/init\.)/.test(name)

/** Whether a file of this name is complete. ffmpeg may write the initialization segments of DASH twice: they finish last. */
const isFinishedSegment = (format: Format, name: string): boolean =>
  StreamFiles.isName(format, name) && !StreamFiles.isPlaylist(name) && !isInit(name)

/** Compares names by the numbers in them. */
const byNumbers = new Intl.Collator("en", { numeric: true })

/** Undefined for a missing file: a file may be renamed after it was listed. */
const orUndefined = <A>(self: Effect.Effect<A, PlatformError>): Effect.Effect<A | undefined, PlatformError> =>
  Effect.catchIf(
    self,
    ({ reason }) => reason._tag === "NotFound",
    () => Effect.undefined
  )

/** Makes a reader of a directory and its subdirectories: of the files whose names begin with `prefix`. */
export const make = (
  path: string,
  format: Format,
  prefix = ""
): Effect.Effect<OutputDirectory, never, FileSystem.FileSystem> =>
  Effect.map(FileSystem.FileSystem, (files) => {
    /** Bytes by name. */
    const finished = new Map<string, number>()
    const reported = new Set<string>()

    const list = Effect.map(files.readDirectory(path, { recursive: true }), (names) =>
      prefix === "" ? names : names.filter((name) => name.startsWith(prefix))
    )

    const currentSize = (name: string) =>
      Effect.map(orUndefined(files.stat(`${path}/${name}`)), (info) =>
        info === undefined || info.type !== "File" ? undefined : Number(info.size)
      )

    /** Checks only files that are not known as finished: there may be thousands of segments. */
    const measureBytes = Effect.gen(function* () {
      let unfinished = 0
      for (const name of yield* list) {
        if (finished.has(name)) continue
        const size = yield* currentSize(name)
        if (size !== undefined && isFinishedSegment(format, name)) finished.set(name, size)
        else unfinished += size ?? 0
      }
      let bytes = unfinished
      for (const size of finished.values()) bytes += size
      return bytes
    })

    return {
      measureBytes,
      newSegments: Effect.map(measureBytes, () => {
        const found = [...finished.keys()].filter((name) => !reported.has(name)).toSorted(byNumbers.compare)
        for (const name of found) reported.add(name)
        return found
      }),
      sizeOf: (name) => finished.get(name) ?? 0,
      read: (name) => orUndefined(files.readFileString(`${path}/${name}`)),
      head: (name, bytes) =>
        Effect.scoped(
          Effect.flatMap(files.open(`${path}/${name}`), (file) =>
            Effect.gen(function* () {
              const buffer = new Uint8Array(bytes)
              const count = yield* file.read(buffer)
              return buffer.subarray(0, Number(count))
            })
          )
        ),
      readRange: (name, { length, offset }) =>
        Effect.scoped(
          Effect.flatMap(files.open(`${path}/${name}`), (file) =>
            Effect.gen(function* () {
              const buffer = new Uint8Array(length)
              yield* file.seek(BigInt(offset), "start")
              let at = 0
              while (at < length) {
                const count = Number(yield* file.read(buffer.subarray(at)))
                if (count === 0) break
                at += count
              }
              return buffer.subarray(0, at)
            })
          )
        ),
      remove: (name) => files.remove(`${path}/${name}`, { force: true }),
      write: (name, content) =>
        Effect.andThen(
          typeof content === "string"
            ? files.writeFileString(`${path}/${name}.tmp`, content)
            : files.writeFile(`${path}/${name}.tmp`, content),
          files.rename(`${path}/${name}.tmp`, `${path}/${name}`)
        )
    }
  })
