/**
 * Tokens that may be used only from web pages of certain origins.
 */
import * as Duration from "effect/Duration"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createClient } from "../../src/client/index.ts"
import { expectProblem, json, pointers } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

interface Token {
  readonly id: string
  readonly key: string
  readonly allowedOrigins: ReadonlyArray<string> | null
}

const app = "https://app.example.com"

let server: TestServer.TestServer
let bucket: { readonly tenantId: string; readonly bucketId: string }
let file: { readonly id: string; readonly path: string }
let tokens: string
let memberId: string
let key: string
beforeAll(async () => {
  server = await TestServer.start({ settings: { accessCache: Duration.zero } })
  bucket = await server.makeBucket()
  file = await server.makeFile(bucket)
  tokens = `/tenants/${bucket.tenantId}/tokens`
  const { items } = await json<{ items: ReadonlyArray<{ id: string }> }>(
    await server.get(`/tenants/${bucket.tenantId}/members`)
  )
  memberId = items[0]?.id ?? ""
  key = (await json<Token>(await create([app, "http://localhost:5173"]))).key
})
afterAll(() => server.close())

const create = (allowedOrigins: unknown, headers: Record<string, string> = {}, as = server.rootKey) =>
  server.post(tokens, { json: { name: "page", member: { id: memberId }, allowedOrigins }, key: as, headers })

const view = (headers: Record<string, string>) => server.get(`${file.path}/view`, { key, headers })

describe("allowed origins of a token", () => {
  it("create → in the record and in GET /me; without them null", async () => {
    const { allowedOrigins, id } = await json<Token>(await create([app]))
    expect(allowedOrigins).toEqual([app])
    expect(await json(await server.get(`${tokens}/${id}`))).toMatchObject({ allowedOrigins: [app] })
    expect(await json(await server.get("/me", { key, headers: { origin: app } }))).toMatchObject({
      credential: { allowedOrigins: [app, "http://localhost:5173"] }
    })
    const client = createClient({ url: server.url, apiKey: server.rootKey })
    const input = { tenantId: bucket.tenantId, name: "t", member: { id: memberId } }
    expect(await client.tokens.create({ ...input, allowedOrigins: ["capacitor://localhost"] })).toMatchObject({
      allowedOrigins: ["capacitor://localhost"]
    })
    expect((await client.tokens.create(input)).allowedOrigins).toBeNull()
  })

  it.each([
    "*",
    "null",
    "app.example.com",
    `${app}/`,
    `${app}:443`,
    "https://App.example.com",
    "https://*.example.com:x",
    ""
  ])("create with %j → 400", async (origin) => {
    const problem = await expectProblem(await create([origin]), 400, "invalid_request")
    expect(pointers(problem)).toEqual(["/allowedOrigins/0"])
  })

  it.each([
    ["Origin of an allowed page", { origin: app }],
    ["Origin of a development server", { origin: "http://localhost:5173" }],
    ["no Origin, Referer of an allowed page", { referer: `${app}/gallery?page=2` }]
  ])("%s → 200 for contents, records and uploads", async (_, headers) => {
    expect(await (await view(headers)).text()).toBe("Hello")
    expect((await server.get(file.path, { key, headers })).status).toBe(200)
    expect((await server.post(`${file.path}/reupload`, { key, headers, body: "Hello" })).status).toBe(200)
  })

  it.each([
    ["another Origin", { origin: "https://evil.example" }],
    ["another port", { origin: `${app}:8443` }],
    ["another scheme", { origin: "http://app.example.com" }],
    ["an Origin that ends the same", { origin: "https://evilapp.example.com" }],
    ["a page without an origin", { origin: "null" }],
    ["another Origin, Referer of an allowed page", { origin: "https://evil.example", referer: `${app}/` }],
    ["Referer of another page", { referer: `https://evil.example/${app}` }],
    ["neither Origin nor Referer", {}]
  ])("%s → 403 origin_not_allowed, nothing is read or changed", async (_, headers: Record<string, string>) => {
    await expectProblem(await view(headers), 403, "origin_not_allowed")
    await expectProblem(await server.get("/me", { key, headers }), 403, "origin_not_allowed")
    await expectProblem(await server.get(file.path, { key, headers }), 403, "origin_not_allowed")
    await expectProblem(await server.get(`${file.path}/streams`, { key, headers }), 403, "origin_not_allowed")
    const upload = server.post(`${file.path}/reupload`, { key, headers, body: "other" })
    await expectProblem(await upload, 403, "origin_not_allowed")
    expect(await (await server.get(`${file.path}/view`)).text()).toBe("Hello")
  })

  it("key that is not valid → 401, whatever the origin", async () => {
    const made = await json<Token>(await create([app]))
    await server.delete(`${tokens}/${made.id}`)
    await expectProblem(await server.get("/me", { key: made.key }), 401, "unauthenticated")
  })

  it("link that the key made → works on any page", async () => {
    const made = await server.post(`${file.path}/links`, { key, headers: { origin: app }, json: { expiresIn: 60 } })
    const { url } = await json<{ url: string }>(made)
    expect((await fetch(server.url + url)).status).toBe(200)
    expect((await fetch(server.url + url, { headers: { origin: "https://evil.example" } })).status).toBe(200)
  })

  it("token that it creates → the same origins, or fewer; others → 400", async () => {
    const headers = { origin: app }
    const inherited = await json<Token>(await create(undefined, headers, key))
    expect(inherited.allowedOrigins).toEqual([app, "http://localhost:5173"])
    expect((await json<Token>(await create([app], headers, key))).allowedOrigins).toEqual([app])
    const wider = await expectProblem(await create(["https://evil.example"], headers, key), 400, "invalid_request")
    expect(pointers(wider)).toEqual(["/allowedOrigins"])
  })

  it("refusal → an event with the reason, without the origin", async () => {
    const made = await json<Token>(await create([app]))
    await server.get(file.path, { key: made.key, headers: { origin: "https://evil.example" } })
    await expect
      .poll(async () => {
        const query = { outcome: "REFUSED", tokenId: made.id }
        const { items } = await json<{ items: ReadonlyArray<{ detail: object }> }>(
          await server.get(`/tenants/${bucket.tenantId}/events`, { query })
        )
        return items.map(({ detail }) => detail)
      })
      .toEqual([{ reason: "origin_not_allowed", count: 1 }])
  })
})
