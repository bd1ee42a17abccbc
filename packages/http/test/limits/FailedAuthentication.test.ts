/**
 * The rate of failed authentications of a client address.
 */
import { AccessRepository } from "@holdfast/core/access/AccessRepository"
import * as SqliteMetadata from "@holdfast/sqlite/SqliteMetadata"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect, it, onTestFinished } from "vitest"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as TestServer from "../support/TestServer.ts"
import * as Guesses from "./Guesses.ts"

/** Starts a server with a rate of 60 failures per hour, so that none is available again during a test. */
const start = async (options: TestServer.Options = {}) => {
  const failedAuthenticationRate = { requests: 60, window: Duration.hours(1) }
  const server = await TestServer.start({ ...options, settings: { failedAuthenticationRate, ...options.settings } })
  onTestFinished(() => server.close())
  const guess = async (address?: string) =>
    Guesses.get(`${server.baseUrl}/me`, { "x-api-key": await Guesses.newKey() }, address)
  return { server, guess, me: `${server.baseUrl}/me` }
}

/** Metadata that count the look-ups of keys. */
const countLookups = () => {
  const lookups = { count: 0 }
  const counting = Layer.effect(
    AccessRepository,
    Effect.map(AccessRepository, (repository) => ({
      ...repository,
      findByKey: (query: Parameters<typeof repository.findByKey>[0]) => {
        lookups.count++
        return repository.findByKey(query)
      }
    }))
  )
  const metadata = Layer.provideMerge(counting, SqliteMetadata.layer({ file: ":memory:" }))
  return { lookups, metadata }
}

it("1,526 guesses from one address → 429 before the look-up; another address and known keys → not affected", async () => {
  const { lookups, metadata } = countLookups()
  const { guess, me, server } = await start({ metadata })
  const [neverUsed, used] = [await server.makeAccountKey("a@example.com"), await server.makeAccountKey("b@example.com")]
  expect((await Guesses.get(me, { "x-api-key": used })).status).toBe(200)

  const before = lookups.count
  const statuses = await Guesses.countStatuses(1526, () => guess())
  // The requests that run when the rate is reached are answered with 401, too.
  expect(statuses.get(401)).toBeGreaterThanOrEqual(60)
  expect(statuses.get(401)).toBeLessThan(60 + 16)
  expect(statuses.get(429)).toBe(1526 - (statuses.get(401) ?? 0))
  expect(lookups.count - before).toBe(statuses.get(401))

  const refused = await guess()
  expect(refused.status).toBe(429)
  expect(JSON.parse(refused.body)).toMatchObject({ code: "rate_limited", status: 429 })
  expect(refused.headers).toMatchObject({
    "retry-after": expect.stringMatching(/^[1-9]\d?$/),
    "ratelimit-policy": '"failed-authentication";q=60;w=3600',
    ratelimit: expect.stringMatching(/^"failed-authentication";r=0;t=3[56]\d\d$/),
    "content-type": "application/problem+json"
  })
  // Even the right key is refused, unless this node knows it: otherwise the answers would tell which guess is right.
  expect((await Guesses.get(me, { "x-api-key": neverUsed })).status).toBe(429)
  const accepted = await Guesses.get(me, { "x-api-key": used })
  expect(accepted).toMatchObject({ status: 200 })
  expect(Object.keys(accepted.headers).filter((name) => /rate|retry/.test(name))).toEqual([])
  expect((await Guesses.get(me)).status).toBe(401)
  expect((await guess("127.0.0.2")).status).toBe(401)
  expect((await Guesses.get(me, { "x-api-key": neverUsed }, "127.0.0.2")).status).toBe(200)
})

it("many requests without a key, and many successes → never 429", async () => {
  const { me, server } = await start()
  expect([...(await Guesses.countStatuses(200, () => Guesses.get(me)))]).toEqual([[401, 200]])
  const key = { "x-api-key": server.rootKey }
  expect([...(await Guesses.countStatuses(200, () => Guesses.get(me, key)))]).toEqual([[200, 200]])
  expect((await Guesses.get(me, { "x-api-key": "hf_wrong" })).status).toBe(401)
})

it.each([
  ["malformed keys", "view", async () => "no key"],
  ["malformed keys for a player", "streams/dash", async () => "no key"],
  ["unknown keys for a content", "view", Guesses.newKey],
  ["unknown keys for a playlist", "streams/hls/playlist.m3u8", Guesses.newKey],
  ["playback keys for a playlist", "streams/hls/playlist.m3u8", async () => `hfp_${"A".repeat(132)}`],
  ["playback keys for a segment", "streams/dash/init-0.m4s", async () => `hfp_${"B".repeat(132)}`],
  ["playback keys for a player", "streams/hls", async () => `hfp_${"C".repeat(132)}`]
])("%s → count as failures", async (_, path, makeKey) => {
  const { guess, server } = await start({
    settings: { failedAuthenticationRate: { requests: 5, window: Duration.hours(1) } }
  })
  const bucket = await server.makeBucket()
  const file = await server.makeFile(bucket)
  const url = `${server.baseUrl}${file.path}/${path}`
  const read = async () => (await Guesses.get(`${url}?apiKey=${await makeKey()}`)).status
  for (let i = 0; i < 5; i++) expect(await read()).toBe(401)
  expect(await read()).toBe(429)
  expect((await guess()).status).toBe(429)
})

it("player page, client accepts HTML → a page that says why", async () => {
  const { server } = await start({
    settings: { failedAuthenticationRate: { requests: 1, window: Duration.hours(1) } }
  })
  const file = await server.makeFile(await server.makeBucket())
  const url = `${server.baseUrl}${file.path}/streams/hls?apiKey=hfp_${"C".repeat(132)}`
  expect((await Guesses.get(url)).status).toBe(401)
  const page = await Guesses.get(url, { accept: "text/html" })
  expect(page).toMatchObject({ status: 429, headers: { "retry-after": expect.any(String) } })
  expect(page.body).toContain("<html")
})

const trusted = { HOLDFAST_TRUSTED_PROXIES: "127.0.0.1" }
const differentFirst = (index: number) => `203.0.113.${index}`

it.each([
  ["no trusted proxy, other X-Forwarded-For with each guess → refused", {}, differentFirst, true],
  ["trusted proxy, another client with each guess → not refused", trusted, differentFirst, false],
  // A client can write the first address itself; the proxy adds the last one.
  [
    "trusted proxy, client writes another first address with each guess → refused",
    trusted,
    (index: number) => `203.0.113.${index}, 198.51.100.1`,
    true
  ],
  [
    "trusted proxy, other addresses of one IPv6 network → refused",
    trusted,
    (index: number) => `2001:db8:1:2::${index}`,
    true
  ],
  ["off → not refused", { HOLDFAST_RATE_FAILED_AUTHENTICATION: "off" }, differentFirst, false]
])("service: %s", { timeout: 60_000 }, async (_, env, addressOf, isRefused) => {
  const { service } = await ServiceBucket.start({ env: { HOLDFAST_RATE_FAILED_AUTHENTICATION: "20/1h", ...env } })
  const statuses = await Guesses.countStatuses(60, async (index) =>
    Guesses.get(`${service.url}/api/v1/me`, {
      "x-api-key": await Guesses.newKey(),
      "x-forwarded-for": addressOf(index)
    })
  )
  if (isRefused) expect(statuses.get(429)).toBeGreaterThan(20)
  else expect([...statuses]).toEqual([[401, 60]])
})
