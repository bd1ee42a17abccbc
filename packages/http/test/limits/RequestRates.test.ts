/**
 * The rates of keys and tenants.
 */
import { toNodeListener, toWebHandler } from "@holdfast/http"
import { createClient } from "@holdfast/http/client"
import * as Duration from "effect/Duration"
import { expect, it, onTestFinished } from "vitest"
import * as ShareSession from "../links/ShareSession.ts"
import * as MountedHoldfast from "../mount/MountedHoldfast.ts"
import * as StreamServer from "../streams/support/StreamServer.ts"
import { expectProblem, json } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"
import * as Guesses from "./Guesses.ts"

const perHour = (requests: number) => ({ requests, window: Duration.hours(1) })

const start = async (settings: NonNullable<TestServer.Options["settings"]>) => {
  const server = await TestServer.start({ settings })
  onTestFinished(() => server.close())
  return server
}

/** Returns the members of an answer that report rates. */
const ratesOf = ({ headers, status }: Response) => [
  status,
  headers.get("ratelimit-policy"),
  headers.get("ratelimit"),
  headers.get("retry-after")
]

it("no rates → no headers", async () => {
  const server = await start({})
  expect(ratesOf(await server.get("/me"))).toEqual([200, null, null, null])
})

it("rate of a key: answers of every kind → what remains; above it → 429 with Retry-After", async () => {
  const server = await start({ keyRate: perHour(6) })
  const bucket = await server.makeBucket()
  const file = await server.makeFile(bucket)
  const key = await server.makeToken(bucket.tenantId, "File Reader")
  const policy = '"key";q=6;w=3600'
  const [status, , remaining] = ratesOf(await server.get(`${file.path}/view`, { key }))
  expect([status, remaining]).toEqual([200, '"key";r=5;t=600'])
  const range = await server.get(`${file.path}/view`, { key, headers: { range: "bytes=0-1" } })
  expect([range.status, range.headers.get("ratelimit-policy")]).toEqual([206, policy])
  expect((await server.get(file.path, { key })).headers.get("ratelimit")).toMatch(/^"key";r=3;t=1[78]\d\d$/)
  expect((await server.get(`${file.path}-unknown`, { key })).headers.get("ratelimit")).toMatch(/^"key";r=2;/)
  // Requests that the key has no permission for count, too.
  expect((await server.post(`/tenants/${bucket.tenantId}/buckets`, { key, json: { name: "b" } })).status).toBe(403)
  expect((await server.get("/me", { key })).headers.get("ratelimit")).toMatch(/^"key";r=0;t=3[56]\d\d$/)

  for (const path of [`${file.path}/view`, file.path, "/me"]) {
    const answer = await server.get(path, { key })
    expect(ratesOf(answer)).toEqual([429, policy, expect.stringMatching(/^"key";r=0;/), expect.stringMatching(/^\d+$/)])
    expect(Number(answer.headers.get("retry-after"))).toBeLessThanOrEqual(600)
    const { detail } = await expectProblem(answer, 429, "rate_limited")
    expect(detail).toMatch(/^The key may make 6 requests in 3600 seconds\. Send the request again in \d+ seconds\.$/)
  }
  const another = await server.makeAccountKey("another@example.com")
  expect((await server.get("/me", { key: another })).status).toBe(200)
})

it("rate of a tenant: its keys together → 429; strangers and wrong keys do not use it up", async () => {
  const server = await start({ tenantRate: perHour(20) })
  const bucket = await server.makeBucket()
  const other = await server.makeBucket()
  const file = await server.makeFile(bucket)
  const stranger = await server.makeToken(other.tenantId, "Admin")
  const keys = [
    await server.makeToken(bucket.tenantId, "File Reader"),
    await server.makeToken(bucket.tenantId, "Admin")
  ]
  for (let i = 0; i < 30; i++) {
    const key = i % 2 === 0 ? stranger : await Guesses.newKey()
    expect((await server.get(`${file.path}/view`, { key })).headers.get("ratelimit")).toBe(null)
  }
  const statuses = []
  for (let i = 0; i < 20; i++) statuses.push((await server.get(file.path, { key: keys[i % 2] ?? null })).status)
  expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 200))
  expect(statuses.at(-1)).toBe(429)
  expect((await server.get(`/tenants/${other.tenantId}`, { key: stranger })).status).toBe(200)
})

it("playback keys → count for the tenant, not for a key", async () => {
  const server = await StreamServer.start({ settings: { keyRate: perHour(1000), tenantRate: perHour(1000) } })
  onTestFinished(() => server.close())
  const { streams } = await server.makeVideo(await server.makeBucket())
  await server.convert(streams)
  const playlist = await server.get(`${streams}/hls/playlist.m3u8`)
  expect(playlist.headers.get("ratelimit")).toMatch(/^"key";r=\d+;t=\d+, "tenant";r=\d+;t=\d+$/)
  const apiKey = /apiKey=(hfp_[\w-]+)/.exec(await playlist.text())?.[1] ?? ""
  const segment = await server.get(`${streams}/hls/index0.ts`, { key: null, query: { apiKey } })
  expect([segment.status, segment.headers.get("ratelimit")]).toEqual([
    200,
    expect.stringMatching(/^"tenant";r=\d+;t=\d+$/)
  ])
})

it("page of a share → opened at the rate of an address; its requests count for the tenant", async () => {
  const server = await start({ anonymousRate: perHour(2), tenantRate: perHour(20) })
  const { bucketId, tenantId } = await server.makeBucket()
  const share = await json<ShareSession.Share>(
    await server.post(`/tenants/${tenantId}/buckets/${bucketId}/shares`, { json: { name: "a share" } })
  )
  const cookie = await ShareSession.open(server.url, share)
  const guess = { ...share, token: `hfs_${"a".repeat(43)}` }
  await expectProblem(await ShareSession.exchange(server.url, guess), 401, "unauthenticated")
  await expectProblem(await ShareSession.exchange(server.url, guess), 429, "rate_limited")

  const list = () => fetch(`${server.url}/s/${share.id}/files`, { headers: { cookie } })
  expect((await list()).headers.get("ratelimit")).toMatch(/^"tenant";r=1\d;t=\d+$/)
  const statuses = []
  for (let round = 0; round < 20; round++) statuses.push((await list()).status)
  expect([statuses[0], statuses.at(-1)]).toEqual([200, 429])
})

it("client: rate exceeded → HoldfastError with the code and the time", async () => {
  const server = await start({ keyRate: perHour(1) })
  const key = await server.makeAccountKey("client@example.com")
  const client = createClient({ url: server.url, apiKey: key })
  await client.tenants.list()
  const error: unknown = await client.tenants.list().catch((cause: unknown) => cause)
  expect(error).toMatchObject({ code: "rate_limited", status: 429, retryAfter: expect.any(Number) })
})

it("mounted: settings of open, trustedProxies and clientAddress → the same rates", async () => {
  const settings = { failedAuthenticationRate: perHour(2) }
  const guess = async (url: string, address: string) =>
    (await Guesses.get(url, { "x-api-key": await Guesses.newKey(), "x-forwarded-for": address })).status
  const statuses = async (url: string, addresses: ReadonlyArray<string>) => {
    const all = []
    for (const address of addresses) all.push(await guess(url, address))
    return all
  }
  const addresses = ["203.0.113.1", "203.0.113.2", "203.0.113.1", "203.0.113.1"]

  const { holdfast } = await MountedHoldfast.openHoldfast(settings)
  const trusting = await MountedHoldfast.serve(toNodeListener(holdfast, { trustedProxies: ["127.0.0.0/8"] }))
  expect(await statuses(`${trusting}/api/v1/me`, addresses)).toEqual([401, 401, 401, 429])

  const opened = await MountedHoldfast.openHoldfast(settings)
  const direct = await MountedHoldfast.serve(toNodeListener(opened.holdfast))
  expect(await statuses(`${direct}/api/v1/me`, addresses)).toEqual([401, 401, 429, 429])

  const third = await MountedHoldfast.openHoldfast(settings)
  const request = async () => new Request("http://host/api/v1/me", { headers: { "x-api-key": await Guesses.newKey() } })
  const known = toWebHandler(third.holdfast, { clientAddress: () => "203.0.113.9" })
  const unknown = toWebHandler(third.holdfast)
  const answers = []
  for (let i = 0; i < 4; i++) answers.push((await unknown(await request())).status)
  for (let i = 0; i < 3; i++) answers.push((await known(await request())).status)
  expect(answers).toEqual([401, 401, 401, 401, 401, 401, 429])
})

it("mounted: trustedProxies has a text that is no network → TypeError", async () => {
  const { holdfast } = await MountedHoldfast.openHoldfast()
  expect(() => toNodeListener(holdfast, { trustedProxies: ["proxy.example.com"] })).toThrow(
    'trustedProxies must be networks such as "10.0.0.0/8", got "proxy.example.com"'
  )
})
