/**
 * What a client without a key may do: read the contents and streams of public buckets, and nothing else.
 */
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { createClient } from "../../src/client/index.ts"
import { expectProblem, json, pointers } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"
import * as StreamServer from "../streams/support/StreamServer.ts"
import { makeFixture, type Row, rows, send, type Fixture } from "./PermissionTable.ts"

const files = "/tenants/:tenantId/buckets/:bucketId/files/:fileId"

/** The operations for a client without a key: the content, and what a player requests. */
const isForAnyone = ({ route }: Row): boolean =>
  route === `GET ${files}/view` ||
  route === `GET ${files}/download` ||
  (route.startsWith(`GET ${files}/streams`) && route !== `GET ${files}/streams/captions`)

const bucketPath = ({ bucketId, tenantId }: Pick<Fixture, "tenantId" | "bucketId">) =>
  `/tenants/${tenantId}/buckets/${bucketId}`

const unknown = "01890a5d-ac96-774b-bcce-b302099a8057"

describe("client without a key", () => {
  let server: TestServer.TestServer
  let open: Fixture
  let closed: Fixture
  beforeAll(async () => {
    server = await TestServer.start({ settings: { publicBuckets: true } })
    open = await makeFixture(server)
    closed = await makeFixture(server)
    const answer = await server.patch(bucketPath(open), { json: { visibility: "public" } })
    expect((await json<{ visibility: string }>(answer)).visibility).toBe("public")
  })
  afterAll(() => server.close())

  for (const row of rows) {
    it(`${row.route} → ${isForAnyone(row) ? "read in a public bucket, 404 elsewhere" : "401"}`, async () => {
      if (!isForAnyone(row)) {
        for (const fixture of [open, closed]) {
          await expectProblem(await send(server, row, fixture, null), 401, "unauthenticated")
        }
        return
      }
      expect((await send(server, row, open, null)).status).toBe(row.status)
      const bodies = new Set<string>()
      const places = [
        closed,
        { ...open, fileId: `fil_${unknown}` },
        { ...open, fileId: "@none" },
        { ...open, fileId: "none" },
        { ...open, bucketId: `bkt_${unknown}` },
        { ...open, bucketId: "none" },
        { ...open, tenantId: closed.tenantId },
        { ...open, tenantId: "none" }
      ]
      for (const fixture of places) {
        const { requestId: _, ...problem } = await expectProblem(
          await send(server, row, fixture, null),
          404,
          "not_found"
        )
        bodies.add(JSON.stringify(problem))
      }
      expect(bodies.size).toBe(1)
      for (const invalid of ["nonsense", `hf_${"A".repeat(49)}`]) {
        expect((await send(server, row, open, invalid)).status).toBe(401)
      }
    })
  }

  it("alias, range, HEAD and If-None-Match → as with a key", async () => {
    const file = await server.makeFile(open, "0123456789", { alias: "digits" })
    const path = file.path.replace(file.id, "@digits")
    const range = await server.get(`${path}/view`, { key: null, headers: { range: "bytes=2-4" } })
    expect([range.status, await range.text()]).toEqual([206, "234"])
    const head = await server.request("HEAD", `${path}/download`, { key: null })
    expect([head.status, head.headers.get("content-length")]).toEqual([200, "10"])
    const etag = head.headers.get("etag") ?? ""
    expect((await server.get(`${path}/view`, { key: null, headers: { "if-none-match": etag } })).status).toBe(304)
  })

  it("reserved file → 404, as for no file", async () => {
    const { id } = await json<{ id: string }>(
      await server.post(`${bucketPath(open)}/files`, { json: { name: "soon" } })
    )
    await expectProblem(await server.get(`${bucketPath(open)}/files/${id}/view`, { key: null }), 404, "not_found")
  })

  it.each([
    [undefined, "public, no-cache", "private, no-cache"],
    ["public, max-age=600, s-maxage=60", "public, max-age=600, s-maxage=60", "private, max-age=600"],
    ["private, max-age=5", "private, max-age=5", "private, max-age=5"],
    ["max-age=60, unheard-of=1", "max-age=60", "private, max-age=60"]
  ])("Cache-Control %s → %s without a key, %s with one", async (own, withoutKey, withKey) => {
    const headers = own === undefined ? [] : [{ name: "cache-control", value: own }]
    const { path } = await server.makeFile(open, "x", { headers })
    const anonymous = await server.get(`${path}/view`, { key: null })
    expect(anonymous.headers.get("cache-control")).toBe(withoutKey)
    expect(anonymous.headers.get("vary")).toContain("Authorization, X-Api-Key")
    expect((await server.get(`${path}/view`)).headers.get("cache-control")).toBe(withKey)
  })

  it("content with a script → sandboxed as with a key", async () => {
    const { path } = await server.makeFile(open, "<script>1</script>", {
      name: "a.html",
      headers: [{ name: "content-type", value: "text/html" }]
    })
    const answer = await server.get(`${path}/view`, { key: null })
    expect(answer.headers.get("content-security-policy")).toContain("sandbox")
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
  })

  it("visibility changed → the next request, and an event with who and what", async () => {
    const fixture = await server.makeBucket()
    const path = bucketPath(fixture)
    const file = await server.makeFile(fixture)
    const status = async () => (await server.get(`${file.path}/view`, { key: null })).status
    expect(await status()).toBe(404)
    await server.patch(path, { json: { visibility: "public" } })
    expect(await status()).toBe(200)
    await server.patch(path, { json: { name: "renamed" } })
    expect(await status()).toBe(200)
    await server.patch(path, { json: { visibility: "private" } })
    expect(await status()).toBe(404)
    const { items } = await json<{ items: ReadonlyArray<{ detail: object }> }>(
      await server.get(`/tenants/${fixture.tenantId}/events`, { query: { action: "bucket.updated" } })
    )
    expect(items.map(({ detail }) => detail)).toEqual([
      { fields: ["visibility"], visibility: "private" },
      { fields: ["name"] },
      { fields: ["visibility"], visibility: "public" }
    ])
    const created = await json<{ id: string; visibility: string }>(
      await server.post(`/tenants/${fixture.tenantId}/buckets`, { json: { name: "site", visibility: "public" } })
    )
    expect(created.visibility).toBe("public")
    const client = createClient({ url: server.url, apiKey: server.rootKey })
    const input = { tenantId: fixture.tenantId, bucketId: created.id }
    expect((await client.buckets.update({ ...input, visibility: "private" })).visibility).toBe("private")
    expect((await client.buckets.get(input)).visibility).toBe("private")
  })
})

describe("deployment", () => {
  it("that permits no public buckets → refuses to make one, and serves none without a key", async () => {
    const server = await TestServer.start()
    onTestFinished(() => server.close())
    const bucket = await server.makeBucket()
    const refused = await server.patch(bucketPath(bucket), { json: { visibility: "public" } })
    expect(pointers(await expectProblem(refused, 400, "invalid_request"))).toEqual(["/visibility"])
    const creation = server.post(`/tenants/${bucket.tenantId}/buckets`, { json: { name: "x", visibility: "public" } })
    expect(pointers(await expectProblem(await creation, 400, "invalid_request"))).toEqual(["/visibility"])
    expect((await server.patch(bucketPath(bucket), { json: { visibility: "private" } })).status).toBe(200)
    const { path } = await server.makeFile(bucket, "x", { name: "a" })
    await expectProblem(await server.get(`${path}/view`, { key: null }), 401, "unauthenticated")
    const update = { bucket, change: { visibility: "public" as const }, at: DateTime.makeUnsafe(1) }
    await server.run(Effect.flatMap(BucketRepository, (buckets) => buckets.update(update)))
    await expectProblem(await server.get(`${path}/view`, { key: null }), 401, "unauthenticated")
    expect((await fetch(`${server.url}/s3/${bucket.tenantId}.${bucket.bucketId}/a`)).status).toBe(403)
  })

  it("rate of an address without a key exceeded → 429; requests with a key go on", async () => {
    const anonymousRate = { requests: 3, window: Duration.hours(1) }
    const server = await TestServer.start({ settings: { publicBuckets: true, anonymousRate } })
    onTestFinished(() => server.close())
    const bucket = await server.makeBucket()
    await server.patch(bucketPath(bucket), { json: { visibility: "public" } })
    const { path } = await server.makeFile(bucket, "x", { name: "a" })
    const first = await server.get(`${path}/view`, { key: null })
    expect(first.headers.get("ratelimit")).toContain('"anonymous";r=2')
    for (const expected of [200, 200]) expect((await server.get(`${path}/view`, { key: null })).status).toBe(expected)
    const refused = await server.get(`${path}/download`, { key: null })
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/)
    await expectProblem(refused, 429, "rate_limited")
    const ofS3 = await fetch(`${server.url}/s3/${bucket.tenantId}.${bucket.bucketId}/a`)
    expect([ofS3.status, /<Code>(\w+)/.exec(await ofS3.text())?.[1]]).toEqual([503, "SlowDown"])
    expect(ofS3.headers.get("retry-after")).toMatch(/^\d+$/)
    expect((await server.get(`${path}/view`)).status).toBe(200)
  })
})

describe("stream of a public bucket", () => {
  it("player, playlists, segments and poster → without any key in them", async () => {
    const server = await StreamServer.start({ settings: { publicBuckets: true } })
    onTestFinished(() => server.close())
    const bucket = await server.makeBucket()
    const video = await server.makeVideo(bucket)
    await server.convert(video.streams)
    const get = (path: string) => server.get(`${video.streams}/${path}`, { key: null })
    expect((await get("hls")).status).toBe(404)
    await server.patch(bucketPath(bucket), { json: { visibility: "public" } })
    const player = await get("hls")
    expect([player.status, (await player.text()).includes("apiKey")]).toEqual([200, false])
    const playlist = await get("hls/playlist.m3u8")
    expect([playlist.status, (await playlist.text()).includes("apiKey")]).toEqual([200, false])
    for (const path of ["hls/index0.ts", "poster.jpg"]) {
      const answer = await get(path)
      expect([path, answer.status, answer.headers.get("cache-control")]).toEqual([path, 200, "public, no-cache"])
    }
    expect((await server.post(`${video.streams}/dash`, { key: null })).status).toBe(401)
  })
})
