/**
 * What a running conversion has written so far.
 */
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"

export interface OutputDirectory {
  /** Looks anew; gives the bytes of all files, finished or not. */
  readonly measure: Effect.Effect<number, PlatformError>
  /** Looks anew; gives the finished segments that were not given before, in the order of playing within a rendition. */
  readonly newSegments: Effect.Effect<ReadonlyArray<string>, PlatformError>
  /** Bytes of a finished segment. */
  readonly sizeOf: (name: string) => number
  /** A file's text; undefined when there is none yet. */
  readonly read: (name: string) => Effect.Effect<string | undefined, PlatformError>
  /** The first bytes of a file. */
  readonly head: (name: string, bytes: number) => Effect.Effect<Uint8Array, PlatformError>
  /** Writes a text; it appears as a whole. */
  readonly write: (name: string, text: string) => Effect.Effect<void, PlatformError>
}

/** The initialization segments of DASH may be written twice, and so are finished last. */
const isSegment = (format: Format, name: string): boolean =>
  StreamFiles.isName(format, name) && !StreamFiles.isPlaylist(name) && !name.startsWith("init-")

const byNumbers = new Intl.Collator("en", { numeric: true })

/** A file may be renamed between its listing and the look at it. */
const unlessGone = <A>(self: Effect.Effect<A, PlatformError>): Effect.Effect<A | undefined, PlatformError> =>
  Effect.catchIf(
    self,
    ({ reason }) => reason._tag === "NotFound",
    () => Effect.undefined
  )

/** `folders` are the subdirectories, each with a slash at its end. */
export const make = (
  path: string,
  format: Format,
  folders: ReadonlyArray<string>
): Effect.Effect<OutputDirectory, never, FileSystem.FileSystem> =>
  Effect.map(FileSystem.FileSystem, (files) => {
    const finished = new Map<string, number>()
    const given = new Set<string>()

    const list = Effect.map(
      Effect.forEach(["", ...folders], (folder) =>
        Effect.map(files.readDirectory(`${path}/${folder}`), (names) => names.map((name) => `${folder}${name}`))
      ),
      (names) => names.flat()
    )

    const sizeNow = (name: string) =>
      Effect.map(unlessGone(files.stat(`${path}/${name}`)), (info) =>
        info === undefined || info.type !== "File" ? undefined : Number(info.size)
      )

    /** Only what is not finished is looked at: there may be thousands of segments. */
    const measure = Effect.gen(function* () {
      let unfinished = 0
      for (const name of yield* list) {
        if (finished.has(name)) continue
        const size = yield* sizeNow(name)
        if (size !== undefined && isSegment(format, name)) finished.set(name, size)
        else unfinished += size ?? 0
      }
      let bytes = unfinished
      for (const size of finished.values()) bytes += size
      return bytes
    })

    return {
      measure,
      newSegments: Effect.map(measure, () => {
        const found = [...finished.keys()].filter((name) => !given.has(name)).toSorted(byNumbers.compare)
        for (const name of found) given.add(name)
        return found
      }),
      sizeOf: (name) => finished.get(name) ?? 0,
      read: (name) => unlessGone(files.readFileString(`${path}/${name}`)),
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
      write: (name, text) =>
        Effect.andThen(
          files.writeFileString(`${path}/${name}.tmp`, text),
          files.rename(`${path}/${name}.tmp`, `${path}/${name}`)
        )
    }
  })
