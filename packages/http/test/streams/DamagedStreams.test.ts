/**
 * Streams whose source or segments are damaged: no stream is made of wrong bytes, and a stream with a damaged segment is made again.
 */
import * as Actor from "@holdfast/core/Actor"
import { ResumableUploads } from "@holdfast/core/uploads/ResumableUploads"
import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { expectProblem, json } from "../support/Problems.ts"
import * as StreamServer from "./support/StreamServer.ts"

const short = Duration.millis(20)

let server: StreamServer.StreamServer
beforeAll(async () => {
  server = await StreamServer.start({
    integrity: { pollInterval: short, backoff: short, maxBackoff: short },
    worker: { concurrency: 2, retryDelay: short }
  })
})
afterAll(() => server.close())

/** Returns the paths of all stored contents, in the order of their creation. */
const listContents = (bucketId: string): ReadonlyArray<string> =>
  Fs.readdirSync(Path.join(server.directory, "blobs"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => Path.join(entry.parentPath, entry.name))
    .filter((path) => path.includes(bucketId))
    .toSorted((a, b) => (Path.basename(a) < Path.basename(b) ? -1 : 1))

const flipBit = (path: string): void => {
  const bytes = Fs.readFileSync(path)
  const middle = bytes.length >> 1
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  Fs.writeFileSync(path, bytes)
}

/** Whether HLS was queued again, and is READY. */
const isConvertedAgain = async (id: string, streams: string): Promise<boolean> => {
  const { items } = await json<{ readonly items: ReadonlyArray<StreamServer.Record> }>(await server.get(streams))
  const isQueued = server.logs.some(
    (line) => line.includes("stream with a damaged segment queued again") && line.includes(id)
  )
  return isQueued && items.every(({ state }) => state === "READY")
}

it("source damaged → FAILED, its files are 500 content_damaged; right bytes again and requested → READY", async () => {
  const bucket = await server.makeBucket()
  const { path, streams } = await server.makeVideo(bucket)
  const [source = ""] = listContents(bucket.bucketId)
  flipBit(source)
  const requested = await server.post(`${streams}/hls`, { headers: { prefer: "wait=30" } })
  expect(await json(requested)).toMatchObject({ state: "FAILED", error: expect.stringContaining("damaged") })
  await expectProblem(await server.get(`${streams}/hls/playlist.m3u8`), 500, "content_damaged")
  expect(await json(await server.get(path))).toMatchObject({ damaged: true })

  flipBit(source)
  await server.convert(streams)
  expect((await server.get(`${streams}/hls/index0.ts`)).status).toBe(200)
})

it("source of several parts, one of them damaged → FAILED; right bytes again and requested → READY", async () => {
  const bucket = await server.makeBucket()
  const bytes = FakeMedia.make(FakeMedia.playable)
  const half = bytes.length >> 1
  const { id } = await server.run(
    Effect.gen(function* () {
      const uploads = yield* ResumableUploads
      const upload = yield* uploads.create(Actor.system, bucket, { name: "parts.mp4" }, { mode: "PARTS" })
      const ref = { ...bucket, uploadId: upload.id }
      for (const [index, part] of [bytes.slice(0, half), bytes.slice(half)].entries()) {
        yield* uploads.putPart(Actor.system, ref, Stream.make(new Uint8Array(part)), { number: index + 1 })
      }
      return yield* uploads.complete(Actor.system, ref)
    })
  )
  const streams = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files/${id}/streams`
  const last = listContents(bucket.bucketId).at(-1) ?? ""
  flipBit(last)
  const requested = await server.post(`${streams}/hls`, { headers: { prefer: "wait=30" } })
  expect(await json(requested)).toMatchObject({ state: "FAILED", error: expect.stringContaining("damaged") })

  flipBit(last)
  await server.convert(streams)
})

it.each(["cut", "removed"])("segments %s → 500 content_damaged; the stream is converted again", async (fault) => {
  const bucket = await server.makeBucket()
  const { id, streams } = await server.makeVideo(bucket)
  await server.convert(streams)
  const [, ...segments] = listContents(bucket.bucketId)
  for (const segment of segments) {
    if (fault === "cut") Fs.truncateSync(segment, 1)
    else Fs.rmSync(segment)
  }
  await expectProblem(await server.get(`${streams}/hls/index0.ts`), 500, "content_damaged")
  await expect.poll(() => isConvertedAgain(id, streams), { timeout: 20_000 }).toBe(true)
  expect((await server.get(`${streams}/hls/index0.ts`)).status).toBe(200)
})

it("bits of the segments of HLS flipped, DASH requested → made of the content, and HLS is converted again", async () => {
  const bucket = await server.makeBucket()
  const { id, streams } = await server.makeVideo(bucket)
  await server.convert(streams)
  const [, ...segments] = listContents(bucket.bucketId)
  for (const segment of segments) flipBit(segment)
  const before = await Effect.runPromise(server.control.calls("convert"))
  await server.convert(streams, "dash")
  expect(await Effect.runPromise(server.control.calls("convert"))).toBeGreaterThan(before)
  await expect.poll(() => isConvertedAgain(id, streams), { timeout: 20_000 }).toBe(true)
  expect((await server.get(`${streams}/hls/index0.ts`)).status).toBe(200)
})
