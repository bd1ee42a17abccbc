/**
 * What a key out of a playlist is good for, and what it is not.
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
import * as Support from "./support/StreamServer.ts"

interface Id {
  readonly id: string
  readonly key: string
}

type Video = Awaited<ReturnType<Support.StreamServer["makeVideo"]>>

let server: Support.StreamServer
let bucket: { readonly tenantId: string; readonly bucketId: string }
let video: Video
let other: Video
beforeAll(async () => {
  server = await Support.start({ settings: { accessCache: Duration.zero } })
  bucket = await server.makeBucket()
  video = await server.makeVideo(bucket, undefined, { alias: "film" })
  other = await server.makeVideo(bucket, undefined, { alias: "secret" })
  for (const { streams } of [video, other]) {
    await server.convert(streams)
    await server.convert(streams, "dash")
  }
})
afterAll(() => server.close())

const isSet = (format: string) => (format === "hls" ? "playlist.m3u8" : "manifest.mpd")

/** The key in the playlist that somebody gets. */
const playbackKey = async (streams: string, as?: string, format = "hls"): Promise<string> => {
  const answer = await server.get(`${streams}/${format}/${isSet(format)}`, as === undefined ? {} : { key: as })
  expect(answer.status).toBe(200)
  return /apiKey=(hfp_[\w-]+)/.exec(await answer.text())?.[1] ?? ""
}

/** Asks with a key in the address alone. */
const ask = (path: string, apiKey: string, method = "GET") =>
  server.request(method, path, { key: null, query: { apiKey } })

/** A member with a token. */
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
  `${streams}/${format}/${isSet(format)}`,
  `${streams}/${format}/${format === "hls" ? "index0.ts" : "init-0.m4s"}`,
  `${streams}/${format}`,
  `${streams}/poster.jpg`,
  streams
]

describe("a playback key", () => {
  it.each(["hls", "dash"])("reads all of its own %s stream, by id and by alias", async (format) => {
    const key = await playbackKey(video.streams, undefined, format)
    for (const path of readable(video.streams, format))
      expect([path, (await ask(path, key)).status]).toEqual([path, 200])
    const byAlias = video.streams.replace(video.id, "@film")
    for (const path of readable(byAlias, format)) expect([path, (await ask(path, key)).status]).toEqual([path, 200])
    const { items } = await json<{ items: ReadonlyArray<Support.Record> }>(await ask(video.streams, key))
    expect(items.map((item) => item.format)).toEqual([format])
    // In a header, too.
    const headed = await server.get(`${video.streams}/${format}/${isSet(format)}`, { key })
    expect(headed.status).toBe(200)
    // No key makes another: whoever has one cannot prolong it.
    expect(await headed.text()).toContain(`apiKey=${key}`)
  })

  it("is the same for a while, and another for everybody else", async () => {
    const { token } = await makeMember("File Reader")
    const keys = [
      await playbackKey(video.streams),
      await playbackKey(video.streams),
      await playbackKey(video.streams, token.key)
    ]
    expect(keys[0]).toBe(keys[1])
    expect(new Set([...keys, await playbackKey(other.streams)]).size).toBe(3)
  })

  it("is no key for anything else", async () => {
    const key = await playbackKey(video.streams)
    const files = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
    const foreign = await server.makeBucket()
    const sibling = await server.makeBucket(bucket.tenantId)
    const refused = [
      // Another file, known by its id or its alias, and one that is not there: no difference is told.
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
      const { requestId: _, ...problem } = await expectProblem(await ask(path, key), 401, "unauthenticated")
      bodies.add(JSON.stringify(problem))
    }
    for (const method of ["POST", "DELETE"]) {
      await expectProblem(await ask(`${video.streams}/hls`, key, method), 401, "unauthenticated")
    }
    expect(bodies.size).toBe(1)
  })

  it("is none when anything of it was changed", async () => {
    const key = await playbackKey(video.streams)
    const path = `${video.streams}/hls/index0.ts`
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    const changed = [...key].map((character, index) => {
      const next = alphabet[(alphabet.indexOf(character) + 1) % 64] ?? ""
      return key.slice(0, index) + next + key.slice(index + 1)
    })
    for (const one of [...changed, key.slice(0, -1), `${key}A`, "hfp_", `hfp_${"A".repeat(136)}`]) {
      expect((await ask(path, one)).status, one).toBe(401)
    }
    expect((await ask(path, key)).status).toBe(200)
  })

  it("dies with the token that it was made from", async () => {
    const { token } = await makeMember("File Reader")
    const key = await playbackKey(video.streams, token.key)
    const path = `${video.streams}/hls/index0.ts`
    expect((await ask(path, key)).status).toBe(200)
    await server.delete(`/tenants/${bucket.tenantId}/tokens/${token.id}`)
    for (const one of readable(video.streams)) await expectProblem(await ask(one, key), 401, "unauthenticated")
  })

  it("dies with the membership, and ends with the role", async () => {
    const { member, token } = await makeMember("File Reader")
    const key = await playbackKey(video.streams, token.key)
    const path = `${video.streams}/hls/index0.ts`
    const members = `/tenants/${bucket.tenantId}/members/${member.id}`
    await server.patch(members, { json: { role: { name: "Bucket Reader" } } })
    await expectProblem(await ask(path, key), 403, "forbidden")
    await server.patch(members, { json: { role: { name: "File Writer" } } })
    expect((await ask(path, key)).status).toBe(200)
    await server.delete(members)
    await expectProblem(await ask(path, key), 401, "unauthenticated")
  })

  it("expires", async () => {
    const brief = await Support.start({ settings: { playbackLifetime: Duration.seconds(1) } })
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

  it("of a server with another secret is none", async () => {
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
    expect((await ask(`${video.streams}/hls/index0.ts`, Redacted.value(key))).status).toBe(200)
    const stranger = await Support.start()
    onTestFinished(() => stranger.close())
    const answer = await stranger.get(`${video.streams}/hls/index0.ts`, {
      key: null,
      query: { apiKey: Redacted.value(key) }
    })
    await expectProblem(answer, 401, "unauthenticated")
  })

  it("goes with the key that it was made from, and with no other", async () => {
    const key = await playbackKey(video.streams)
    const path = `${video.streams}/hls/index0.ts`
    expect((await server.get(path, { query: { apiKey: key } })).status).toBe(200)
    const { token } = await makeMember("File Reader")
    await expectProblem(await server.get(path, { query: { apiKey: key }, key: token.key }), 400, "ambiguous_key")
    const second = await playbackKey(video.streams, token.key)
    await expectProblem(await server.get(path, { query: { apiKey: [key, second] } }), 400, "ambiguous_key")
    await expectProblem(await server.get(path, { query: { apiKey: key }, key: "nonsense" }), 401, "unauthenticated")
  })

  it("is in no log line", async () => {
    const key = await playbackKey(video.streams)
    await ask(`${video.streams}/hls/index0.ts`, key)
    await ask(`${video.path}/view`, key)
    expect(server.logs.join("\n")).not.toContain("hfp_")
  })
})
