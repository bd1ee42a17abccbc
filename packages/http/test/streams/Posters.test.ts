/**
 * Posters that callers set.
 */
import * as Transcoder from "@holdfast/core/transcoding/Transcoder"
import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import * as FakeOutput from "@holdfast/testing/transcoding/FakeOutput"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest"
import { createClient } from "../../src/client/index.ts"
import { expectProblem, json } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"
import * as StreamServer from "./support/StreamServer.ts"

/** The structure of a JPEG of 16×9 pixels. */
const jpeg = (mark: number): Buffer =>
  Buffer.from(
    [
      [0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 9, 0, 16, 1, 1, 0x11, 0],
      [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, mark, 0xff, 0xd9]
    ].flat()
  )

const image = (mark: number) => ({ image: jpeg(mark).toString("base64") })

let server: StreamServer.StreamServer
beforeAll(async () => {
  server = await StreamServer.start()
})
afterAll(() => server.close())

const converted = async () => {
  const bucket = await server.makeBucket()
  const video = await server.makeVideo(bucket)
  await server.convert(video.streams)
  return { ...video, bucket, poster: `${video.streams}/poster` }
}

const read = async (streams: string, headers: Record<string, string> = {}) => {
  const answer = await server.get(`${streams}/poster.jpg`, { headers })
  return { answer, bytes: Buffer.from(await answer.arrayBuffer()) }
}

it("image → the poster of both formats at once, with another entity tag; reset → that of the conversion", async () => {
  const { poster, streams } = await converted()
  const former = await read(streams)
  expect(former.bytes).toEqual(FakeOutput.jpeg)
  const set = await server.post(poster, { json: image(1) })
  expect([set.status, await json(set)]).toEqual([
    200,
    { time: null, state: "READY", updatedAt: expect.stringMatching(/^20.*Z$/) }
  ])
  const { answer, bytes } = await read(streams)
  expect(bytes).toEqual(jpeg(1))
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "image/jpeg",
    "cache-control": "private, no-cache",
    "content-length": String(jpeg(1).length)
  })
  const etag = answer.headers.get("etag") ?? ""
  expect(etag).not.toBe(former.answer.headers.get("etag"))
  expect((await read(streams, { "if-none-match": etag })).answer.status).toBe(304)
  const part = await read(streams, { range: "bytes=2-3" })
  expect([part.answer.status, part.bytes]).toEqual([206, jpeg(1).subarray(2, 4)])

  await server.convert(streams, "dash")
  expect((await server.request("DELETE", `${streams}/hls`)).status).toBe(204)
  expect((await read(streams)).bytes).toEqual(jpeg(1))
  expect((await server.post(poster, { json: image(2) })).status).toBe(200)
  expect((await read(streams, { "if-none-match": etag })).bytes).toEqual(jpeg(2))

  expect((await server.request("DELETE", poster)).status).toBe(204)
  expect((await read(streams)).bytes).toEqual(FakeOutput.jpeg)
  await expectProblem(await server.request("DELETE", poster), 404, "not_found")
})

it("time → a worker makes the picture of that time; the former poster until then", async () => {
  const { poster, streams } = await converted()
  await server.post(poster, { json: image(3) })
  const before = await Effect.runPromise(server.control.calls("poster"))
  const set = await json<{ readonly state: string; readonly time: number }>(
    await server.post(poster, { json: { time: 1.5 } })
  )
  expect(set).toMatchObject({ time: 1.5, state: "PENDING" })
  await expect.poll(async () => (await read(streams)).bytes, { timeout: 20_000 }).toEqual(FakeOutput.jpeg)
  expect(await Effect.runPromise(server.control.calls("poster"))).toBe(before + 1)
})

it("time, but the transcoder cannot make the picture → the poster of the conversion", async () => {
  const { poster, streams } = await converted()
  await server.post(poster, { json: image(4) })
  await Effect.runPromise(server.control.fail("poster", "Failed"))
  expect((await server.post(poster, { json: { time: 2 } })).status).toBe(200)
  await expect.poll(async () => (await read(streams)).bytes, { timeout: 20_000 }).toEqual(FakeOutput.jpeg)
  expect(server.logs.join("\n")).toContain("picture of a poster not created")
  await Effect.runPromise(server.control.clear)
})

it("set before a conversion → its poster from the beginning; new content → none", async () => {
  const bucket = await server.makeBucket()
  const { path, streams } = await server.makeVideo(bucket)
  expect((await server.post(`${streams}/poster`, { json: image(5) })).status).toBe(200)
  await expectProblem(await server.get(`${streams}/poster.jpg`), 404, "stream_not_converted")
  await server.convert(streams)
  expect((await read(streams)).bytes).toEqual(jpeg(5))
  const content = new Uint8Array(FakeMedia.make({ ...FakeMedia.playable, duration: 7 }))
  const headers = { "content-type": "application/octet-stream" }
  expect((await server.post(`${path}/reupload`, { body: content, headers })).status).toBe(200)
  await server.convert(streams)
  expect((await read(streams)).bytes).toEqual(FakeOutput.jpeg)
})

it("playback key of a playlist → the poster that is set", async () => {
  const { poster, streams } = await converted()
  await server.post(poster, { json: image(6) })
  const playlist = await (await server.get(`${streams}/hls/playlist.m3u8`)).text()
  const apiKey = /apiKey=(hfp_[\w-]+)/.exec(playlist)?.[1] ?? ""
  const answer = await server.get(`${streams}/poster.jpg`, { key: null, query: { apiKey } })
  expect([answer.headers.get("cache-control"), Buffer.from(await answer.arrayBuffer())]).toEqual([
    "private, no-cache",
    jpeg(6)
  ])
  await expectProblem(
    await server.post(poster, { key: null, query: { apiKey }, json: image(7) }),
    401,
    "unauthenticated"
  )
})

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).toString("base64")

it.each([
  ["neither", {}],
  ["both", { time: 1, ...image(1) }],
  ["negative time", { time: -1 }],
  ["time that is no number", { time: "1" }],
  ["PNG", { image: png }],
  ["no Base64", { image: "a*b" }],
  ["JPEG that is cut off", { image: jpeg(1).subarray(0, 20).toString("base64") }],
  ["more than 512 KiB", { image: Buffer.alloc(600_000, 1).toString("base64") }]
])("%s → 400 invalid_request", async (_, input) => {
  const bucket = await server.makeBucket()
  const { streams } = await server.makeVideo(bucket)
  await expectProblem(await server.post(`${streams}/poster`, { json: input }), 400, "invalid_request")
})

it("text → 422 not_a_video; no content → 409; other tenant → 404; events name the file", async () => {
  const bucket = await server.makeBucket()
  const text = await server.makeFile(bucket, "Hello", { name: "a.txt" })
  await expectProblem(await server.post(`${text.path}/streams/poster`, { json: image(1) }), 422, "not_a_video")
  const files = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
  const { id } = await json<{ readonly id: string }>(
    await server.post(files, { json: { name: "empty.mp4", path: "/" } })
  )
  const empty = await server.post(`${files}/${id}/streams/poster`, { json: image(1) })
  await expectProblem(empty, empty.status, "content_not_uploaded")
  const other = await server.makeBucket()
  const foreign = `/tenants/${other.tenantId}/buckets/${other.bucketId}/files/${text.id}/streams/poster`
  await expectProblem(await server.post(foreign, { json: image(1) }), 404, "not_found")

  const video = await server.makeVideo(bucket)
  await server.post(`${video.streams}/poster`, { json: image(1) })
  await server.request("DELETE", `${video.streams}/poster`)
  const events = await server.get(`/tenants/${bucket.tenantId}/events`, { query: { action: "poster." } })
  const { items } = await json<{ readonly items: ReadonlyArray<object> }>(events)
  expect(items).toMatchObject([
    { action: "poster.deleted", target: { type: "FILE", id: video.id }, detail: { time: null } },
    { action: "poster.updated", target: { type: "FILE", id: video.id }, detail: { time: null } }
  ])
})

it("no transcoder: time → 503 transcoder_unavailable; image → set", async () => {
  const without = await TestServer.start({ transcoder: Transcoder.layerNone })
  onTestFinished(() => without.close())
  const bucket = await without.makeBucket()
  const { streams } = await StreamServer.makeVideo(without, bucket)
  await expectProblem(await without.post(`${streams}/poster`, { json: { time: 1 } }), 503, "transcoder_unavailable")
  expect((await without.post(`${streams}/poster`, { json: image(1) })).status).toBe(200)
})

it("client: setPoster, resetPoster → as over HTTP", async () => {
  const { bucket, id, streams } = await converted()
  const client = createClient({ url: server.url, apiKey: server.rootKey })
  const ref = { ...bucket, fileId: id }
  expect(await client.streams.setPoster({ ...ref, ...image(8) })).toMatchObject({ time: null, state: "READY" })
  expect((await read(streams)).bytes).toEqual(jpeg(8))
  await client.streams.resetPoster(ref)
  expect((await read(streams)).bytes).toEqual(FakeOutput.jpeg)
})
