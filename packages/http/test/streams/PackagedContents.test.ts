/**
 * The contents and the indexes of packaged streams: composite, damaged, missing, checked and swept.
 */
import * as Actor from "@holdfast/core/Actor"
import { Fsck } from "@holdfast/core/storage/Fsck"
import { Sweeper } from "@holdfast/core/storage/Sweeper"
import * as Transcoder from "@holdfast/core/transcoding/Transcoder"
import { ResumableUploads } from "@holdfast/core/uploads/ResumableUploads"
import * as SourceReader from "@holdfast/core/packaging/SourceReader"
import * as Requires from "@holdfast/testing/Requires"
import * as MemoryBlobStore from "@holdfast/testing/storage/MemoryBlobStore"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest"
import { expectProblem, json } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"
import * as StreamServer from "./support/StreamServer.ts"
import { makeVideo } from "./support/Videos.ts"

const { describe } = Requires.requires(
  Requires.firstMissing(Requires.command("ffmpeg", "-version"), Requires.command("ffprobe", "-version"))
)

const short = Duration.millis(20)
const integrity = { pollInterval: short, backoff: short, maxBackoff: short }

const h264 = ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-pix_fmt", "yuv420p", "-g", "24"]

type Bucket = { readonly tenantId: string; readonly bucketId: string }

describe("contents of packaged streams", () => {
  let made: Promise<Uint8Array<ArrayBuffer>> | undefined
  let video: Uint8Array<ArrayBuffer>
  let server: TestServer.TestServer
  beforeAll(async () => {
    server = await TestServer.start({
      transcoder: Transcoder.layerElsewhere,
      integrity,
      settings: { blobGrace: Duration.zero }
    })
  }, 60_000)
  afterAll(() => server.close())
  beforeEach(async () => {
    made ??= makeVideo("192x108", 10, ...h264)
    video = await made
  })

  /** Requests a stream of a file, which is packaged at once. */
  const packaged = async (path: string, format: "dash" | "hls" = "hls", on = server) => {
    const streams = `${path}/streams`
    const answer = await on.post(`${streams}/${format}`, { headers: { prefer: "wait=10" } })
    expect(await json(answer)).toMatchObject({ state: "READY" })
    return streams
  }

  const upload = async (content = video, on = server) => {
    const bucket = await on.makeBucket()
    const file = await on.makeFile(bucket, content, { name: "a.mp4" })
    return { ...file, bucket, streams: await packaged(file.path, "hls", on) }
  }

  const bytesOf = async (path: string, on = server): Promise<Buffer> => {
    const answer = await on.get(path)
    expect([path, answer.status]).toEqual([path, 200])
    return Buffer.from(await answer.arrayBuffer())
  }

  /** Returns the paths of a bucket's stored contents, in the order of their creation. */
  const stored = ({ bucketId }: Bucket, on = server): ReadonlyArray<string> =>
    Fs.readdirSync(Path.join(on.directory, "blobs"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => Path.join(entry.parentPath, entry.name))
      .filter((path) => path.includes(bucketId))
      .toSorted((a, b) => (Path.basename(a) < Path.basename(b) ? -1 : 1))

  /** Uploads the video in parts of these sizes. */
  const uploadParts = (bucket: Bucket, sizes: ReadonlyArray<number>) =>
    server.run(
      Effect.gen(function* () {
        const uploads = yield* ResumableUploads
        const upload = yield* uploads.create(Actor.system, bucket, { name: "parts.mp4" }, { mode: "PARTS" })
        const ref = { ...bucket, uploadId: upload.id }
        let from = 0
        for (const [index, size] of sizes.entries()) {
          const part = video.slice(from, from + size)
          yield* uploads.putPart(Actor.system, ref, Stream.make(part), { number: index + 1 })
          from += size
        }
        const { id } = yield* uploads.complete(Actor.system, ref)
        return `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files/${id}`
      })
    )

  it("content of several parts → the segments of a content in one part; a part is damaged → 500", async () => {
    const whole = await upload()
    await packaged(whole.path, "dash")
    const bucket = await server.makeBucket()
    const third = Math.floor(video.length / 3)
    const path = await uploadParts(bucket, [third, third + 1, video.length - 2 * third - 1])
    const streams = await packaged(path)
    await packaged(path, "dash")
    for (const name of [
      "hls/index0.ts",
      "hls/index1.ts",
      "hls/index4.ts",
      "dash/chunk-0-2.m4s",
      "dash/chunk-1-3.m4s"
    ]) {
      const [one, other] = [await bytesOf(`${streams}/${name}`), await bytesOf(`${whole.streams}/${name}`)]
      expect([name, Buffer.compare(one, other)]).toEqual([name, 0])
    }
    const [, , last = ""] = stored(bucket)
    Fs.truncateSync(last, 10)
    await expectProblem(await server.get(`${streams}/hls/index4.ts`), 500, "content_damaged")
    expect((await server.get(`${streams}/hls/index0.ts`)).status).toBe(200)
  })

  it("object store, without local files → the same segments, and ranges of them", async () => {
    const other = await TestServer.start({ transcoder: Transcoder.layerElsewhere, blobs: MemoryBlobStore.layer })
    onTestFinished(() => other.close())
    const [one, two] = [await upload(), await upload(video, other)]
    for (const index of [0, 1, 2]) {
      const [local, remote] = [
        await bytesOf(`${one.streams}/hls/index${index}.ts`),
        await bytesOf(`${two.streams}/hls/index${index}.ts`, other)
      ]
      expect(Buffer.compare(local, remote)).toBe(0)
      const range = await other.get(`${two.streams}/hls/index${index}.ts`, { headers: { range: "bytes=190-999" } })
      expect(Buffer.compare(Buffer.from(await range.arrayBuffer()), local.subarray(190, 1000))).toBe(0)
    }
  })

  it.each(["cut", "removed", "overwritten"])(
    "index %s → 500 content_damaged; the stream is queued again",
    async (fault) => {
      const { bucket, id, streams } = await upload()
      const [, index = ""] = stored(bucket)
      if (fault === "cut") Fs.truncateSync(index, 5)
      else if (fault === "removed") Fs.rmSync(index)
      else Fs.writeFileSync(index, new Uint8Array(Fs.statSync(index).size).fill(7))
      await expectProblem(await server.get(`${streams}/hls/index0.ts`), 500, "content_damaged")
      const isQueued = () =>
        server.logs.some((line) => line.includes("stream with a damaged segment queued again") && line.includes(id))
      await expect.poll(isQueued, { timeout: 20_000 }).toBe(true)
      const { items } = await json<{ readonly items: ReadonlyArray<StreamServer.Record> }>(await server.get(streams))
      expect(items).toMatchObject([{ format: "hls", state: "QUEUED" }])
    }
  )

  it("content cut → 500 content_damaged; right again → 200", async () => {
    const { bucket, path, streams } = await upload()
    const [content = ""] = stored(bucket)
    Fs.truncateSync(content, 1000)
    await expectProblem(await server.get(`${streams}/hls/index1.ts`), 500, "content_damaged")
    await expect.poll(async () => json(await server.get(path)), { timeout: 20_000 }).toMatchObject({ damaged: true })
    Fs.writeFileSync(content, video)
    await expect.poll(async () => (await server.get(`${streams}/hls/index1.ts`)).status, { timeout: 20_000 }).toBe(200)
  })

  it("frame in the middle of the uploaded file is broken → its segment is refused in both formats, others play", async () => {
    const broken = video.slice()
    const source = {
      size: video.length,
      readRange: ({ length, offset }: { length: number; offset: number }) =>
        Effect.succeed(video.slice(offset, offset + length))
    }
    const samples = (await Effect.runPromise(SourceReader.read(source))).video[0]?.samples
    // The length of the first NAL unit of a frame at five seconds of ten.
    broken[samples?.offsets[(samples.count >> 1) + 3] ?? 0] = 0x7f
    const { path, streams } = await upload(broken)
    await packaged(path, "dash")
    for (const name of ["hls/index2.ts", "dash/chunk-0-3.m4s"]) {
      await expectProblem(await server.get(`${streams}/${name}`), 500, "content_damaged")
    }
    for (const name of ["hls/index0.ts", "hls/index4.ts", "dash/chunk-0-1.m4s", "dash/chunk-1-3.m4s"]) {
      expect([name, (await server.get(`${streams}/${name}`)).status]).toEqual([name, 200])
    }
  })

  it("large segments many times at once, some requests aborted → right bytes in each of the others", async () => {
    const large = await makeVideo("1280x720", 4, ...h264, "-qp", "16")
    const { path, streams } = await upload(large)
    await packaged(path, "dash")
    const names = ["hls/index0.ts", "dash/chunk-0-1.m4s", "dash/chunk-1-1.m4s"]
    const expected: Array<Buffer> = []
    for (const name of names) expected.push(await bytesOf(`${streams}/${name}`))
    expect(expected[0]?.length).toBeGreaterThan(600_000)
    const read = async (index: number): Promise<void> => {
      const [name = "", whole = Buffer.alloc(0)] = [names[index % 3], expected[index % 3]]
      if (index % 7 === 0) {
        const answer = await server.get(`${streams}/${name}`)
        await answer.body?.cancel()
      } else if (index % 5 === 0) {
        const answer = await server.get(`${streams}/${name}`, { headers: { range: "bytes=1000-" } })
        expect(Buffer.compare(Buffer.from(await answer.arrayBuffer()), whole.subarray(1000))).toBe(0)
      } else expect(Buffer.compare(await bytesOf(`${streams}/${name}`), whole)).toBe(0)
    }
    await Promise.all(Array.from({ length: 90 }, (_, index) => read(index)))
  })

  it("playback key of a playlist → its own segments alone, until the content is replaced", async () => {
    const [{ path, streams }, other] = [await upload(), await upload()]
    await packaged(path, "dash")
    const keyIn = async (name: string) =>
      /apiKey=(hfp_[\w-]+)/.exec((await bytesOf(`${streams}/${name}`)).toString())?.[1] ?? ""
    const keys = { hls: await keyIn("hls/playlist.m3u8"), dash: await keyIn("dash/manifest.mpd") }
    const statusOf = async (address: string, apiKey: string) =>
      (await server.get(address, { key: null, query: { apiKey } })).status
    expect(await statusOf(`${streams}/hls/index0.ts`, keys.hls)).toBe(200)
    expect(await statusOf(`${streams}/dash/init-0.m4s`, keys.dash)).toBe(200)
    expect(await statusOf(`${streams}/dash/chunk-1-1.m4s`, keys.dash)).toBe(200)
    expect(await statusOf(`${streams}/dash/chunk-1-1.m4s`, keys.hls)).toBe(401)
    expect(await statusOf(`${other.streams}/hls/index0.ts`, keys.hls)).toBe(401)
    expect(await statusOf(`${streams}/hls/index0.ts`, `${keys.hls}x`)).toBe(401)
    const headers = { "content-type": "application/octet-stream" }
    expect((await server.post(`${path}/reupload`, { body: new Uint8Array(video), headers })).status).toBe(200)
    await packaged(path)
    expect(await statusOf(`${streams}/hls/index0.ts`, keys.hls)).toBe(404)
  })

  const check = Effect.gen(function* () {
    const findings: Array<{ readonly kind: string; readonly key: string; readonly fileId: string | null }> = []
    yield* (yield* Fsck).check({ onFinding: (finding) => Effect.sync(() => void findings.push(finding)) })
    return findings
  })

  it("fsck: index removed → Missing, with its file; streams deleted → sweep removes the only index with the last", async () => {
    const { bucket, id, path, streams } = await upload()
    await packaged(path, "dash")
    const [content, index = "", ...others] = stored(bucket)
    expect(others).toEqual([])
    const ofBucket = async () => (await server.run(check)).filter(({ key }) => key.includes(bucket.bucketId))
    expect(await ofBucket()).toEqual([])
    Fs.renameSync(index, `${server.directory}/kept`)
    expect(await ofBucket()).toMatchObject([{ kind: "Missing", fileId: id }])
    Fs.renameSync(`${server.directory}/kept`, index)
    expect((await server.request("DELETE", `${streams}/hls`)).status).toBe(204)
    await server.run(Effect.flatMap(Sweeper, ({ sweep }) => sweep()))
    expect(stored(bucket)).toEqual([content, index])
    expect((await server.get(`${streams}/dash/chunk-0-1.m4s`)).status).toBe(200)
    expect((await server.request("DELETE", `${streams}/dash`)).status).toBe(204)
    await server.run(Effect.flatMap(Sweeper, ({ sweep }) => sweep()))
    expect(stored(bucket)).toEqual([content])
    expect(await ofBucket()).toEqual([])
    expect((await server.request("DELETE", path)).status).toBe(204)
    await server.run(Effect.flatMap(Sweeper, ({ sweep }) => sweep()))
    expect(stored(bucket)).toEqual([])
  })

  it("bit of the stored content flipped before the request → READY, then refused; right again → served", async () => {
    const working = await StreamServer.start({ integrity, worker: { concurrency: 1 } })
    onTestFinished(() => working.close())
    const bucket = await working.makeBucket()
    const { path } = await working.makeFile(bucket, video, { name: "a.mp4" })
    const [content = ""] = stored(bucket, working)
    const flipped = video.slice()
    const middle = flipped.length >> 1
    flipped[middle] = (flipped[middle] ?? 0) ^ 1
    Fs.writeFileSync(content, flipped)
    const streams = await packaged(path, "hls", working)
    const statusOf = async (index: number) => (await working.get(`${streams}/hls/index${index}.ts`)).status
    await expect.poll(() => statusOf(1), { timeout: 20_000 }).toBe(500)
    await expectProblem(await working.get(`${streams}/hls/index0.ts`), 500, "content_damaged")
    expect(await json(await working.get(path))).toMatchObject({ damaged: true })
    Fs.writeFileSync(content, video)
    await expect.poll(() => statusOf(1), { timeout: 20_000 }).toBe(200)
  })
})
