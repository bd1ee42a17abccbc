/**
 * A program that converts a video with the library and FFmpeg.
 */
import { open } from "@holdfast/core"
import { ffmpeg } from "@holdfast/ffmpeg"
import { fs } from "@holdfast/fs"
import { sqlite } from "@holdfast/sqlite"
import { command, requires } from "@holdfast/testing/Requires"
import { assert, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"

vi.setConfig({ testTimeout: 60_000 })

/** Makes one second of video. */
const makeVideo = (): Uint8Array =>
  execFileSync(
    "ffmpeg",
    ["-v", "error", "-f", "lavfi", "-i", "testsrc=duration=1:size=192x108:rate=10", "-pix_fmt", "yuv420p"].concat([
      "-c:v",
      "libx264",
      "-movflags",
      "frag_keyframe+empty_moov",
      "-f",
      "mp4",
      "pipe:1"
    ])
  )

const convert = async (directory: string) => {
  const metadata = sqlite({ file: Path.join(directory, "metadata.sqlite") })
  const blobs = fs({ directory: Path.join(directory, "files") })
  await using holdfast = await open({ metadata, blobs, video: ffmpeg() })
  const actor = holdfast.account("ada@example.com")
  const { id: tenantId } = await holdfast.tenants.create(actor, { name: "Acme", subdomain: "acme" })
  const { id: bucketId } = await holdfast.buckets.create(actor, { tenantId, name: "media" })
  await holdfast.files.upload(actor, { tenantId, bucketId, name: "a.mp4", alias: "holidays", content: makeVideo() })
  const ref = { tenantId, bucketId, fileId: "@holidays" }
  const record = await holdfast.streams.request(actor, { ...ref, format: "hls", wait: 60 })
  const playlist = await holdfast.streams.read(actor, { ...ref, format: "hls" })
  return { record, playlist: await playlist.text() }
}

requires(command("ffmpeg", "-version")).live(
  "library with ffmpeg(): request HLS → READY, with a complete playlist",
  () =>
    Effect.gen(function* () {
      const directory = yield* Effect.acquireRelease(
        Effect.sync(() => Fs.mkdtempSync(Path.join(Os.tmpdir(), "holdfast-library-"))),
        (directory) => Effect.sync(() => Fs.rmSync(directory, { recursive: true, force: true }))
      )
      const { playlist, record } = yield* Effect.promise(() => convert(directory))
      assert.deepInclude(record, { format: "hls", state: "READY", error: null })
      assert.include(playlist, "\nindex0.ts\n")
      assert.include(playlist, "#EXT-X-ENDLIST")
    })
)
