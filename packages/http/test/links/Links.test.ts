/**
 * Links to files: what they permit, and when they end.
 */
import * as Actor from "@holdfast/core/Actor"
import { Links } from "@holdfast/core/files/links/Links"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { createClient } from "../../src/client/index.ts"
import { expectProblem, json } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

interface SignedUrl {
  readonly url: string
  readonly expiresAt: string
}

let server: TestServer.TestServer
let bucket: { readonly tenantId: string; readonly bucketId: string }
let file: { readonly id: string; readonly path: string }
beforeAll(async () => {
  server = await TestServer.start({ settings: { accessCache: Duration.zero } })
  bucket = await server.makeBucket()
  file = await server.makeFile(bucket, "Hello", { name: "hello.txt", alias: "greeting" })
})
afterAll(() => server.close())

const create = async (input: object, options: { readonly key?: string; readonly path?: string } = {}) => {
  const { key, path = file.path } = options
  const answer = await server.post(`${path}/links`, {
    json: { expiresIn: 60, ...input },
    ...(key === undefined ? {} : { key })
  })
  expect(answer.status).toBe(200)
  return json<SignedUrl>(answer)
}

const follow = (url: string, init?: RequestInit) => fetch(`${server.url}${url}`, init)

describe("link", () => {
  it.each([
    ["view", "inline"],
    ["download", "attachment"]
  ])("%s without a key → the content, %s; ranges and HEAD too", async (may, disposition) => {
    const { url } = await create({ may })
    const answer = await follow(url)
    expect([answer.status, await answer.text()]).toEqual([200, "Hello"])
    expect(answer.headers.get("content-disposition")).toMatch(new RegExp(`^${disposition}; filename="hello.txt"`))
    const range = await follow(url, { headers: { range: "bytes=1-2" } })
    expect([range.status, await range.text()]).toEqual([206, "el"])
    expect((await follow(url, { method: "HEAD" })).status).toBe(200)
  })

  it("name → the file name of the answer; alias → the link has the id; no action → view", async () => {
    const { url } = await create({ name: "Grüße.txt" }, { path: file.path.replace(file.id, "@greeting") })
    expect(url).toContain(`/files/${file.id}/view?apiKey=hfl_`)
    const answer = await follow(url)
    expect(answer.headers.get("content-disposition")).toContain("filename*=UTF-8''Gr%C3%BC%C3%9Fe.txt")
  })

  it("expiry → within the requested time, rounded up to a second; then 401", async () => {
    const began = Date.now()
    const { expiresAt, url } = await create({ expiresIn: 1 })
    expect(Date.parse(expiresAt) - began).toBeGreaterThanOrEqual(1000)
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(2000)
    expect((await follow(url)).status).toBe(200)
    await expect.poll(async () => (await follow(url)).status, { timeout: 5000, interval: 100 }).toBe(401)
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt))
  })

  it("other action, file, bucket, route or method → 401, the same as for a missing file", async () => {
    const { url } = await create({ may: "view" })
    const key = new URL(url, server.url).searchParams.get("apiKey") ?? ""
    const other = await server.makeFile(bucket)
    const sibling = await server.makeBucket(bucket.tenantId)
    const foreign = await server.makeBucket()
    const paths = [
      `${file.path}/download`,
      `${file.path.replace(file.id, "@greeting")}/view`,
      `${file.path.replace(file.id, "@none")}/view`,
      `${other.path}/view`,
      `${file.path.replace(bucket.bucketId, sibling.bucketId)}/view`,
      `${file.path.replace(bucket.tenantId, foreign.tenantId)}/view`,
      file.path,
      `${file.path}/headers`,
      `${file.path}/streams`,
      `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`,
      "/me"
    ]
    const bodies = new Set<string>()
    for (const path of paths) {
      const answer = await server.request("GET", path, { key: null, query: { apiKey: key } })
      const { requestId: _, ...problem } = await expectProblem(answer, 401, "unauthenticated")
      bodies.add(JSON.stringify(problem))
    }
    for (const [method, path] of [
      ["DELETE", file.path],
      ["POST", `${file.path}/reupload`],
      ["POST", `${file.path}/links`]
    ] as const) {
      const answer = await server.request(method, path, { key: null, query: { apiKey: key } })
      await expectProblem(answer, 401, "unauthenticated")
    }
    expect(bodies.size).toBe(1)
  })

  it("any character of the key changed → 401", async () => {
    const { url } = await create({ name: "a" })
    const start = url.indexOf("hfl_")
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    for (let index = start; index < url.length; index++) {
      const next = alphabet[(alphabet.indexOf(url.charAt(index)) + 1) % 64] ?? ""
      const answer = await follow(url.slice(0, index) + next + url.slice(index + 1))
      expect([index, answer.status]).toEqual([index, 401])
    }
  })

  it("version → 200 until a reupload, then 404; without one → the new content", async () => {
    const changing = await server.makeFile(bucket, "one")
    const bound = await create({ version: 1 }, changing)
    const free = await create({}, changing)
    expect(await (await follow(bound.url)).text()).toBe("one")
    await server.post(`${changing.path}/reupload`, { body: "two" })
    await expectProblem(await follow(bound.url), 404, "not_found")
    expect(await (await follow(free.url)).text()).toBe("two")
  })

  it("creator loses its token → 401, its membership or role → 403; permissions of the link's holder do not matter", async () => {
    const { tenantId } = bucket
    const members = `/tenants/${tenantId}/members`
    const user = { email: "linker@example.com" }
    const member = await json<{ id: string }>(
      await server.post(members, { json: { user, role: { name: "File Reader" } } })
    )
    const makeToken = async () =>
      json<{ id: string; key: string }>(
        await server.post(`/tenants/${tenantId}/tokens`, { json: { name: "t", member: { id: member.id } } })
      )
    const [first, second] = [await makeToken(), await makeToken()]
    const ended = await create({}, { key: first.key })
    const demoted = await create({}, { key: second.key })
    expect((await follow(ended.url)).status).toBe(200)
    await server.request("DELETE", `/tenants/${tenantId}/tokens/${first.id}`)
    await expectProblem(await follow(ended.url), 401, "unauthenticated")
    expect((await follow(demoted.url)).status).toBe(200)
    await server.request("PATCH", `${members}/${member.id}`, { json: { role: { name: "Bucket Reader" } } })
    const refused = await expectProblem(await follow(demoted.url), 403, "forbidden")
    expect(refused.detail).toContain("creator of this link or share has no permission file:read")
  })

  it("input that is not valid → 400 with the field; link and another key → 400", async () => {
    const faults = [
      [{ expiresIn: 0 }, "/expiresIn"],
      [{ expiresIn: 604_801 }, "/expiresIn"],
      [{ expiresIn: 1.5 }, "/expiresIn"],
      [{ expiresIn: undefined }, "/expiresIn"],
      [{ may: "delete" }, "/may"],
      [{ version: 0 }, "/version"],
      [{ name: "a/b" }, "/name"],
      [{ name: "x".repeat(256) }, "/name"]
    ] as const
    for (const [fault, pointer] of faults) {
      const answer = await server.post(`${file.path}/links`, { json: { expiresIn: 60, ...fault } })
      const { errors } = await expectProblem(answer, 400, "invalid_request")
      expect(errors).toMatchObject([{ pointer }])
    }
    await expectProblem(
      await server.post(`${file.path.replace(file.id, "@none")}/links`, { json: { expiresIn: 60 } }),
      404,
      "not_found"
    )
    const { url } = await create({ name: "é".repeat(127) })
    expect((await follow(url)).status).toBe(200)
    await expectProblem(await follow(url, { headers: { "x-api-key": server.rootKey } }), 400, "ambiguous_key")
  })

  it("creation → no row and no event", async () => {
    const events = async () =>
      json<{ items: ReadonlyArray<unknown> }>(await server.get(`/tenants/${bucket.tenantId}/events?outcome=SUCCESS`))
    const before = await events()
    await create({})
    expect(await events()).toEqual(before)
  })

  it("two nodes with one secret → each accepts the other's links; another secret → 401", async () => {
    const start = async (fill: number) => {
      const node = await TestServer.start({ signingSecret: new Uint8Array(32).fill(fill) })
      onTestFinished(() => node.close())
      return node
    }
    const [one, two, three] = [await start(1), await start(1), await start(2)]
    const own = await one.makeBucket()
    const ref = { ...own, fileId: (await one.makeFile(own)).id }
    const link = await one.run(Links.use((links) => links.create(Actor.system, ref, { expiresIn: 60 })))
    const verify = (node: TestServer.TestServer) =>
      node.run(Effect.result(Links.use((links) => links.verify(Redacted.value(link.key), own))))
    expect((await verify(two))._tag).toBe("Success")
    expect((await verify(three))._tag).toBe("Failure")
    expect(JSON.stringify(link)).not.toContain("hfl_")
  })

  it("client → an absolute URL, with its base path", async () => {
    const client = createClient({ url: server.url, apiKey: server.rootKey })
    const { expiresAt, url } = await client.files.signedUrl({
      ...bucket,
      fileId: file.id,
      may: "download",
      expiresIn: 3600
    })
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now())
    expect(url.startsWith(`${server.url}/api/v1/`)).toBe(true)
    expect(await (await fetch(url)).text()).toBe("Hello")
  })
})
