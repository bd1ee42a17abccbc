import type { TranscoderControl } from "@holdfast/testing/transcoding/TranscoderControl"
import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import * as FakeOutput from "@holdfast/testing/transcoding/FakeOutput"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { expectProblem, json } from "../support/Problems.ts"
import * as Support from "./support/StreamServer.ts"

let server: Support.StreamServer
let bucket: { readonly tenantId: string; readonly bucketId: string }
beforeAll(async () => {
  server = await Support.start({ playlistWait: Duration.seconds(10) })
  bucket = await server.makeBucket()
})
afterAll(() => server.close())
afterEach(() => run((script) => script.clear))

const run = <A>(use: (script: TranscoderControl["Service"]) => Effect.Effect<A>): Promise<A> =>
  Effect.runPromise(use(server.script))

/** Follows an address as a player does: relative to the playlist, with no other key. */
const follow = (playlist: string, address: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(new URL(address, `${server.baseUrl}${playlist}`), { headers })

const played = {
  "cache-control": "private, no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
}

describe("an HLS stream", () => {
  it("plays by the addresses in its playlists, each with a key", async () => {
    const { streams } = await server.makeVideo(bucket, Support.lasting(10, FakeMedia.foreign))
    await server.convert(streams)
    const entry = `${streams}/hls/playlist.m3u8`
    const answer = await server.get(entry)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      ...played,
      "content-type": "application/vnd.apple.mpegurl"
    })
    const variants = Support.addresses(await answer.text())
    expect(variants.map((address) => address.replace(/hfp_[\w-]+$/, "KEY"))).toEqual([
      "720p.m3u8?apiKey=KEY",
      "480p.m3u8?apiKey=KEY",
      "360p.m3u8?apiKey=KEY"
    ])
    const key = Support.keyIn(variants[0] ?? "")
    for (const [variant, prefix] of [
      [variants[0] ?? "", ""],
      [variants[1] ?? "", "480p/"]
    ] as const) {
      const text = await (await follow(entry, variant)).text()
      // The same key throughout: a player that reloads a growing playlist finds the addresses that it knows.
      const segments = [0, 1, 2].map((index) => `${prefix}index${index}.ts?apiKey=${key}`)
      expect(Support.addresses(text)).toEqual(segments)
      for (const address of segments) {
        const segment = await follow(entry, address)
        expect([segment.status, segment.headers.get("content-type")]).toEqual([200, "video/mp2t"])
        expect(segment.headers.get("cache-control")).toBe("private, max-age=31536000, immutable")
        expect(Buffer.from(await segment.arrayBuffer()).toString("latin1")).toContain(
          `of ${prefix === "" ? 720 : 480}p`
        )
      }
    }
    expect((await server.get(entry)).headers.get("etag")).toBeNull()
    expect(await (await server.get(entry)).text()).toContain(key)
  })

  it("serves segments as contents are served, and for good", async () => {
    const { streams } = await server.makeVideo(bucket)
    await server.convert(streams)
    const path = `${streams}/hls/index0.ts`
    const whole = await server.get(path)
    const bytes = Buffer.from(await whole.arrayBuffer())
    const etag = whole.headers.get("etag") ?? ""
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/)
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      "accept-ranges": "bytes",
      // Another content may be at this address later.
      "cache-control": "private, no-cache",
      "content-length": String(bytes.length),
      "content-type": "video/mp2t",
      "last-modified": expect.stringMatching(/ GMT$/),
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-request-id": expect.stringMatching(/./)
    })
    const part = await server.get(path, { headers: { range: "bytes=4-7" } })
    expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 4-7/${bytes.length}`])
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(4, 8))
    expect((await server.get(path, { headers: { "if-none-match": etag } })).status).toBe(304)
    const head = await server.head(path)
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, `${bytes.length}`, ""])
    const beyond = await server.get(path, { headers: { range: "bytes=9999-" } })
    expect(beyond.headers.get("content-range")).toBe(`bytes */${bytes.length}`)
    await expectProblem(beyond, 416, "range_not_satisfiable")
    for (const name of ["index9.ts", "..%2findex0.ts", "%2e%2e%2fx", "init-0.m4s", "480p/index0.ts"]) {
      await expectProblem(await server.get(`${streams}/hls/${name}`), 404, "not_found")
    }
    const playlist = await server.head(`${streams}/hls/playlist.m3u8`)
    expect([playlist.status, playlist.headers.get("content-type"), await playlist.text()]).toEqual([
      200,
      "application/vnd.apple.mpegurl",
      ""
    ])
  })

  it("is awaited until it plays, and grows", async () => {
    const { streams } = await server.makeVideo(bucket, Support.lasting(40))
    const entry = `${streams}/hls/playlist.m3u8`
    await expectProblem(await server.get(entry), 404, "stream_not_converted")
    const start = await run((script) => script.pauseAt(0))
    await server.post(`${streams}/hls`)
    await Effect.runPromise(start.reached)
    await expectProblem(await server.get(`${streams}/hls/index0.ts`), 503, "unavailable")
    const waiting = server.get(entry)
    const half = await run((script) => script.pauseAt(0.5))
    await Effect.runPromise(start.resume)
    const early = await (await waiting).text()
    expect(early).toContain("#EXT-X-PLAYLIST-TYPE:EVENT")
    expect(early).not.toContain("#EXT-X-ENDLIST")
    expect(Support.addresses(early).length).toBeGreaterThan(0)
    await Effect.runPromise(half.reached)
    // It may be made anew yet.
    const first = await follow(entry, Support.addresses(early)[0] ?? "")
    expect([first.status, first.headers.get("cache-control")]).toEqual([200, "private, no-cache"])
    const [item] = (await json<{ items: ReadonlyArray<Support.Record> }>(await server.get(streams))).items
    expect(item).toMatchObject({ format: "hls", state: "RUNNING" })
    await Effect.runPromise(half.resume)
    await server.convert(streams)
    const whole = await (await server.get(entry)).text()
    expect(Support.addresses(whole).slice(0, Support.addresses(early).length)).toEqual(Support.addresses(early))
    expect(whole).toContain("#EXT-X-ENDLIST")
  })
})

describe("a DASH stream", () => {
  it("plays by its manifest, whose templates carry a key", async () => {
    const { streams } = await server.makeVideo(bucket)
    await server.convert(streams, "dash")
    const entry = `${streams}/dash/manifest.mpd`
    const answer = await server.get(entry)
    expect(Object.fromEntries(answer.headers)).toMatchObject({ ...played, "content-type": "application/dash+xml" })
    const text = await answer.text()
    const templates = [...text.matchAll(/(?:initialization|media)="([^"]*)"/g)].map(([, address = ""]) => address)
    expect(templates).toHaveLength(4)
    for (const template of templates) {
      expect(template).toMatch(/^(?:init|chunk)-[\w$-]+\.m4s\?apiKey=hfp_[\w-]+$/)
      const address = template.replace("$RepresentationID$", "1").replace("$Number$", "1")
      const segment = await follow(entry, address)
      expect([segment.status, segment.headers.get("content-type")]).toEqual([200, "video/mp4"])
    }
  })

  it("is awaited to its end, and 503 when that takes long", async () => {
    const hurried = await Support.start({ playlistWait: Duration.millis(50) })
    try {
      const { streams } = await hurried.makeVideo(await hurried.makeBucket())
      const hold = await Effect.runPromise(hurried.script.pauseAt(0.5))
      await hurried.post(`${streams}/dash`)
      await Effect.runPromise(hold.reached)
      const answer = await hurried.get(`${streams}/dash/manifest.mpd`)
      expect(answer.headers.get("retry-after")).toMatch(/^\d+$/)
      await expectProblem(answer, 503, "unavailable")
      // Players ask too early all the time: that is no news to the operator.
      expect(hurried.logs.join("\n")).not.toContain("request failed")
    } finally {
      await hurried.close()
    }
  })

  it("waits no longer once it has failed", async () => {
    const { streams } = await server.makeVideo(bucket)
    const hold = await run((script) => script.pauseAt(0.5))
    await server.post(`${streams}/dash`)
    await Effect.runPromise(hold.reached)
    const waiting = server.get(`${streams}/dash/manifest.mpd`)
    await run((script) => script.failAt(0.6, "Failed"))
    await Effect.runPromise(hold.resume)
    await expectProblem(await waiting, 422, "conversion_failed")
  })
})

describe("a poster", () => {
  it("comes with the first conversion, and stays for the second", async () => {
    const { streams } = await server.makeVideo(bucket)
    await expectProblem(await server.get(`${streams}/poster.jpg`), 404, "stream_not_converted")
    await server.convert(streams)
    const poster = await server.get(`${streams}/poster.jpg`)
    expect(Object.fromEntries(poster.headers)).toMatchObject({
      "content-type": "image/jpeg",
      etag: expect.stringMatching(/^"/),
      "cache-control": "private, no-cache"
    })
    expect(Buffer.from(await poster.arrayBuffer())).toEqual(FakeOutput.jpeg)
    await server.convert(streams, "dash")
    await server.delete(`${streams}/hls`)
    expect((await server.get(`${streams}/poster.jpg`)).status).toBe(200)
    const calls = await run((script) => script.calls("poster"))
    await server.get(`${streams}/poster.jpg`)
    expect(await run((script) => script.calls("poster"))).toBe(calls)
  })

  it("is missing for sound alone, and when it could not be made", async () => {
    const sound = await server.makeVideo(bucket, FakeMedia.make({ ...FakeMedia.playable, video: null }))
    await server.convert(sound.streams)
    await expectProblem(await server.get(`${sound.streams}/poster.jpg`), 404, "not_found")
    await run((script) => script.fail("poster", "Failed"))
    const { streams } = await server.makeVideo(bucket)
    await server.convert(streams)
    await expectProblem(await server.get(`${streams}/poster.jpg`), 404, "not_found")
    expect(server.logs.join("\n")).toContain("video poster not created")
  })
})
