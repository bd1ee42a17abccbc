/**
 * The segments of HLS of a shared presentation, made from the files in its directory.
 */
import { assert } from "@effect/vitest"
import * as JoinedSource from "@holdfast/core/packaging/JoinedSource"
import * as SharedTracks from "@holdfast/core/packaging/SharedTracks"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

const load = (directory: string, name: string) =>
  existsSync(join(directory, name))
    ? JoinedSource.ofBytes(new Uint8Array(readFileSync(join(directory, name))))
    : undefined

/** Makes one segment; undefined if the presentation has none of this name. */
export const make = Effect.fnUntraced(function* (directory: string, name: string) {
  const tracks = yield* SharedTracks.decode(readFileSync(join(directory, StreamFiles.tracks)))
  const parsed = StreamFiles.parseTransport(name)
  const rendition = parsed && SharedTracks.findRendition(tracks, parsed)
  if (parsed === undefined || rendition === undefined) return undefined
  const [first = ""] = StreamFiles.sharedParts(rendition, parsed.index)
  if (!existsSync(join(directory, first))) return undefined
  const segment = yield* SharedTracks.toTransport(tracks, rendition, parsed.index, (part) => load(directory, part))
  const bytes = Buffer.concat(yield* Stream.runCollect(segment.cut()))
  assert.strictEqual(bytes.length, segment.size)
  return bytes
})

/** Writes all segments that playlists list into the directory, under their names. Returns the names. */
export const writeAll = Effect.fnUntraced(function* (directory: string, playlists: ReadonlyMap<string, string>) {
  const names = Array.from(playlists).flatMap(([name, text]) =>
    name.endsWith(".m3u8") ? text.split("\n").filter((line) => line.endsWith(".ts")) : []
  )
  for (const name of names) {
    const bytes = yield* make(directory, name)
    assert(bytes !== undefined, `${name} can be made`)
    const path = join(directory, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes)
  }
  return names
})
