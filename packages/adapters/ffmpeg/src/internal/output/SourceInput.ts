/**
 * Makes one input of ffmpeg from the segments of a presentation in a directory.
 */
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import type { ScratchDirectory } from "../process/ScratchDirectory.ts"
import * as SourcePlaylist from "./SourcePlaylist.ts"

interface Source {
  /** The method of the port, for errors. */
  readonly operation: string
  /** Path of the directory. */
  readonly source: string
  /** One for each rendition or representation. */
  readonly inputs: ReadonlyArray<SourcePlaylist.Input>
}

const internal = (operation: string) => (cause: unknown) =>
  new TranscodeError.TranscodeError({ operation, reason: "Internal", cause })

const playlistName = (index: number): string => `${index}.m3u8`
const inputName = "input.m3u8"

/** Writes the playlists into the scratch directory. Returns the URL of the multivariant playlist. */
const writePlaylists = (scratch: ScratchDirectory, { inputs, operation, source }: Source) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    yield* Effect.forEach(inputs, (input, index) =>
      Effect.flatMap(SourcePlaylist.make(source, scratch.link, input), (text) =>
        files.writeFileString(`${scratch.directory}/${playlistName(index)}`, text)
      )
    )
    const names = inputs.map((_, index) => playlistName(index))
    yield* files.writeFileString(`${scratch.directory}/${inputName}`, SourcePlaylist.multivariant(names))
    return `file:${scratch.directory}/${inputName}`
  }).pipe(Effect.mapError(internal(operation)))

/** Returns the files outside the directory to which its links point. */
const linkTargets = ({ operation, source }: Source) =>
  Effect.tryPromise({
    try: async () => {
      const entries = await Fs.readdir(source, { recursive: true, withFileTypes: true })
      const links = entries.filter((entry) => entry.isSymbolicLink())
      return await Promise.all(links.map(({ name, parentPath }) => Fs.realpath(Path.join(parentPath, name))))
    },
    catch: internal(operation)
  })

/** Writes playlists into the scratch directory. Returns the URL of the input, and the files outside the source that it reads. */
export const write = (scratch: ScratchDirectory, source: Source) =>
  Effect.all({ targets: linkTargets(source), url: writePlaylists(scratch, source) })
