import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem } from "../support/Problems.ts"
import * as StreamServer from "./support/StreamServer.ts"

const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }

let server: StreamServer.StreamServer
let bucket: { readonly tenantId: string; readonly bucketId: string }
beforeAll(async () => {
  server = await StreamServer.start()
  bucket = await server.makeBucket()
})
afterAll(() => server.close())

/** Returns the settings that the page contains for its script. */
const settingsIn = (html: string) => {
  const [, text = ""] = /<script type="application\/json" id="settings">([\s\S]*?)<\/script>/.exec(html) ?? []
  return JSON.parse(text) as Readonly<Record<string, unknown>>
}

const as = (page: string, address: unknown) => fetch(new URL(String(address), `${server.baseUrl}${page}`))

describe("player page", () => {
  it.each(["hls", "dash"] as const)(
    "READY %s stream → page with working addresses for script, playlist, status and poster",
    async (format) => {
      const description = { name: "A <film> & more.mp4", path: `/${format}/` }
      const { streams } = await server.makeVideo(bucket, undefined, description)
      await server.convert(streams, format)
      const page = `${streams}/${format}`
      const answer = await server.get(page, {
        query: { muted: "1", seek: "1m5s", speed: "9" },
        headers: { ...browser, "accept-encoding": "gzip, br" }
      })
      expect([answer.headers.get("content-encoding"), answer.headers.get("vary")]).toEqual([
        "br",
        expect.stringContaining("Accept-Encoding")
      ])
      const html = await answer.text()
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "cache-control": "private, no-store",
        "referrer-policy": "no-referrer",
        "content-security-policy": expect.stringMatching(/default-src 'none'.*frame-ancestors \*/)
      })
      expect(html).toContain("A &lt;film&gt; &amp; more.mp4")
      expect(html).not.toContain(server.rootKey)
      const settings = settingsIn(html)
      expect(settings).toMatchObject({ format, seek: 65, speed: 4 })
      const playlist = await as(page, settings["source"])
      expect([playlist.status, await playlist.text()]).toEqual([200, expect.stringContaining("apiKey=hfp_")])
      const status = await as(page, settings["status"])
      expect([status.status, await status.json()]).toEqual([200, { items: [expect.objectContaining({ format })] }])
      const [, poster = ""] = /poster="([^"]*)"/.exec(html) ?? []
      expect((await as(page, poster)).headers.get("content-type")).toBe("image/jpeg")
      const [, script = ""] = /<script type="module" src="([^"]*)"/.exec(html) ?? []
      const loaded = await as(page, script)
      expect([loaded.status, loaded.headers.get("content-type")]).toEqual([200, expect.stringContaining("javascript")])
      expect((await as(page, settings["engine"])).status).toBe(200)
    }
  )

  it("sound alone → the page knows it, and has a poster only if one is set", async () => {
    const { streams } = await server.makeVideo(bucket, FakeMedia.make({ ...FakeMedia.playable, video: null }))
    await server.convert(streams)
    const htmlOf = async () => (await server.get(`${streams}/hls`, { headers: browser })).text()
    const plain = await htmlOf()
    expect(plain).toContain('class="stage fill audio"')
    expect(plain).not.toContain("data-poster")
    expect(settingsIn(plain)["storyboard"]).toBe(undefined)
    // The structure of a JPEG of 16×9 pixels.
    const image = "/9j/wAALCAAJABABAREA/9oACAEBAAA/AAH/2Q=="
    expect((await server.post(`${streams}/poster`, { json: { image } })).status).toBe(200)
    const [, poster = ""] = /data-poster="([^"]*)"/.exec(await htmlOf()) ?? []
    expect((await as(`${streams}/hls`, poster)).headers.get("content-type")).toBe("image/jpeg")

    const video = await server.makeVideo(bucket)
    await server.convert(video.streams)
    const html = await (await server.get(`${video.streams}/hls`, { headers: browser })).text()
    expect(html).toContain('class="stage fill"')
  })

  it("conversion is running, or playback key instead of API key → same page", async () => {
    const { streams } = await server.makeVideo(bucket)
    const pause = await Effect.runPromise(server.control.pauseAt(0.5))
    await server.post(`${streams}/hls`)
    await Effect.runPromise(pause.reached)
    const html = await (await server.get(`${streams}/hls`, { headers: browser })).text()
    const key = StreamServer.keyIn(String(settingsIn(html)["source"]))
    const again = await server.get(`${streams}/hls`, { key: null, query: { apiKey: key }, headers: browser })
    expect(again.status).toBe(200)
    expect(settingsIn(await again.text())["source"]).toBe(settingsIn(html)["source"])
    await Effect.runPromise(pause.resume)
    await Effect.runPromise(server.control.clear)
  })

  it("stream cannot be played → HTML for browsers, problem document for programs", async () => {
    const { path, streams } = await server.makeVideo(bucket)
    const missing = streams.replace(/fil_[\w-]+/, "@missing")
    const reader = await server.makeToken(bucket.tenantId, "Bucket Reader")
    await Effect.runPromise(server.control.failAt(0, "Failed", "The picture is damaged."))
    await server.post(`${streams}/dash`, { headers: { prefer: "wait=30" } })
    await Effect.runPromise(server.control.clear)
    const cases = [
      [`${streams}/hls`, server.rootKey, 404, "stream_not_converted", /Not converted yet/],
      [`${missing}/hls`, server.rootKey, 404, "not_found", /not found/],
      [`${streams}/dash`, server.rootKey, 422, "conversion_failed", /The picture is damaged\./],
      [`${streams}/hls`, reader, 403, "forbidden", /Not permitted/],
      [`${streams}/hls`, null, 401, "unauthenticated", /Link not valid/]
    ] as const
    for (const [page, key, status, code, words] of cases) {
      const shown = await server.get(page, { key, headers: browser })
      expect([shown.status, shown.headers.get("content-type")]).toEqual([status, "text/html; charset=utf-8"])
      expect(shown.headers.get("content-security-policy")).toContain("default-src 'none'")
      expect(shown.headers.get("x-request-id")).toMatch(/./)
      const html = await shown.text()
      expect(html).toMatch(words)
      expect(html).not.toContain(path)
      await expectProblem(await server.get(page, { key }), status, code)
    }
  })
})
