import * as Holdfast from "@holdfast/core"
import { fs, workspace } from "@holdfast/fs"
import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import * as FakeTranscoder from "@holdfast/testing/transcoding/FakeTranscoder"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "vitest"
import * as Support from "./support.ts"
import { makeDirectory, rejection } from "./support.ts"

const setUp = async (options: Partial<Holdfast.OpenOptions>, directory = makeDirectory()) => {
  const { bucket, holdfast, root } = await Support.setUp(options, directory)
  const content = new Uint8Array(FakeMedia.make(FakeMedia.playable))
  const file = await holdfast.files.upload(root, { ...bucket, name: "a.mp4", alias: "film", content })
  return { holdfast, directory, root, bucket, ref: { ...bucket, fileId: file.id } }
}

const video = { transcoder: FakeTranscoder.layer }

describe("holdfast.streams", () => {
  it("request, read, cancel: the conversion runs, is read, and is gone", async () => {
    const { directory, holdfast, ref, root } = await setUp({ video, publicUrl: "https://files.example.com/" })
    const { streams } = holdfast
    const ready = await streams.request(root, { ...ref, format: "hls", wait: 20 })
    assert.deepInclude(ready, { format: "hls", state: "READY", progress: 1, error: null })
    assert.instanceOf(ready.finishedAt, Date)
    assert.deepStrictEqual(await streams.list(root, ref), { items: [ready] })
    assert.deepStrictEqual(await streams.get(root, { ...ref, fileId: "@film", format: "hls" }), ready)
    const playlist = await streams.read(root, { ...ref, format: "hls" })
    assert.strictEqual(playlist.contentType, "application/vnd.apple.mpegurl")
    assert.include(await playlist.text(), "\nindex0.ts\n")
    assert.strictEqual(playlist.size, (await playlist.bytes()).length)
    const segment = await streams.read(root, { ...ref, format: "hls", name: "index0.ts" })
    const response = segment.response()
    assert.strictEqual(response.headers.get("content-type"), "video/mp2t")
    assert.deepStrictEqual(new Uint8Array(await response.arrayBuffer()), await segment.bytes())
    assert.strictEqual((await streams.poster(root, ref)).contentType, "image/jpeg")
    const { embed, expiresAt, key, playerUrl } = await streams.playbackKey(root, { ...ref, format: "hls" })
    assert.match(key, /^hfp_/)
    assert.isAbove(expiresAt.getTime(), Date.now())
    const path = `/tenants/${ref.tenantId}/buckets/${ref.bucketId}/files/${ref.fileId}/streams/hls?apiKey=${key}`
    assert.strictEqual(playerUrl, `https://files.example.com/api/v1${path}`)
    assert.include(embed, `<iframe src="${playerUrl}" title="a.mp4"`)
    const tooLong = rejection(streams.playbackKey(root, { ...ref, format: "hls", expiresIn: 604_801 }))
    assert.instanceOf(await tooLong, Holdfast.InvalidRequest)
    // A playback key identifies an actor over HTTP only.
    assert.instanceOf(await rejection(streams.list(holdfast.as(key), ref)), Holdfast.Unauthenticated)
    await streams.cancel(root, { ...ref, format: "hls" })
    const gone = await rejection(streams.read(root, { ...ref, format: "hls" }))
    assert.instanceOf(gone, Holdfast.StreamNotConverted)
    assert.isTrue(Fs.existsSync(Path.join(directory, "files", "conversions")))
  })

  it("request: no transcoder → TranscoderUnavailable, no video → NotAVideo, invalid input → InvalidRequest", async () => {
    const { bucket, holdfast, ref, root } = await setUp({})
    const { streams } = holdfast
    const none = await rejection(streams.request(root, { ...ref, format: "hls" }))
    assert.instanceOf(none, Holdfast.TranscoderUnavailable)
    assert.propertyVal(none, "code", "transcoder_unavailable")
    const text = await holdfast.files.upload(root, { ...bucket, name: "a.txt", content: "Hello" })
    const noVideo = rejection(streams.request(root, { ...bucket, fileId: text.id, format: "dash" }))
    assert.instanceOf(await noVideo, Holdfast.NotAVideo)
    const wrong = { ...ref, format: "mp4" } as unknown as Holdfast.RequestStreamInput
    assert.instanceOf(await rejection(streams.request(root, wrong)), Holdfast.InvalidRequest)
    const never = rejection(streams.request(root, { ...ref, format: "hls", wait: Number.NaN }))
    assert.instanceOf(await never, Holdfast.InvalidRequest)
  })

  it('request: video is "elsewhere" → QUEUED, read → StreamNotReady', async () => {
    const { holdfast, ref, root } = await setUp({ video: "elsewhere" })
    const requested = await holdfast.streams.request(root, { ...ref, format: "hls", wait: 0.1 })
    assert.strictEqual(requested.state, "QUEUED")
    const early = await rejection(holdfast.streams.read(root, { ...ref, format: "hls", wait: 0.1 }))
    assert.instanceOf(early, Holdfast.StreamNotReady)
  })

  it("open: no workspace, short secret or no concurrency → InvalidRequest", async () => {
    const directory = makeDirectory()
    const { blobs } = fs({ directory: Path.join(directory, "files") })
    const withoutWorkspace = { blobs: { blobs }, video }
    assert.instanceOf(await rejection(setUp(withoutWorkspace, directory)), Holdfast.InvalidRequest)
    const opened = await setUp(
      { ...withoutWorkspace, workspace: workspace({ directory: Path.join(directory, "work") }) },
      directory
    )
    const ready = await opened.holdfast.streams.request(opened.root, { ...opened.ref, format: "dash", wait: 20 })
    assert.strictEqual(ready.state, "READY")
    assert.instanceOf(await rejection(setUp({ signingSecret: new Uint8Array(16) })), Holdfast.InvalidRequest)
    assert.instanceOf(await rejection(setUp({ video, conversions: 0 })), Holdfast.InvalidRequest)
  })
})
