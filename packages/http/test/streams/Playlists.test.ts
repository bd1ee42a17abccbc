import type { TranscoderControl } from "@holdfast/testing/transcoding/TranscoderControl"
import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import * as FakeOutput from "@holdfast/testing/transcoding/FakeOutput"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { expectProblem, json } from "../support/Problems.ts"
import * as StreamServer from "./support/StreamServer.ts"

let server: StreamServer.StreamServer
let bucket: { readonly tenantId: string; readonly bucketId: string }
beforeAll(async () => {
  server = await StreamServer.start({ playlistWait: Duration.seconds(10) })
  bucket = await server.makeBucket()
})
afterAll(() => server.close())
afterEach(() => run((control) => control.clear))

const run = <A>(use: (control: TranscoderControl["Service"]) => Effect.Effect<A>): Promise<A> =>
  Effect.runPromise(use(server.control))

/** Requests an address of a playlist as a player does: relative to the playlist, without another key. */
const follow = (playlist: string, address: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(new URL(address, `${server.baseUrl}${playlist}`), { headers })

const playlistHeaders = {
  "cache-control": "private, no-cache",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
}

describe("HLS stream", () => {
  it("READY → every address in its playlists has the same key and can be requested", async () => {
    const { streams } = await server.makeVideo(bucket, StreamServer.lasting(10, FakeMedia.foreign))
    await server.convert(streams)
    const entry = `${streams}/hls/playlist.m3u8`
    const answer = await server.get(entry)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      ...playlistHeaders,
      "content-type": "application/vnd.apple.mpegurl"
    })
    const variants = StreamServer.addresses(await answer.text())
    expect(variants.map((address) => address.replace(/hfp_[\w-]+$/, "KEY"))).toEqual([
      "720p.m3u8?apiKey=KEY",
      "480p.m3u8?apiKey=KEY",
      "360p.m3u8?apiKey=KEY",
      "240p.m3u8?apiKey=KEY"
    ])
    const key = StreamServer.keyIn(variants[0] ?? "")
    for (const [variant, prefix] of [
      [variants[0] ?? "", ""],
      [variants[1] ?? "", "480p/"]
    ] as const) {
      const text = await (await follow(entry, variant)).text()
      // All addresses have the same key: a player that reloads a growing playlist finds the addresses that it knows.
      const segments = [0, 1, 2].map((index) => `${prefix}index${index}.ts?apiKey=${key}`)
      expect(StreamServer.addresses(text)).toEqual(segments)
      for (const address of segments) {
        const segment = await follow(entry, address)
        expect([segment.status, segment.headers.get("content-type")]).toEqual([200, "video/mp2t"])
        expect(segment.headers.get("cache-control")).toBe("private, max-age=31536000, immutable")
        expect(Buffer.from(await segment.arrayBuffer()).toString("latin1")).toContain(
          `of ${prefix === "" ? 720 : 480}p`
        )
      }
    }
    expect(await (await server.get(entry)).text()).toContain(key)
  })

  it("segment → conditional and range requests like any content; unknown names → 404", async () => {
    const { streams } = await server.makeVideo(bucket)
    await server.convert(streams)
    const path = `${streams}/hls/index0.ts`
    const whole = await server.get(path)
    const bytes = Buffer.from(await whole.arrayBuffer())
    const etag = whole.headers.get("etag") ?? ""
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/)
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      "accept-ranges": "bytes",
      // This address may have another content later.
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

  it("conversion is running → playlist request waits for the first segment; the playlist grows", async () => {
    const { streams } = await server.makeVideo(bucket, StreamServer.lasting(40))
    const entry = `${streams}/hls/playlist.m3u8`
    await expectProblem(await server.get(entry), 404, "stream_not_converted")
    const start = await run((control) => control.pauseAt(0))
    await server.post(`${streams}/hls`)
    await Effect.runPromise(start.reached)
    await expectProblem(await server.get(`${streams}/hls/index0.ts`), 503, "unavailable")
    const waiting = server.get(entry)
    const half = await run((control) => control.pauseAt(0.5))
    await Effect.runPromise(start.resume)
    const early = await (await waiting).text()
    expect(early).toContain("#EXT-X-PLAYLIST-TYPE:EVENT")
    expect(early).not.toContain("#EXT-X-ENDLIST")
    expect(StreamServer.addresses(early).length).toBeGreaterThan(0)
    await Effect.runPromise(half.reached)
    // A later attempt may still replace it.
    const first = await follow(entry, StreamServer.addresses(early)[0] ?? "")
    expect([first.status, first.headers.get("cache-control")]).toEqual([200, "private, no-cache"])
    const [item] = (await json<{ items: ReadonlyArray<StreamServer.Record> }>(await server.get(streams))).items
    expect(item).toMatchObject({ format: "hls", state: "RUNNING" })
    await Effect.runPromise(half.resume)
    await server.convert(streams)
    const whole = await (await server.get(entry)).text()
    expect(StreamServer.addresses(whole).slice(0, StreamServer.addresses(early).length)).toEqual(
      StreamServer.addresses(early)
    )
    expect(whole).toContain("#EXT-X-ENDLIST")
  })
})

describe("compression", () => {
  const long = StreamServer.lasting(160)

  it("playlist, manifest → compressed as the client accepts, with an entity tag for each coding and 304", async () => {
    const { streams } = await server.makeVideo(bucket, long)
    await server.convert(streams)
    await server.convert(streams, "dash")
    for (const entry of [`${streams}/hls/playlist.m3u8`, `${streams}/dash/manifest.mpd`]) {
      const plain = await server.get(entry, { headers: { "accept-encoding": "identity" } })
      const text = await plain.text()
      const tags = new Set([plain.headers.get("etag")])
      expect([plain.headers.get("content-encoding"), plain.headers.get("content-length")]).toEqual([
        null,
        String(text.length)
      ])
      for (const coding of ["br", "gzip"]) {
        const headers = { "accept-encoding": coding }
        const answer = await server.get(entry, { headers })
        expect(answer.headers.get("content-encoding")).toBe(coding)
        expect(answer.headers.get("vary")).toContain("Accept-Encoding")
        const length = Number(answer.headers.get("content-length"))
        if (entry.endsWith(".m3u8")) expect(length).toBeLessThan(text.length / 10)
        expect(await answer.text()).toBe(text)
        const etag = answer.headers.get("etag") ?? ""
        tags.add(etag)
        const head = await server.head(entry, { headers })
        expect([head.headers.get("etag"), head.headers.get("content-length")]).toEqual([etag, String(length)])
        const known = await server.get(entry, { headers: { ...headers, "if-none-match": etag } })
        expect([known.status, known.headers.get("etag"), await known.text()]).toEqual([304, etag, ""])
        const other = await server.get(entry, { headers: { "accept-encoding": "identity", "if-none-match": etag } })
        expect(other.status).toBe(200)
      }
      expect(tags.size).toBe(3)
      expect([...tags].every((tag) => /^"[\w-]+"$/.test(tag ?? ""))).toBe(true)
    }
    const segment = await server.get(`${streams}/hls/index0.ts`, { headers: { "accept-encoding": "br, gzip" } })
    expect(segment.headers.get("content-encoding")).toBeNull()
  })

  it("playlist grows → another entity tag and text; another key → another tag", async () => {
    const { streams } = await server.makeVideo(bucket, StreamServer.lasting(40))
    const entry = `${streams}/hls/playlist.m3u8`
    const half = await run((control) => control.pauseAt(0.5))
    await server.post(`${streams}/hls`)
    await Effect.runPromise(half.reached)
    const early = await server.get(entry)
    const etag = early.headers.get("etag") ?? ""
    await Effect.runPromise(half.resume)
    await server.convert(streams)
    const whole = await server.get(entry, { headers: { "if-none-match": etag } })
    expect([whole.status, await whole.text()]).toEqual([200, expect.stringContaining("#EXT-X-ENDLIST")])
    const tenantKey = await server.makeToken(bucket.tenantId, "File Reader")
    const others = await server.get(entry, {
      key: tenantKey,
      headers: { "if-none-match": whole.headers.get("etag") ?? "" }
    })
    expect(others.status).toBe(200)
    const keyIn = (text: string) => new Set(text.match(/apiKey=hfp_[^\n"]+/g))
    const [own, other] = [await server.get(entry), others]
    expect(own.headers.get("content-encoding")).toBe(other.headers.get("content-encoding"))
    const keys = [keyIn(await own.text()), keyIn(await other.text())]
    expect(keys.map(({ size }) => size)).toEqual([1, 1])
    expect(keys[0]).not.toEqual(keys[1])
  })
})

describe("DASH stream", () => {
  it("READY → every template in its manifest has a key and can be requested", async () => {
    const { streams } = await server.makeVideo(bucket)
    await server.convert(streams, "dash")
    const entry = `${streams}/dash/manifest.mpd`
    const answer = await server.get(entry)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      ...playlistHeaders,
      "content-type": "application/dash+xml"
    })
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

  it("conversion is running → manifest request waits, then 503 without an error in the log", async () => {
    const shortWait = await StreamServer.start({ playlistWait: Duration.millis(50) })
    try {
      const { streams } = await shortWait.makeVideo(await shortWait.makeBucket())
      const pause = await Effect.runPromise(shortWait.control.pauseAt(0.5))
      await shortWait.post(`${streams}/dash`)
      await Effect.runPromise(pause.reached)
      const answer = await shortWait.get(`${streams}/dash/manifest.mpd`)
      expect(answer.headers.get("retry-after")).toMatch(/^\d+$/)
      await expectProblem(answer, 503, "unavailable")
      // Players often request too early, which is no error.
      expect(shortWait.logs.join("\n")).not.toContain("request failed")
    } finally {
      await shortWait.close()
    }
  })

  it("conversion fails while a request waits → 422", async () => {
    const { streams } = await server.makeVideo(bucket)
    const pause = await run((control) => control.pauseAt(0.5))
    await server.post(`${streams}/dash`)
    await Effect.runPromise(pause.reached)
    const waiting = server.get(`${streams}/dash/manifest.mpd`)
    await run((control) => control.failAt(0.6, "Failed"))
    await Effect.runPromise(pause.resume)
    await expectProblem(await waiting, 422, "conversion_failed")
  })
})

describe("poster", () => {
  it("first conversion → poster; second conversion → the same poster, not made again", async () => {
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
    const calls = await run((control) => control.calls("poster"))
    await server.get(`${streams}/poster.jpg`)
    expect(await run((control) => control.calls("poster"))).toBe(calls)
  })

  it("audio alone, or the transcoder fails → 404 and a warning in the log", async () => {
    const sound = await server.makeVideo(bucket, FakeMedia.make({ ...FakeMedia.playable, video: null }))
    await server.convert(sound.streams)
    await expectProblem(await server.get(`${sound.streams}/poster.jpg`), 404, "not_found")
    await run((control) => control.fail("poster", "Failed"))
    const { streams } = await server.makeVideo(bucket)
    await server.convert(streams)
    await expectProblem(await server.get(`${streams}/poster.jpg`), 404, "not_found")
    expect(server.logs.join("\n")).toContain("video poster not created")
  })
})

describe("storyboard", () => {
  const readText = async (address: string) => {
    const answer = await server.get(address)
    return answer.status === 200 ? await answer.text() : ""
  }

  it("conversion is READY → soon a storyboard; conversion to the other format → a copy of it", async () => {
    const { streams } = await server.makeVideo(bucket)
    const before = await run((control) => control.calls("storyboard"))
    for (const format of ["hls", "dash"] as const) {
      await server.convert(streams, format)
      const name = `${streams}/${format}/storyboard.vtt`
      await expect.poll(() => readText(name)).toContain("#xywh=0,0,")
      const [, sheet = "", key = ""] =
        /^(storyboard0\.jpg)\?apiKey=(hfp_[\w-]+)#xywh=\d+,\d+,\d+,\d+$/m.exec(await readText(name)) ?? []
      const answer = await fetch(`${server.url}/api/v1${streams}/${format}/${sheet}?apiKey=${key}`)
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/jpeg"])
    }
    expect(await run((control) => control.calls("storyboard"))).toBe(before + 1)
  })

  it("the transcoder fails → READY without a storyboard, and a warning in the log", async () => {
    await run((control) => control.fail("storyboard", "Failed"))
    const { streams } = await server.makeVideo(bucket)
    await server.convert(streams)
    await expect.poll(() => server.logs.join("\n")).toContain("storyboard not created")
    await expectProblem(await server.get(`${streams}/hls/storyboard.vtt`), 404, "not_found")
  })
})
