import type { TranscoderControl } from "@holdfast/testing/transcoding/TranscoderControl"
import * as Effect from "effect/Effect"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { expectProblem, json, pointers } from "../support/Problems.ts"
import * as Support from "./support/StreamServer.ts"
import type { Record } from "./support/StreamServer.ts"

let server: Support.StreamServer
let bucket: { readonly tenantId: string; readonly bucketId: string }
beforeAll(async () => {
  server = await Support.start()
  bucket = await server.makeBucket()
})
afterAll(() => server.close())
afterEach(() => run((script) => script.clear))

const run = <A>(use: (script: TranscoderControl["Service"]) => Effect.Effect<A>): Promise<A> =>
  Effect.runPromise(use(server.script))

const list = async (streams: string): Promise<ReadonlyArray<Record>> =>
  (await json<{ readonly items: ReadonlyArray<Record> }>(await server.get(streams))).items

describe("asking for a conversion", () => {
  it("ten times at once makes one, and once more changes nothing", async () => {
    const { streams } = await server.makeVideo(bucket)
    const before = await run((script) => script.calls("convert"))
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
      error: null,
      startedAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      finishedAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/)
    })
    expect(await run((script) => script.calls("convert"))).toBe(before + 1)
    expect(await list(streams)).toHaveLength(1)
  })

  it("comes before everything that it makes, with a key in each query", async () => {
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
      const asked = await server.post(`${streams}/${format}`, { ...inQuery, headers: { prefer: "wait=30" } })
      expect(asked.status).toBe(200)
      for (const path of made[format]) expect((await server.get(`${streams}/${path}`, inQuery)).status).toBe(200)
    }
  })

  it("waits as long as is preferred, and no longer", async () => {
    const { streams } = await server.makeVideo(bucket)
    const hold = await run((script) => script.pauseAt(0.5))
    const plain = await server.post(`${streams}/hls`)
    expect([plain.status, plain.headers.get("preference-applied")]).toEqual([202, null])
    const short = await server.post(`${streams}/hls`, { headers: { prefer: "respond-async, wait=0" } })
    expect([short.status, short.headers.get("preference-applied")]).toEqual([202, "wait=0"])
    await Effect.runPromise(hold.reached)
    const waiting = server.post(`${streams}/hls`, { headers: { prefer: 'foo="bar", wait="3600"; x=1' } })
    await Effect.runPromise(hold.resume)
    const ready = await waiting
    expect([ready.status, ready.headers.get("preference-applied")]).toEqual([200, "wait=60"])
    expect(await json(ready)).toMatchObject({ state: "READY", progress: 1 })
    const senseless = await server.post(`${streams}/hls`, { headers: { prefer: "wait=soon" } })
    expect([senseless.status, senseless.headers.get("preference-applied")]).toEqual([200, null])
  })

  it("takes a mode, and no body for none", async () => {
    const { streams } = await server.makeVideo(bucket)
    await server.convert(streams)
    const calls = await run((script) => script.calls("convert"))
    const answer = await server.post(`${streams}/dash`, { json: { mode: "transcode" }, headers: { prefer: "wait=30" } })
    expect(await json(answer)).toMatchObject({ format: "dash", state: "READY" })
    // Encoded anew, and so not made from what was copied.
    expect(await run((script) => script.calls("convert"))).toBe(calls + 1)
    const form = { body: "", headers: { "content-type": "application/x-www-form-urlencoded" } }
    expect((await server.post(`${streams}/hls`, form)).status).toBe(200)
    const wrong = await expectProblem(
      await server.post(`${streams}/hls`, { json: { mode: "fast" } }),
      400,
      "invalid_request"
    )
    expect(pointers(wrong)).toEqual(["/mode"])
    const torn = { body: "{", headers: { "content-type": "application/json" } }
    await expectProblem(await server.post(`${streams}/hls`, torn), 400, "invalid_request")
    const text = { body: "auto", headers: { "content-type": "text/plain" } }
    await expectProblem(await server.post(`${streams}/hls`, text), 415, "unsupported_media_type")
    const large = { body: " ".repeat(1_100_000), headers: { "content-type": "application/json" } }
    await expectProblem(await server.post(`${streams}/hls`, large), 413, "content_too_large")
  })

  it("is refused for what is no video, has no content, or is not there", async () => {
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

  it("is 503 where nothing can convert, and what stands plays on", async () => {
    const { streams } = await server.makeVideo(bucket)
    await server.convert(streams)
    await run((script) => script.setAvailable(false))
    const answer = await server.post(`${streams}/dash`)
    expect(answer.headers.get("retry-after")).toMatch(/^\d+$/)
    await expectProblem(answer, 503, "transcoder_unavailable")
    expect((await server.post(`${streams}/hls`)).status).toBe(200)
    expect((await server.get(`${streams}/hls/playlist.m3u8`)).status).toBe(200)
  })
})

describe("a conversion that fails", () => {
  it("says why wherever it is asked for, and is tried anew on request", async () => {
    const { streams } = await server.makeVideo(bucket)
    await run((script) => script.failAt(0.5, "Failed", "The picture is torn."))
    const failed = await server.post(`${streams}/hls`, { headers: { prefer: "wait=30" } })
    expect(failed.status).toBe(202)
    expect(await json(failed)).toMatchObject({ state: "FAILED", error: "The conversion failed. The picture is torn." })
    for (const path of ["hls/playlist.m3u8", "hls/index0.ts", "poster.jpg", "hls"]) {
      const problem = await expectProblem(await server.get(`${streams}/${path}`), 422, "conversion_failed")
      expect(problem.detail).toBe("The conversion failed. The picture is torn.")
    }
    await run((script) => script.clear)
    await server.convert(streams)
    expect((await server.get(`${streams}/hls/index0.ts`)).status).toBe(200)
  })

  it("tells a file that only looks like a video from one that is broken", async () => {
    const { streams } = await server.makeVideo(bucket, new TextEncoder().encode("\0\0\0\u0018ftypisom no video"))
    const asked = await server.post(`${streams}/hls`, { headers: { prefer: "wait=30" } })
    expect(await json(asked)).toMatchObject({ state: "FAILED" })
    await expectProblem(await server.get(`${streams}/hls/playlist.m3u8`), 422, "not_a_video")
  })
})

describe("a conversion goes", () => {
  it("with its content: a new one has none", async () => {
    const { path, streams } = await server.makeVideo(bucket)
    await server.convert(streams)
    const former = await (await server.get(`${streams}/hls/playlist.m3u8`)).text()
    const [address = ""] = Support.addresses(former)
    const body = new Uint8Array(Support.lasting(4))
    const headers = { "content-type": "application/octet-stream" }
    expect((await server.post(`${path}/reupload`, { body, headers })).status).toBe(200)
    expect(await list(streams)).toEqual([])
    await expectProblem(await server.get(`${streams}/hls/playlist.m3u8`), 404, "stream_not_converted")
    await expectProblem(await server.get(`${streams}/hls/${address}`, { key: null }), 404, "stream_not_converted")
    await server.convert(streams)
    // What played the former content gets nothing of this one under its own addresses.
    await expectProblem(await server.get(`${streams}/hls/${address}`, { key: null }), 404, "not_found")
    const formerKey = { key: null, query: { apiKey: Support.keyIn(address) } }
    await expectProblem(await server.get(`${streams}/hls`, formerKey), 404, "not_found")
    expect(await (await server.get(streams, formerKey)).json()).toEqual({ items: [] })
    expect(Support.addresses(await (await server.get(`${streams}/hls/playlist.m3u8`)).text())).toHaveLength(1)
  })

  it("when it is removed, also while it runs", async () => {
    const { streams } = await server.makeVideo(bucket)
    await expectProblem(await server.delete(`${streams}/hls`), 404, "stream_not_converted")
    const hold = await run((script) => script.pauseAt(0.5))
    await server.post(`${streams}/hls`)
    await Effect.runPromise(hold.reached)
    const waiting = server.post(`${streams}/hls`, { headers: { prefer: "wait=30" } })
    expect((await server.delete(`${streams}/hls`)).status).toBe(204)
    // Whoever waits is told what there was.
    expect((await waiting).status).toBe(202)
    await expectProblem(await server.get(`${streams}/hls/playlist.m3u8`), 404, "stream_not_converted")
    expect(await list(streams)).toEqual([])
    await Effect.runPromise(hold.resume)
    await run((script) => script.clear)
    await server.convert(streams)
    expect((await server.delete(`${streams}/hls`)).status).toBe(204)
    await expectProblem(await server.get(`${streams}/hls/index0.ts`), 404, "stream_not_converted")
  })
})
