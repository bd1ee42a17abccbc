/**
 * Playback keys that are created for pages: the addresses and the code that play a stream without an API key.
 */
import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createClient } from "../../src/client/index.ts"
import { expectProblem, json } from "../support/Problems.ts"
import * as StreamServer from "./support/StreamServer.ts"

interface Created {
  readonly key: string
  readonly expiresAt: string
  readonly playerUrl: string
  readonly playlistUrl: string
  readonly embed: string
}

let server: StreamServer.StreamServer
let bucket: { readonly tenantId: string; readonly bucketId: string }
let video: Awaited<ReturnType<StreamServer.StreamServer["makeVideo"]>>
beforeAll(async () => {
  server = await StreamServer.start({ settings: { accessCache: Duration.zero } })
  bucket = await server.makeBucket()
  video = await server.makeVideo(bucket, undefined, { name: `Ada & "Bob".mp4`, alias: "film" })
  await server.convert(video.streams)
  await server.convert(video.streams, "dash")
})
afterAll(() => server.close())

const create = async (path: string, options: { readonly json?: object; readonly key?: string } = {}) => {
  const answer = await server.post(`${path}/keys`, options)
  expect(answer.status).toBe(200)
  return json<Created>(answer)
}

/** Follows an address of the answer, which begins with the path of the API. */
const follow = (url: string) => fetch(new URL(url, server.url))

describe("playback key for pages", () => {
  it.each([
    ["hls", "playlist.m3u8"],
    ["dash", "manifest.mpd"]
  ])("%s, by alias → addresses with the id and the key play the stream, without an API key", async (format, entry) => {
    const created = await create(`${video.streams.replace(video.id, "@film")}/${format}`)
    const base = `/api/v1${video.streams}/${format}`
    expect(created.key).toMatch(/^hfp_/)
    expect(created.playerUrl).toBe(`${base}?apiKey=${created.key}`)
    expect(created.playlistUrl).toBe(`${base}/${entry}?apiKey=${created.key}`)
    const page = await (await follow(created.playerUrl)).text()
    // The page and the playlist have the same key: watching does not prolong it.
    expect(page.match(/hfp_[\w-]+/g)).toEqual(expect.arrayContaining([created.key]))
    expect(new Set(page.match(/hf[a-z]?_[\w-]+/g))).toEqual(new Set([created.key]))
    const playlist = await follow(created.playlistUrl)
    expect([playlist.status, new Set((await playlist.text()).match(/hf[a-z]?_[\w-]+/g))]).toEqual([
      200,
      new Set([created.key])
    ])
  })

  it("embed → an iframe of the player page with the escaped name, in the proportions of the picture", async () => {
    const { embed, playerUrl } = await create(`${video.streams}/hls`)
    expect(embed).toMatch(
      /^<iframe src="[^"]+" title="Ada &amp; &quot;Bob&quot;\.mp4" width="640" height="\d+" allow="autoplay; fullscreen; picture-in-picture" referrerpolicy="no-referrer"><\/iframe>$/
    )
    expect(embed).toContain(`src="${playerUrl}"`)
    const sound = await server.makeVideo(bucket, FakeMedia.make({ ...FakeMedia.playable, video: null }))
    await server.convert(sound.streams)
    expect((await create(`${sound.streams}/hls`)).embed).toContain('width="640" height="64"')
  })

  it("expiresIn → the end of the key, then 401; without it the lifetime of keys in playlists", async () => {
    const hours = 3_600_000
    const { expiresAt: byDefault } = await create(`${video.streams}/hls`, { json: {} })
    expect(Date.parse(byDefault) - Date.now()).toBeGreaterThan(12 * hours - 1000)
    const week = await create(`${video.streams}/hls`, { json: { expiresIn: 604_800 } })
    expect(Date.parse(week.expiresAt) - Date.now()).toBeLessThanOrEqual(168 * hours + 1000)
    const { expiresAt, playerUrl } = await create(`${video.streams}/hls`, { json: { expiresIn: 1 } })
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(2000)
    await expect.poll(async () => (await follow(playerUrl)).status, { timeout: 5000, interval: 100 }).toBe(401)
  })

  it("input that is not valid → 400 with the field; another media type → 415", async () => {
    for (const expiresIn of [0, -1, 1.5, 604_801, "60"]) {
      const answer = await server.post(`${video.streams}/hls/keys`, { json: { expiresIn } })
      expect(await expectProblem(answer, 400, "invalid_request")).toMatchObject({ errors: [{ pointer: "/expiresIn" }] })
    }
    const wrongType = { body: "expiresIn=1", headers: { "content-type": "text/plain" } }
    await expectProblem(await server.post(`${video.streams}/hls/keys`, wrongType), 415, "unsupported_media_type")
  })

  it("stream that cannot be played → the problem that its player reports", async () => {
    const { streams } = await server.makeVideo(bucket)
    await expectProblem(await server.post(`${streams}/hls/keys`), 404, "stream_not_converted")
    await expectProblem(await server.post(`${streams.replace(/fil_[\w-]+/, "@none")}/hls/keys`), 404, "not_found")
    await Effect.runPromise(server.control.failAt(0, "Failed", "The picture is damaged."))
    await server.post(`${streams}/dash`, { headers: { prefer: "wait=30" } })
    await Effect.runPromise(server.control.clear)
    await expectProblem(await server.post(`${streams}/dash/keys`), 422, "conversion_failed")
  })

  it("creator's token is revoked → 401 at once; no permission to read → no key", async () => {
    const { tenantId } = bucket
    const token = await server.makeToken(tenantId, "File Reader")
    const { playerUrl } = await create(`${video.streams}/hls`, { key: token })
    expect((await follow(playerUrl)).status).toBe(200)
    const tokens = await json<{ items: ReadonlyArray<{ id: string; prefix: string }> }>(
      await server.get(`/tenants/${tenantId}/tokens`)
    )
    const { id = "" } = tokens.items.find(({ prefix }) => token.startsWith(prefix)) ?? {}
    expect((await server.delete(`/tenants/${tenantId}/tokens/${id}`)).status).toBe(204)
    await expectProblem(await follow(playerUrl), 401, "unauthenticated")
    const other = await server.makeToken(tenantId, "Bucket Reader")
    await expectProblem(await server.post(`${video.streams}/hls/keys`, { key: other }), 403, "forbidden")
  })

  it("playback key as the caller's key → 401: it creates no other key", async () => {
    const { key } = await create(`${video.streams}/hls`)
    const answer = await server.request("POST", `${video.streams}/hls/keys`, { key: null, query: { apiKey: key } })
    await expectProblem(answer, 401, "unauthenticated")
  })

  it("client → absolute URLs, in the code too", async () => {
    const client = createClient({ url: server.url, apiKey: server.rootKey })
    const created = await client.streams.playbackKey({ ...bucket, fileId: video.id, format: "hls", expiresIn: 60 })
    expect(created.playerUrl).toBe(`${server.url}/api/v1${video.streams}/hls?apiKey=${created.key}`)
    expect(created.embed).toContain(`<iframe src="${created.playerUrl}" title=`)
    expect((await fetch(created.playlistUrl)).status).toBe(200)
  })
})
