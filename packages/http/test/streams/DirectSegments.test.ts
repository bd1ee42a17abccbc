/**
 * Segments that are answered without the router, beside the same reads by the router.
 */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as StreamServer from "./support/StreamServer.ts"

describe("segments without the router", () => {
  let server: StreamServer.StreamServer
  let video: Awaited<ReturnType<StreamServer.StreamServer["makeVideo"]>>
  let other: typeof video
  let etag: string
  const keys = { api: "", hls: "", dash: "" }

  const entry = { hls: "playlist.m3u8", dash: "manifest.mpd" }

  beforeAll(async () => {
    server = await StreamServer.start()
    const bucket = await server.makeBucket()
    video = await server.makeVideo(bucket)
    other = await server.makeVideo(bucket)
    keys.api = server.rootKey
    for (const format of ["hls", "dash"] as const) {
      await server.convert(video.streams, format)
      const playlist = await (await server.get(`${video.streams}/${format}/${entry[format]}`)).text()
      keys[format] = /apiKey=(hfp_[\w-]+)/.exec(playlist)?.[1] ?? ""
    }
    await server.convert(other.streams)
    etag = (await server.head(`${video.streams}/hls/index0.ts`)).headers.get("etag") ?? ""
  })
  afterAll(() => server.close())

  const get = async (path: string, key: string, headers: Record<string, string> = {}) => {
    const before = server.routed()
    const response = await server.get(path, {
      headers: { "x-request-id": "same", ...headers },
      key: null,
      query: { apiKey: key }
    })
    const { date: _, ...others } = Object.fromEntries(response.headers)
    const body = Buffer.from(await response.arrayBuffer()).toString("base64")
    return { routed: server.routed() - before, status: response.status, headers: others, body }
  }

  const answered: ReadonlyArray<
    readonly [name: string, key: keyof typeof keys, path: string, status: number, Record<string, string>?]
  > = [
    ["HLS, playback key", "hls", "/hls/index0.ts", 200],
    ["HLS, API key", "api", "/hls/index0.ts", 200],
    ["DASH, playback key", "dash", "/dash/init-0.m4s", 200],
    ["range", "hls", "/hls/index0.ts", 206, { range: "bytes=2-4" }],
    ["If-None-Match holds", "hls", "/hls/index0.ts", 304, { "if-none-match": "etag" }]
  ]
  for (const [name, key, path, status, headers = {}] of answered) {
    it(`${name} → the answer of the router, without it`, async () => {
      const sent = "if-none-match" in headers ? { "if-none-match": etag } : headers
      const { routed, ...direct } = await get(video.streams + path, keys[key], sent)
      // The router ignores a parameter that no operation has.
      const { routed: byRouter, ...expected } = await get(`${video.streams}${path}?x=`, keys[key], sent)
      assert.deepStrictEqual([direct.status, routed, byRouter], [status, 0, 1])
      assert.deepStrictEqual(direct, expected)
    })
  }

  it("segment with a playback key → may be cached permanently; with an API key → must be revalidated", async () => {
    const path = `${video.streams}/hls/index0.ts`
    assert.match((await get(path, keys.hls)).headers["cache-control"] ?? "", /immutable/)
    assert.match((await get(path, keys.api)).headers["cache-control"] ?? "", /no-cache/)
  })

  it.each([
    ["playlist", "hls", "/hls/playlist.m3u8", 200],
    ["missing segment", "hls", "/hls/index9999.ts", 404],
    ["name that no conversion writes", "hls", "/hls/index0.mp3", 404],
    ["key of the other format", "dash", "/hls/index0.ts", 401]
  ] as const)("%s → the router", async (_, key, path, status) => {
    const { routed, status: sent } = await get(video.streams + path, keys[key])
    assert.deepStrictEqual([sent, routed], [status, 1])
  })

  it("playback key: of another file, changed → 401 by the router", async () => {
    assert.deepInclude(await get(`${other.streams}/hls/index0.ts`, keys.hls), { status: 401, routed: 1 })
    assert.deepInclude(await get(`${video.streams}/hls/index0.ts`, `${keys.hls.slice(0, -2)}AA`), {
      status: 401,
      routed: 1
    })
  })

  it("content replaced → its former segments are not found", async () => {
    const path = `${other.streams}/hls/index0.ts`
    assert.deepInclude(await get(path, keys.api), { status: 200, routed: 0 })
    await (await server.post(`${other.path}/reupload`, { body: "no video" })).text()
    assert.deepInclude(await get(path, keys.api), { status: 404, routed: 1 })
  })
})
