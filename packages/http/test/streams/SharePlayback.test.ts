/**
 * Streams that are played with the token of a share.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem, json } from "../support/Problems.ts"
import * as StreamServer from "./support/StreamServer.ts"

interface Share {
  readonly id: string
  readonly token: string
}

let server: StreamServer.StreamServer
let bucket: { readonly tenantId: string; readonly bucketId: string }
let film: Awaited<ReturnType<StreamServer.StreamServer["makeVideo"]>>
let outside: typeof film
let shares: string
beforeAll(async () => {
  server = await StreamServer.start()
  bucket = await server.makeBucket()
  shares = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/shares`
  film = await server.makeVideo(bucket, undefined, { path: "/in/", name: "film.mp4" })
  outside = await server.makeVideo(bucket, undefined, { path: "/out/" })
  await server.convert(film.streams)
  await server.convert(outside.streams)
})
afterAll(() => server.close())

const create = async (input: object) =>
  json<Share>(await server.post(shares, { json: { name: "A film", path: "/in/", ...input } }))

const downloadsOf = async ({ id }: Share) =>
  (await json<{ readonly downloads: number }>(await server.get(`${shares}/${id}`))).downloads

/** Requests with the token of a share in the address. */
const use = ({ token }: Share, path: string, method = "GET") =>
  server.request(method, path, { key: null, query: { apiKey: token } })

describe("share", () => {
  it("playlist, segments, poster and player → without the token in any address; removed → 401", async () => {
    const share = await create({ may: ["play"] })
    const playlist = await use(share, `${film.streams}/hls/playlist.m3u8`)
    expect(playlist.status).toBe(200)
    const text = await playlist.text()
    const [address = ""] = StreamServer.addresses(text)
    expect(StreamServer.keyIn(address)).toMatch(/^hfp_/)
    const player = await use(share, `${film.streams}/hls`)
    expect(player.status).toBe(200)
    expect(text + (await player.text())).not.toContain(share.token)
    const segment = () => server.get(`${film.streams}/hls/${address}`, { key: null })
    expect([(await segment()).status, (await segment()).headers.get("content-type")]).toEqual([200, "video/mp2t"])
    expect((await use(share, `${film.streams}/poster.jpg`)).status).toBe(200)
    await expectProblem(await use(share, `${film.path}/view`), 401, "unauthenticated")
    await expectProblem(await use(share, `${outside.streams}/hls/playlist.m3u8`), 404, "not_found")
    await server.delete(`${shares}/${share.id}`)
    await expectProblem(await segment(), 401, "unauthenticated")
    await expectProblem(await use(share, `${film.streams}/hls/playlist.m3u8`), 401, "unauthenticated")
  })

  it("one download: refused requests and HEAD → not counted; playlist → counted once, with all its segments", async () => {
    const share = await create({ maxDownloads: 1 })
    const playlist = `${film.streams}/hls/playlist.m3u8`
    expect((await use(share, playlist, "HEAD")).status).toBe(200)
    await expectProblem(await use(share, `${outside.streams}/hls/playlist.m3u8`), 404, "not_found")
    await expectProblem(await use(share, `${outside.streams}/hls`), 404, "not_found")
    await expectProblem(await use(share, `${film.streams}/dash/manifest.mpd`), 404, "stream_not_converted")
    expect((await use(share, film.streams)).status).toBe(200)
    const silent = await create({ maxDownloads: 1, may: ["view"] })
    await expectProblem(await use(silent, playlist), 401, "unauthenticated")
    expect([await downloadsOf(share), await downloadsOf(silent)]).toEqual([0, 0])

    const [address = ""] = StreamServer.addresses(await (await use(share, playlist)).text())
    for (let round = 0; round < 3; round++) {
      expect((await server.get(`${film.streams}/hls/${address}`, { key: null })).status).toBe(200)
    }
    expect(await downloadsOf(share)).toBe(1)
    await expectProblem(await use(share, playlist), 410, "share_exhausted")
    await expectProblem(await use(share, `${film.streams}/hls`), 410, "share_exhausted")
  })
})
