/**
 * A private directory for one run, which contains nothing but a link to the input. A file that refers to its neighbours by
 * relative paths finds none.
 */
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as Scope from "effect/Scope"

/** Has no extension, so that ffmpeg detects the format from the content alone. */
const inputName = "input"

export interface ScratchDirectory {
  /** Absolute path. */
  readonly directory: string
  /** Name of the link in the directory. */
  readonly link: string
  /** FFmpeg's URL of the input. */
  readonly input: string
}

/**
 * Makes the directory, readable only by this process's user, with a link to the input, a file or a directory. It is removed
 * when the scope closes. `parent` is the directory that contains it; by default the system's.
 */
export const make = (
  operation: string,
  input: string,
  parent: string | undefined
): Effect.Effect<ScratchDirectory, TranscodeError.TranscodeError, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    yield* files.access(input, { readable: true })
    const directory = yield* files.makeTempDirectoryScoped({
      prefix: "holdfast-ffmpeg-",
      ...(parent === undefined ? {} : { directory: parent })
    })
    const path = `${directory}/${inputName}`
    yield* files.symlink(input, path)
    return { directory, link: inputName, input: `file:${path}` }
  }).pipe(Effect.mapError((cause) => new TranscodeError.TranscodeError({ operation, reason: "Internal", cause })))
