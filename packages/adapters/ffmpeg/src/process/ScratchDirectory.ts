/**
 * A directory for one piece of work, in which the input stands alone: a file that refers to its neighbours finds none.
 */
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as Scope from "effect/Scope"

/** Without an extension, so that its content alone decides what it is. */
const inputName = "input"

export interface Workspace {
  readonly directory: string
  /** The link's name in it. */
  readonly link: string
  /** FFmpeg's URL of the input. */
  readonly input: string
}

/** Makes it, for this process's user only, with a link to the input (a file or a directory); it goes with the scope. */
export const make = (
  operation: string,
  input: string,
  parent: string | undefined
): Effect.Effect<Workspace, TranscodeError.TranscodeError, FileSystem.FileSystem | Scope.Scope> =>
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
