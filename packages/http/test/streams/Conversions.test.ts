import type { TranscoderControl } from "@holdfast/testing/transcoding/TranscoderControl"
import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import * as Effect from "effect/Effect"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { expectProblem, json, pointers } from "../support/Problems.ts"
import * as Settings from "@holdfast/core/Settings"
import * as StreamServer from "./support/StreamServer.ts"

let server: StreamServer.StreamServer
let bucket: { readonly tenantId: string; readonly bucketId: string }
beforeAll(async () => {
  server = await StreamServer.start()
  bucket = await server.makeBucket()
})
afterAll(() => server.close())
afterEach(() => run((control) => control.clear))

const run = <A>(use: (control: TranscoderControl["Service"]) => Effect.Effect<A>): Promise<A> =>
  Effect.runPromise(use(server.control))

const list = async (streams: string): Promise<ReadonlyArray<StreamServer.Record>> =>
  (await json<{ readonly items: ReadonlyArray<StreamServer.Record> }>(await server.get(streams))).items

describe("record of a conversion", () => {
  it("content with languages and chapters → both, from the probe on", async () => {
    const { audio } = FakeMedia.playable
    if (audio === null) return expect.fail("it has audio")
    const media = {
      ...FakeMedia.playable,
      otherAudio: [{ ...audio, index: 2, language: "de" }],
      chapters: [{ start: 0, title: "A" }]
    }
    const { streams } = await server.makeVideo(bucket, FakeMedia.make(media))
    await server.convert(streams)
    expect(await list(streams)).toMatchObject([
      {
        audio: [
          { label: "English", language: "en", channels: 2 },
          { label: "Deutsch", language: "de", channels: 2 }
        ],
        captions: [],
        chapters: [{ start: 0, title: "A" }]
      }
    ])
    const playlist = await server.get(`${streams}/hls/playlist.m3u8`)
    expect(await playlist.text()).toContain("720p.m3u8?apiKey=hfp_")
    const other = await server.get(`${streams}/hls/audio1.m3u8`)
    expect([other.status, StreamServer.addresses(await other.text())[0]]).toEqual([
      200,
      expect.stringContaining("audio1/index0.ts?apiKey=hfp_")
    ])
    expect((await server.get(`${streams}/hls/audio1/index0.ts`)).status).toBe(200)
  })
})

describe("request a conversion", () => {
  it("ten requests at once, and a later one → one conversion", async () => {
    const { streams } = await server.makeVideo(bucket)
    const before = await run((control) => control.calls("convert"))
    const answers = await Promise.all(Array.from({ length: 10 }, () => server.post(`${streams}/hls`)))
    for (const answer of answers) {
      expect([200, 202]).toContain(answer.status)
      expect(await json(answer)).toMatchObject({ format: "hls", error: null })
    }
    await server.convert(streams)
    const again = await server.post(`${streams}/hls`)
    expect(again.status).toBe(200)
    expect(await json(again)).toEqual({
      format: "hls",
      state: "READY",
      progress: 1,
      renditions: [{ name: "720p", width: 1280, height: 720, bitrate: 2_600_000 }],
      audio: [],
      captions: [],
      chapters: [],
      error: null,
      startedAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      finishedAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/)
    })
    expect(await run((control) => control.calls("convert"))).toBe(before + 1)
    expect(await list(streams)).toHaveLength(1)
  })

  it("API key in the query → 404 before the request, 200 after it, for every file", async () => {
    const { streams } = await server.makeVideo(bucket)
    const made = {
      hls: ["hls/playlist.m3u8", "hls/index0.ts", "hls"],
      dash: ["dash/manifest.mpd", "dash/init-0.m4s", "dash/chunk-0-1.m4s", "dash"]
    } as const
    const inQuery = { key: null, query: { apiKey: server.rootKey } }
    for (const format of ["hls", "dash"] as const) {
      for (const path of made[format]) {
        await expectProblem(await server.get(`${streams}/${path}`, inQuery), 404, "stream_not_converted")
      }
      const requested = await server.post(`${streams}/${format}`, { ...inQuery, headers: { prefer: "wait=30" } })
      expect(requested.status).toBe(200)
      for (const path of made[format]) expect((await server.get(`${streams}/${path}`, inQuery)).status).toBe(200)
    }
  })

  it("Prefer: wait=N → waits at most N seconds, and at most 60", async () => {
    const { streams } = await server.makeVideo(bucket)
    const pause = await run((control) => control.pauseAt(0.5))
    const plain = await server.post(`${streams}/hls`)
    expect([plain.status, plain.headers.get("preference-applied")]).toEqual([202, null])
    const short = await server.post(`${streams}/hls`, { headers: { prefer: "respond-async, wait=0" } })
    expect([short.status, short.headers.get("preference-applied")]).toEqual([202, "wait=0"])
    await Effect.runPromise(pause.reached)
    const waiting = server.post(`${streams}/hls`, { headers: { prefer: 'foo="bar", wait="3600"; x=1' } })
    await Effect.runPromise(pause.resume)
    const ready = await waiting
    expect([ready.status, ready.headers.get("preference-applied")]).toEqual([200, "wait=60"])
    expect(await json(ready)).toMatchObject({ state: "READY", progress: 1 })
    const senseless = await server.post(`${streams}/hls`, { headers: { prefer: "wait=soon" } })
    expect([senseless.status, senseless.headers.get("preference-applied")]).toEqual([200, null])
  })

  it("body with mode, no body, invalid body → mode is applied, 200, 4xx", async () => {
    const { streams } = await server.makeVideo(bucket)
    await server.convert(streams)
    const calls = await run((control) => control.calls("convert"))
    const answer = await server.post(`${streams}/dash`, { json: { mode: "transcode" }, headers: { prefer: "wait=30" } })
    expect(await json(answer)).toMatchObject({ format: "dash", state: "READY" })
    // Mode `transcode` encodes the content; it does not repackage the copied HLS conversion.
    expect(await run((control) => control.calls("convert"))).toBe(calls + 1)
    const form = { body: "", headers: { "content-type": "application/x-www-form-urlencoded" } }
    expect((await server.post(`${streams}/hls`, form)).status).toBe(200)
    const wrong = await expectProblem(
      await server.post(`${streams}/hls`, { json: { mode: "fast" } }),
      400,
      "invalid_request"
    )
    expect(pointers(wrong)).toEqual(["/mode"])
    const invalidJson = { body: "{", headers: { "content-type": "application/json" } }
    await expectProblem(await server.post(`${streams}/hls`, invalidJson), 400, "invalid_request")
    const text = { body: "auto", headers: { "content-type": "text/plain" } }
    await expectProblem(await server.post(`${streams}/hls`, text), 415, "unsupported_media_type")
    const large = { body: " ".repeat(1_100_000), headers: { "content-type": "application/json" } }
    await expectProblem(await server.post(`${streams}/hls`, large), 413, "content_too_large")
  })

  it("no video, no content, or no file → 422 or 404", async () => {
    const text = await server.makeFile(bucket, "Hello")
    await expectProblem(await server.post(`${text.path}/streams/hls`), 422, "not_a_video")
    const files = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
    const reserved = await json<{ id: string }>(await server.post(files, { json: { name: "later.mp4" } }))
    const streams = `${files}/${reserved.id}/streams`
    await expectProblem(await server.post(`${streams}/dash`), 404, "content_not_uploaded")
    await expectProblem(await server.get(`${streams}/dash/manifest.mpd`), 404, "content_not_uploaded")
    expect(await list(streams)).toEqual([])
    await expectProblem(await server.post(`${files}/@none/streams/hls`), 404, "not_found")
    const wrong = await server.request("PUT", `${streams}/hls`)
    expect(wrong.headers.get("allow")).toBe("DELETE, GET, HEAD, POST")
    await expectProblem(wrong, 405, "method_not_allowed")
  })

  it("transcoder is unavailable → 503; existing streams still play", async () => {
    const { streams } = await server.makeVideo(bucket)
    await server.convert(streams)
    await run((control) => control.setAvailable(false))
    const answer = await server.post(`${streams}/dash`)
    expect(answer.headers.get("retry-after")).toMatch(/^\d+$/)
    await expectProblem(answer, 503, "transcoder_unavailable")
    expect((await server.post(`${streams}/hls`)).status).toBe(200)
    expect((await server.get(`${streams}/hls/playlist.m3u8`)).status).toBe(200)
  })
})

describe("failed conversion", () => {
  it("content cannot be converted → reason in record and problems; another request converts again", async () => {
    const { streams } = await server.makeVideo(bucket)
    await run((control) => control.failAt(0.5, "Failed", "The picture is damaged."))
    const failed = await server.post(`${streams}/hls`, { headers: { prefer: "wait=30" } })
    expect(failed.status).toBe(202)
    expect(await json(failed)).toMatchObject({
      state: "FAILED",
      error: "The conversion failed. The picture is damaged."
    })
    for (const path of ["hls/playlist.m3u8", "hls/index0.ts", "poster.jpg", "hls"]) {
      const problem = await expectProblem(await server.get(`${streams}/${path}`), 422, "conversion_failed")
      expect(problem.detail).toBe("The conversion failed. The picture is damaged.")
    }
    await run((control) => control.clear)
    await server.convert(streams)
    expect((await server.get(`${streams}/hls/index0.ts`)).status).toBe(200)
  })

  it("file has only the signature of a video → not_a_video", async () => {
    const { streams } = await server.makeVideo(bucket, new TextEncoder().encode("\0\0\0\u0018ftypisom no video"))
    const requested = await server.post(`${streams}/hls`, { headers: { prefer: "wait=30" } })
    expect(await json(requested)).toMatchObject({ state: "FAILED" })
    await expectProblem(await server.get(`${streams}/hls/playlist.m3u8`), 422, "not_a_video")
  })
})

describe("removed conversion", () => {
  it("content is replaced → no conversion, and former keys and addresses are invalid", async () => {
    const { path, streams } = await server.makeVideo(bucket)
    await server.convert(streams)
    const former = await (await server.get(`${streams}/hls/playlist.m3u8`)).text()
    const [address = ""] = StreamServer.addresses(former)
    const body = new Uint8Array(StreamServer.lasting(4))
    const headers = { "content-type": "application/octet-stream" }
    expect((await server.post(`${path}/reupload`, { body, headers })).status).toBe(200)
    expect(await list(streams)).toEqual([])
    await expectProblem(await server.get(`${streams}/hls/playlist.m3u8`), 404, "stream_not_converted")
    await expectProblem(await server.get(`${streams}/hls/${address}`, { key: null }), 404, "stream_not_converted")
    await server.convert(streams)
    // Addresses of the former content do not return the new content.
    await expectProblem(await server.get(`${streams}/hls/${address}`, { key: null }), 404, "not_found")
    const formerKey = { key: null, query: { apiKey: StreamServer.keyIn(address) } }
    await expectProblem(await server.get(`${streams}/hls`, formerKey), 404, "not_found")
    expect(await (await server.get(streams, formerKey)).json()).toEqual({ items: [] })
    expect(StreamServer.addresses(await (await server.get(`${streams}/hls/playlist.m3u8`)).text())).toHaveLength(1)
  })

  it("DELETE, also while it runs → 204, then 404", async () => {
    const { streams } = await server.makeVideo(bucket)
    await expectProblem(await server.delete(`${streams}/hls`), 404, "stream_not_converted")
    const pause = await run((control) => control.pauseAt(0.5))
    await server.post(`${streams}/hls`)
    await Effect.runPromise(pause.reached)
    const waiting = server.post(`${streams}/hls`, { headers: { prefer: "wait=30" } })
    expect((await server.delete(`${streams}/hls`)).status).toBe(204)
    // A waiting request returns the state that its conversion had.
    expect((await waiting).status).toBe(202)
    await expectProblem(await server.get(`${streams}/hls/playlist.m3u8`), 404, "stream_not_converted")
    expect(await list(streams)).toEqual([])
    await Effect.runPromise(pause.resume)
    await run((control) => control.clear)
    await server.convert(streams)
    expect((await server.delete(`${streams}/hls`)).status).toBe(204)
    await expectProblem(await server.get(`${streams}/hls/index0.ts`), 404, "stream_not_converted")
  })
})

describe("pending conversions", () => {
  it("tenant has as many as permitted → 429 with Retry-After; accepted again when one has ended", async () => {
    const limited = await StreamServer.start({ settings: { quota: { ...Settings.defaults.quota, conversions: 2 } } })
    try {
      const own = await limited.makeBucket()
      const other = await limited.makeBucket()
      const pause = await Effect.runPromise(limited.control.pauseAt(0))
      const videos = [await limited.makeVideo(own), await limited.makeVideo(own), await limited.makeVideo(own)]
      const [first = "", second = "", third = ""] = videos.map(({ streams }) => streams)
      for (const streams of [first, second, first]) expect((await limited.post(`${streams}/hls`)).status).toBe(202)
      const refused = await limited.post(`${third}/hls`)
      expect(refused.headers.get("retry-after")).toMatch(/^\d+$/)
      const problem = await expectProblem(refused, 429, "too_many_conversions")
      expect(problem.detail).toContain("2 conversions")
      const { streams } = await limited.makeVideo(other)
      expect((await limited.post(`${streams}/hls`)).status).toBe(202)
      await Effect.runPromise(pause.resume)
      for (const ended of [first, second, third]) await limited.convert(ended)
    } finally {
      await limited.close()
    }
  })
})
