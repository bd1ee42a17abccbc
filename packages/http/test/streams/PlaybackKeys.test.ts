/**
 * What a playback key from a playlist permits.
 */
import * as Actor from "@holdfast/core/Actor"
import { PlaybackKeys } from "@holdfast/core/playback/PlaybackKeys"
import { Streams } from "@holdfast/core/playback/Streams"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { expectProblem, json } from "../support/Problems.ts"
import * as StreamServer from "./support/StreamServer.ts"

interface Id {
  readonly id: string
  readonly key: string
}

type Video = Awaited<ReturnType<StreamServer.StreamServer["makeVideo"]>>

let server: StreamServer.StreamServer
let bucket: { readonly tenantId: string; readonly bucketId: string }
let video: Video
let other: Video
beforeAll(async () => {
  server = await StreamServer.start({ settings: { accessCache: Duration.zero } })
  bucket = await server.makeBucket()
  video = await server.makeVideo(bucket, undefined, { alias: "film" })
  other = await server.makeVideo(bucket, undefined, { alias: "secret" })
  for (const { streams } of [video, other]) {
    await server.convert(streams)
    await server.convert(streams, "dash")
  }
})
afterAll(() => server.close())

const entryOf = (format: string) => (format === "hls" ? "playlist.m3u8" : "manifest.mpd")

/** Returns the playback key in the playlist, requested with the API key `as`. */
const playbackKey = async (streams: string, as?: string, format = "hls"): Promise<string> => {
  const answer = await server.get(`${streams}/${format}/${entryOf(format)}`, as === undefined ? {} : { key: as })
  expect(answer.status).toBe(200)
  return /apiKey=(hfp_[\w-]+)/.exec(await answer.text())?.[1] ?? ""
}

/** Requests with a key in the address only. */
const request = (path: string, apiKey: string, method = "GET") =>
  server.request(method, path, { key: null, query: { apiKey } })

/** Makes a member with a token. */
const makeMember = async (role: string): Promise<{ readonly member: Id; readonly token: Id }> => {
  const { tenantId } = bucket
  const user = { email: `${Math.random()}@example.com` }
  const member = await json<Id>(
    await server.post(`/tenants/${tenantId}/members`, { json: { user, role: { name: role } } })
  )
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const token = await json<Id>(
    await server.post(`/tenants/${tenantId}/tokens`, { json: { name: "t", member: { id: member.id }, expiresAt } })
  )
  return { member, token }
}

const readable = (streams: string, format = "hls"): ReadonlyArray<string> => [
  `${streams}/${format}/${entryOf(format)}`,
  `${streams}/${format}/${format === "hls" ? "index0.ts" : "init-0.m4s"}`,
  `${streams}/${format}`,
  `${streams}/poster.jpg`,
  streams
]

describe("playback key", () => {
  it.each(["hls", "dash"])("its own %s stream, by id and alias → 200 for every file", async (format) => {
    const key = await playbackKey(video.streams, undefined, format)
    for (const path of readable(video.streams, format))
      expect([path, (await request(path, key)).status]).toEqual([path, 200])
    const byAlias = video.streams.replace(video.id, "@film")
    for (const path of readable(byAlias, format)) expect([path, (await request(path, key)).status]).toEqual([path, 200])
    const { items } = await json<{ items: ReadonlyArray<StreamServer.Record> }>(await request(video.streams, key))
    expect(items.map((item) => item.format)).toEqual([format])
    // The key is also accepted in a header.
    const headed = await server.get(`${video.streams}/${format}/${entryOf(format)}`, { key })
    expect(headed.status).toBe(200)
    // The playlist contains the same key: using a key does not prolong it.
    expect(await headed.text()).toContain(`apiKey=${key}`)
  })

  it("same caller → same key for some time; other caller or stream → other key", async () => {
    const { token } = await makeMember("File Reader")
    const keys = [
      await playbackKey(video.streams),
      await playbackKey(video.streams),
      await playbackKey(video.streams, token.key)
    ]
    expect(keys[0]).toBe(keys[1])
    expect(new Set([...keys, await playbackKey(other.streams)]).size).toBe(3)
  })

  it("of a token whose scope is a folder: file in the folder → 200; moved out of it → 404", async () => {
    const { tenantId } = bucket
    const { member } = await makeMember("File Reader")
    const scope = { bucketIds: [bucket.bucketId], pathPrefix: "/films" }
    const input = { name: "t", member: { id: member.id }, scope }
    const { key: token } = await json<Id>(await server.post(`/tenants/${tenantId}/tokens`, { json: input }))
    const film = await server.makeVideo(bucket, undefined, { path: "/films/" })
    await server.convert(film.streams)
    const key = await playbackKey(film.streams, token)
    const statuses = async () => {
      const answers = await Promise.all(readable(film.streams).map((path) => request(path, key)))
      return [...new Set(answers.map(({ status }) => status))]
    }
    expect(await statuses()).toEqual([200])
    await server.patch(film.streams.replace("/streams", ""), { json: { path: "/films2/" } })
    expect(await statuses()).toEqual([404])
    expect((await server.get(`${video.streams}/hls/playlist.m3u8`, { key: token })).status).toBe(404)
  })

  it("other file, format, tenant, bucket, route or method → 401, the same as for a missing file", async () => {
    const key = await playbackKey(video.streams)
    const files = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
    const foreign = await server.makeBucket()
    const sibling = await server.makeBucket(bucket.tenantId)
    const refused = [
      // Another file, by id and alias, and a missing file: the answers are the same.
      ...readable(other.streams),
      ...readable(other.streams.replace(other.id, "@secret")),
      ...readable(other.streams.replace(other.id, "@none")),
      // Another format.
      ...readable(video.streams, "dash").slice(0, 3),
      // Another tenant, another bucket.
      ...readable(video.streams.replace(bucket.tenantId, foreign.tenantId)),
      ...readable(video.streams.replace(bucket.bucketId, sibling.bucketId)),
      `${video.path}/view`,
      `${video.path}/download`,
      `${video.path}/headers`,
      video.path,
      files,
      "/me",
      "/tenants"
    ]
    const bodies = new Set<string>()
    for (const path of refused) {
      const { requestId: _, ...problem } = await expectProblem(await request(path, key), 401, "unauthenticated")
      bodies.add(JSON.stringify(problem))
    }
    for (const method of ["POST", "DELETE"]) {
      await expectProblem(await request(`${video.streams}/hls`, key, method), 401, "unauthenticated")
    }
    expect(bodies.size).toBe(1)
  })

  it("any character changed → 401", async () => {
    const key = await playbackKey(video.streams)
    const path = `${video.streams}/hls/index0.ts`
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    const changed = [...key].map((character, index) => {
      const next = alphabet[(alphabet.indexOf(character) + 1) % 64] ?? ""
      return key.slice(0, index) + next + key.slice(index + 1)
    })
    for (const one of [...changed, key.slice(0, -1), `${key}A`, "hfp_", `hfp_${"A".repeat(136)}`]) {
      expect((await request(path, one)).status, one).toBe(401)
    }
    expect((await request(path, key)).status).toBe(200)
  })

  it("parent token is deleted → 401", async () => {
    const { token } = await makeMember("File Reader")
    const key = await playbackKey(video.streams, token.key)
    const path = `${video.streams}/hls/index0.ts`
    expect((await request(path, key)).status).toBe(200)
    await server.delete(`/tenants/${bucket.tenantId}/tokens/${token.id}`)
    for (const one of readable(video.streams)) await expectProblem(await request(one, key), 401, "unauthenticated")
  })

  it("parent loses the permission or the membership → 403, 401", async () => {
    const { member, token } = await makeMember("File Reader")
    const key = await playbackKey(video.streams, token.key)
    const path = `${video.streams}/hls/index0.ts`
    const members = `/tenants/${bucket.tenantId}/members/${member.id}`
    await server.patch(members, { json: { role: { name: "Bucket Reader" } } })
    await expectProblem(await request(path, key), 403, "forbidden")
    await server.patch(members, { json: { role: { name: "File Writer" } } })
    expect((await request(path, key)).status).toBe(200)
    await server.delete(members)
    await expectProblem(await request(path, key), 401, "unauthenticated")
  })

  it("lifetime has elapsed → 401, and the playlist has a new key", async () => {
    const brief = await StreamServer.start({ settings: { playbackLifetime: Duration.seconds(1) } })
    onTestFinished(() => brief.close())
    const { streams } = await brief.makeVideo(await brief.makeBucket())
    await brief.convert(streams)
    const text = await (await brief.get(`${streams}/hls/playlist.m3u8`)).text()
    const key = /apiKey=(hfp_[\w-]+)/.exec(text)?.[1] ?? ""
    const status = async () =>
      (await brief.get(`${streams}/hls/index0.ts`, { key: null, query: { apiKey: key } })).status
    expect(await status()).toBe(200)
    await expect.poll(status, { timeout: 10_000, interval: 100 }).toBe(401)
    const again = await (await brief.get(`${streams}/hls/playlist.m3u8`)).text()
    expect(again).not.toContain(key)
  })

  it("server has another secret → 401", async () => {
    const { tenantId, bucketId } = bucket
    const { expiresAt, key } = await server.run(
      Effect.gen(function* () {
        const { get: show } = yield* Streams
        const { issue } = yield* PlaybackKeys
        const ref = { tenantId, bucketId, fileId: "@film" }
        const { conversionId, fileId } = yield* show(Actor.system, ref, "hls")
        return yield* issue(Actor.system, { tenantId, bucketId, fileId, format: "hls", conversionId })
      })
    )
    expect(DateTime.toEpochMillis(expiresAt) - Date.now()).toBeGreaterThan(12 * 3_600_000 - 1000)
    expect(DateTime.toEpochMillis(expiresAt) - Date.now()).toBeLessThanOrEqual(13 * 3_600_000)
    expect((await request(`${video.streams}/hls/index0.ts`, Redacted.value(key))).status).toBe(200)
    const otherServer = await StreamServer.start()
    onTestFinished(() => otherServer.close())
    const answer = await otherServer.get(`${video.streams}/hls/index0.ts`, {
      key: null,
      query: { apiKey: Redacted.value(key) }
    })
    await expectProblem(answer, 401, "unauthenticated")
  })

  it("together with its parent key → 200; with another key → 400", async () => {
    const key = await playbackKey(video.streams)
    const path = `${video.streams}/hls/index0.ts`
    expect((await server.get(path, { query: { apiKey: key } })).status).toBe(200)
    const { token } = await makeMember("File Reader")
    await expectProblem(await server.get(path, { query: { apiKey: key }, key: token.key }), 400, "ambiguous_key")
    const second = await playbackKey(video.streams, token.key)
    await expectProblem(await server.get(path, { query: { apiKey: [key, second] } }), 400, "ambiguous_key")
    await expectProblem(await server.get(path, { query: { apiKey: key }, key: "nonsense" }), 401, "unauthenticated")
  })

  it("request with a key → key is not logged", async () => {
    const key = await playbackKey(video.streams)
    await request(`${video.streams}/hls/index0.ts`, key)
    await request(`${video.path}/view`, key)
    expect(server.logs.join("\n")).not.toContain("hfp_")
  })
})
