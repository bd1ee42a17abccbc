/**
 * A private directory for one run, which contains nothing but a link to the input. A file that refers to its neighbours by
 * relative paths finds none.
 */
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as Scope from "effect/Scope"
import * as Confinement from "./Confinement.ts"

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

export interface Options {
  readonly operation: string
  /** Path of the input, a file or a directory. */
  readonly input: string
  readonly confinement: Confinement.Confinement
  /** The directory that contains the new one. Default: the system's. */
  readonly parent: string | undefined
}

/**
 * Makes the directory, readable only by the user as which the program runs, with a link to the input. It is removed when the
 * scope closes.
 */
export const make = ({
  confinement,
  input,
  operation,
  parent
}: Options): Effect.Effect<ScratchDirectory, TranscodeError.TranscodeError, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    yield* files.access(input, { readable: true })
    const directory = yield* files.makeTempDirectoryScoped({
      prefix: "holdfast-ffmpeg-",
      ...(parent === undefined ? {} : { directory: parent })
    })
    const path = `${directory}/${inputName}`
    yield* files.symlink(Confinement.inputPath(confinement, input), path)
    const { user } = confinement
    if (user !== undefined) yield* files.chown(directory, user.uid, user.gid)
    return { directory, link: inputName, input: `file:${path}` }
  }).pipe(Effect.mapError((cause) => new TranscodeError.TranscodeError({ operation, reason: "Internal", cause })))
