/**
 * Videos at the Promise door.
 */
import * as Holdfast from "@holdfast/core"
import { fs, workspace } from "@holdfast/fs"
import { sqlite } from "@holdfast/sqlite"
import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import * as FakeTranscoder from "@holdfast/testing/transcoding/FakeTranscoder"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { makeDirectory } from "./support.ts"

const setUp = async (options: Partial<Holdfast.OpenOptions>, directory = makeDirectory()) => {
  const holdfast = await Holdfast.open({
    metadata: sqlite({ file: Path.join(directory, "metadata.sqlite") }),
    blobs: fs({ directory: Path.join(directory, "files") }),
    sweepEvery: false,
    ...options
  })
  onTestFinished(() => holdfast.close())
  const system = holdfast.system()
  const { key } = await holdfast.keys.create(system, { email: "root@example.com", name: "root" })
  const root = holdfast.as(key)
  const tenant = await holdfast.tenants.create(root, { name: "Acme", subdomain: "acme" })
  const bucket = await holdfast.buckets.create(root, { tenantId: tenant.id, name: "media" })
  const place = { tenantId: tenant.id, bucketId: bucket.id }
  const content = new Uint8Array(FakeMedia.make(FakeMedia.playable))
  const file = await holdfast.files.upload(root, { ...place, name: "a.mp4", alias: "film", content })
  return { holdfast, directory, root, place, ref: { ...place, fileId: file.id } }
}

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail("should have been rejected"),
    (error: unknown) => error
  )

const video = { transcoder: FakeTranscoder.layer }

describe("holdfast.streams", () => {
  it("converts, plays and ends", async () => {
    const { directory, holdfast, ref, root } = await setUp({ video })
    const { streams } = holdfast
    const ready = await streams.request(root, { ...ref, format: "hls", wait: 20 })
    assert.deepInclude(ready, { format: "hls", state: "READY", progress: 1, error: null })
    assert.instanceOf(ready.finishedAt, Date)
    assert.deepStrictEqual(await streams.list(root, ref), [ready])
    assert.deepStrictEqual(await streams.get(root, { ...ref, fileId: "@film", format: "hls" }), ready)
    const playlist = await streams.open(root, { ...ref, format: "hls" })
    assert.strictEqual(playlist.contentType, "application/vnd.apple.mpegurl")
    assert.include(await playlist.text(), "\nindex0.ts\n")
    assert.strictEqual(playlist.size, (await playlist.bytes()).length)
    const segment = await streams.open(root, { ...ref, format: "hls", name: "index0.ts" })
    const response = segment.response()
    assert.strictEqual(response.headers.get("content-type"), "video/mp2t")
    assert.deepStrictEqual(new Uint8Array(await response.arrayBuffer()), await segment.bytes())
    assert.strictEqual((await streams.poster(root, ref)).contentType, "image/jpeg")
    const { expiresAt, key } = await streams.playbackKey(root, { ...ref, format: "hls" })
    assert.match(key, /^hfp_/)
    assert.isAbove(expiresAt.getTime(), Date.now())
    // It is for the HTTP door alone.
    assert.instanceOf(await rejection(streams.list(holdfast.as(key), ref)), Holdfast.Unauthenticated)
    await streams.cancel(root, { ...ref, format: "hls" })
    const gone = await rejection(streams.open(root, { ...ref, format: "hls" }))
    assert.instanceOf(gone, Holdfast.StreamNotConverted)
    assert.isTrue(Fs.existsSync(Path.join(directory, "files", "conversions")))
  })

  it("refuses what it cannot do, by classes", async () => {
    const { holdfast, place, ref, root } = await setUp({})
    const { streams } = holdfast
    const none = await rejection(streams.request(root, { ...ref, format: "hls" }))
    assert.instanceOf(none, Holdfast.TranscoderUnavailable)
    assert.propertyVal(none, "code", "transcoder_unavailable")
    const text = await holdfast.files.upload(root, { ...place, name: "a.txt", content: "Hello" })
    const noVideo = rejection(streams.request(root, { ...place, fileId: text.id, format: "dash" }))
    assert.instanceOf(await noVideo, Holdfast.NotAVideo)
    const wrong = { ...ref, format: "mp4" } as unknown as Holdfast.RequestInput
    assert.instanceOf(await rejection(streams.request(root, wrong)), Holdfast.InvalidRequest)
    const never = rejection(streams.request(root, { ...ref, format: "hls", wait: Number.NaN }))
    assert.instanceOf(await never, Holdfast.InvalidRequest)
  })

  it("leaves conversions to other processes where it is told to", async () => {
    const { holdfast, ref, root } = await setUp({ video: "elsewhere" })
    const asked = await holdfast.streams.request(root, { ...ref, format: "hls", wait: 0.1 })
    assert.strictEqual(asked.state, "QUEUED")
    const early = await rejection(holdfast.streams.open(root, { ...ref, format: "hls", wait: 0.1 }))
    assert.instanceOf(early, Holdfast.StreamNotReady)
  })

  it("needs a directory to convert in, and a secret that is one", async () => {
    const directory = makeDirectory()
    const { blobs } = fs({ directory: Path.join(directory, "files") })
    const room = { blobs: { blobs }, video }
    assert.instanceOf(await rejection(setUp(room, directory)), Holdfast.InvalidRequest)
    const given = await setUp({ ...room, workspace: workspace({ directory: Path.join(directory, "work") }) }, directory)
    const ready = await given.holdfast.streams.request(given.root, { ...given.ref, format: "dash", wait: 20 })
    assert.strictEqual(ready.state, "READY")
    assert.instanceOf(await rejection(setUp({ playbackSecret: new Uint8Array(16) })), Holdfast.InvalidRequest)
    assert.instanceOf(await rejection(setUp({ video, conversions: 0 })), Holdfast.InvalidRequest)
  })
})
