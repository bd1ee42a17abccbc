/**
 * Proves that the H.265 of an input plays as it was uploaded: with its frames, and at the times of the H.264.
 */
import { assert } from "@effect/vitest"
import * as HevcVariant from "@holdfast/core/packaging/HevcVariant"
import * as JoinedSource from "@holdfast/core/packaging/JoinedSource"
import * as PackagedFile from "@holdfast/core/packaging/PackagedFile"
import * as SegmentIndex from "@holdfast/core/packaging/SegmentIndex"
import * as SharedTracks from "@holdfast/core/packaging/SharedTracks"
import type { ByteRange } from "@holdfast/core/storage/BlobStore"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import type * as CheckedConversion from "@holdfast/testing/transcoding/contract/CheckedConversion"
import * as SharedSegments from "@holdfast/testing/transcoding/contract/SharedSegments"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Results from "../support/Results.ts"
import * as Tools from "../support/Tools.ts"

/** Returns when the first frame is shown, in seconds. */
const beginOf = (path: string): number => {
  const options = "-v error -select_streams v:0 -show_entries packet=pts_time -of csv=p=0"
  const times = Tools.run(Tools.ffprobe, [...options.split(" "), path])
    .stdout.split("\n")
    .filter(Boolean)
  return Math.min(...times.map((line) => Number.parseFloat(line)))
}

/** Returns "as uploaded", or why it plays as H.264 alone. */
export const prove = (
  source: string,
  { output, playlists }: Pick<CheckedConversion.Outcome, "output" | "playlists">,
  scratch: string
) =>
  Effect.gen(function* () {
    const load = (path: string) => JoinedSource.ofBytes(new Uint8Array(readFileSync(path)))
    const tracks = yield* SharedTracks.decode(readFileSync(join(output, StreamFiles.tracks)))
    const manifest = playlists.get(StreamFiles.entry("dash")) ?? ""
    const times = yield* HevcVariant.timesOf(tracks, manifest, load(join(output, StreamFiles.chunk(0, 1))))
    const content = load(source)
    const { index: stored } = yield* HevcVariant.make(content, times, false)
    const bytes = Buffer.concat(stored)
    const read = ({ length, offset }: ByteRange) =>
      Effect.succeed(new Uint8Array(bytes.subarray(offset, offset + length)))
    const index = yield* SegmentIndex.open(read)
    const names = [
      "hevc/init.m4s",
      ...Array.from({ length: index.count }, (_, number) => `hevc/chunk${number + 1}.m4s`)
    ]
    const parts = yield* Effect.forEach(names, (name) =>
      Effect.gen(function* () {
        const file = yield* PackagedFile.find(index, name, read)
        assert(file !== undefined, name)
        return Buffer.concat(yield* Stream.runCollect(file.cut(content)))
      })
    )
    const path = join(scratch, "hevc.mp4")
    writeFileSync(path, Buffer.concat(parts))
    assert.deepStrictEqual(Results.pictures(path), Results.pictures(source), "frames of H.265")
    const first = join(scratch, "first.ts")
    writeFileSync(first, (yield* SharedSegments.make(output, StreamFiles.segment("", 0))) ?? "")
    assert.approximately(beginOf(path), beginOf(first), 0.002, "beginning of H.265")
    return "as uploaded"
  }).pipe(Effect.catchTag("PackagingError", ({ detail }) => Effect.succeed(detail)))
