import { request as nodeRequest } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem, pointers } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

describe("problems of routing, negotiation and bodies", () => {
  let server: TestServer.TestServer
  beforeAll(async () => {
    server = await TestServer.start()
  })
  afterAll(() => server.close())

  it("unknown path → 404, with and without a key", async () => {
    await expectProblem(await server.get("/nothing"), 404, "not_found")
    await expectProblem(await server.get("/nothing", { key: null }), 404, "not_found")
    await expectProblem(await server.get(`${server.url}/`), 404, "not_found")
    await expectProblem(await server.get("/tenants/%zz"), 404, "not_found")
  })

  it.each([
    ["PUT", "/tenants", "GET, HEAD, POST"],
    ["OPTIONS", "/tenants", "GET, HEAD, POST"],
    ["POST", "/me", "GET, HEAD"],
    ["GET", "/tenants/x/buckets/y/files/z/reupload", "POST"],
    ["PUT", "/tenants/x", "DELETE, GET, HEAD, PATCH"],
    ["DELETE", "/tenants/x/buckets/y/files/z/view", "GET, HEAD"],
    ["GET", "/tenants/x/buckets/y/files/z/headers/bulk", "DELETE, POST"]
  ])("%s %s → 405 with Allow", async (method, path, allow) => {
    const response = await server.request(method, path)
    expect(response.headers.get("allow")).toBe(allow)
    await expectProblem(response, 405, "method_not_allowed")
  })

  it("HEAD of a path with POST only → 405", async () => {
    const response = await server.head("/tenants/x/buckets/y/files/z/reupload")
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"])
  })

  it("body of another media type → 415; malformed or empty JSON → 400", async () => {
    const headers = { "content-type": "text/plain" }
    await expectProblem(await server.post("/tenants", { body: "x", headers }), 415, "unsupported_media_type")
    const malformed = await server.post("/tenants", { body: "{", headers: { "content-type": "application/json" } })
    expect((await expectProblem(malformed, 400, "invalid_request")).errors).toHaveLength(1)
    const empty = await server.post("/tenants", { headers: { "content-type": "application/json" } })
    expect(pointers(await expectProblem(empty, 400, "invalid_request"))).toEqual([""])
  })

  it("Content-Type with charset, in any case → accepted", async () => {
    const headers = { "content-type": "Application/JSON; charset=utf-8" }
    const response = await server.post("/tenants", { json: { name: "A", subdomain: "charset" }, headers })
    expect(response.status).toBe(201)
  })

  it("body above 1 MiB → 413, with or without a declared length", async () => {
    const name = "x".repeat(1024 * 1024)
    await expectProblem(await server.post("/tenants", { json: { name } }), 413, "content_too_large")
    const body = new Blob([JSON.stringify({ name })]).stream()
    const headers = { "content-type": "application/json" }
    await expectProblem(await server.post("/tenants", { body, headers }), 413, "content_too_large")
  })

  it("declared length above 1 MiB, Expect: 100-continue → 413, no 100 Continue", async () => {
    const [status, sent] = await new Promise<[number | undefined, boolean]>((resolve, reject) => {
      let sent = false
      const request = nodeRequest(`${server.baseUrl}/tenants`, {
        method: "POST",
        headers: {
          "x-api-key": server.rootKey,
          "content-type": "application/json",
          "content-length": 2 * 1024 * 1024,
          expect: "100-continue"
        }
      })
      request.on("continue", () => {
        sent = true
      })
      request.on("response", (response) => {
        resolve([response.statusCode, sent])
        request.destroy()
      })
      request.on("error", reject)
      request.flushHeaders()
    })
    expect([status, sent]).toEqual([413, false])
  })

  it("Accept excludes JSON → 406; contents are sent all the same", async () => {
    for (const accept of ["text/html", "application/json;q=0", "image/*, text/plain"]) {
      await expectProblem(await server.get("/me", { headers: { accept } }), 406, "not_acceptable")
    }
    for (const accept of ["*/*", "application/*", "text/html, application/json;q=0.5", ""]) {
      expect((await server.get("/me", { headers: { accept } })).status).toBe(200)
    }
    const file = await server.makeFile(await server.makeBucket())
    expect((await server.get(`${file.path}/view`, { headers: { accept: "image/*" } })).status).toBe(200)
  })

  it("several faults in a body or query → 400 with all of them", async () => {
    const body = await server.post("/tenants", { json: { name: 1, subdomain: "A" } })
    expect(pointers(await expectProblem(body, 400, "invalid_request"))).toEqual(["/name", "/subdomain"])
    const { bucketId, tenantId } = await server.makeBucket()
    const query = { limit: "0", recursive: "maybe", state: "X", expands: ["SIZE", "NOPE"] }
    const list = await server.get(`/tenants/${tenantId}/buckets/${bucketId}/files`, { query })
    expect(pointers(await expectProblem(list, 400, "invalid_request"))).toEqual([
      "/expands/1",
      "/limit",
      "/recursive",
      "/state"
    ])
  })

  it("null for an optional field → 400; unknown field → ignored", async () => {
    const { tenantId } = await server.makeTenant()
    const path = `/tenants/${tenantId}`
    expect(
      pointers(await expectProblem(await server.patch(path, { json: { name: null } }), 400, "invalid_request"))
    ).toEqual(["/name"])
    const response = await server.patch(path, { json: { name: "New", colour: "blue" } })
    expect([response.status, await response.json()]).toEqual([200, expect.not.objectContaining({ colour: "blue" })])
  })

  describe("misspelt field that limits a right", () => {
    const faultsOf = async (response: Response) =>
      ((await expectProblem(response, 400, "invalid_request")).errors ?? []).map(({ detail, pointer }) => [
        pointer,
        detail
      ])

    it("links, shares, upload links, playback keys and webhooks: any unknown field → 400 with its pointer", async () => {
      const { bucketId, tenantId } = await server.makeBucket()
      const tenant = `/tenants/${tenantId}`
      const bucket = `${tenant}/buckets/${bucketId}`
      const file = await server.makeFile({ tenantId, bucketId })
      const hook = { name: "w", url: "https://example.com/hook" }
      for (const [path, json, pointer, similar] of [
        [`${bucket}/shares`, { name: "s", pasword: "correct horse" }, "/pasword", "password"],
        [`${bucket}/shares`, { name: "s", expires: "2100-01-01T00:00:00Z" }, "/expires", "expiresAt"],
        [
          `${bucket}/upload-links`,
          { maxBytes: 1, expiresIn: 1, contentType: "image/*" },
          "/contentType",
          "contentTypes"
        ],
        [`${file.path}/links`, { expiresIn: 1, Version: 1 }, "/Version", "version"],
        [`${file.path}/streams/hls/keys`, { expires: 1 }, "/expires", "expiresIn"],
        [`${tenant}/webhooks`, { ...hook, events: ["file."] }, "/events", "known are name, url, eventTypes, bucketId"],
        [`${tenant}/webhooks`, { ...hook, bucket_id: bucketId }, "/bucket_id", "bucketId"]
      ] as const) {
        const [fault, ...others] = await faultsOf(await server.post(path, { json }))
        expect([fault?.[0], others]).toEqual([pointer, []])
        expect(fault?.[1]).toContain(similar)
      }
      const shares = await (await server.get(`${bucket}/shares`)).json()
      expect(shares).toMatchObject({ items: [] })
      const made = await server.post(`${bucket}/shares`, { json: { name: "s" } })
      const share = `${bucket}/shares/${((await made.json()) as { id: string }).id}`
      expect(await faultsOf(await server.patch(share, { json: { a: 1, "b/c~": 2 } }))).toMatchObject([
        ["/a", expect.anything()],
        ["/b~1c~0", expect.anything()]
      ])
    })

    it("tokens and buckets: field that resembles an optional one → 400, any other → ignored", async () => {
      const { tenantId } = await server.makeTenant()
      const { items } = (await (await server.get(`/tenants/${tenantId}/members`)).json()) as {
        readonly items: ReadonlyArray<{ readonly id: string }>
      }
      const token = { name: "t", member: { id: items[0]?.id } }
      const scope = { permissions: ["file:read"] }
      for (const [resource, json, pointer, similar] of [
        ["tokens", { ...token, scopes: scope }, "/scopes", "scope"],
        ["tokens", { ...token, ...scope }, "/permissions", "scope.permissions"],
        ["tokens", { ...token, origins: ["https://example.com"] }, "/origins", "allowedOrigins"],
        ["tokens", { ...token, expires_at: "2030-01-01T00:00:00Z" }, "/expires_at", "expiresAt"],
        ["tokens", { ...token, scope: { ...scope, path: "/a/" } }, "/scope/path", "pathPrefix"],
        ["buckets", { name: "b", allowed_types: ["image/*"] }, "/allowed_types", "allowedTypes"],
        ["buckets", { name: "b", maxFile: 1 }, "/maxFile", "maxFiles"],
        ["buckets", { name: "b", shares: { passwordRequred: true } }, "/shares/passwordRequred", "passwordRequired"]
      ] as const) {
        const faults = await faultsOf(await server.post(`/tenants/${tenantId}/${resource}`, { json }))
        expect(faults).toEqual([[pointer, expect.stringContaining(similar)]])
      }
      for (const [resource, json] of [
        ["tokens", { ...token, colour: "blue", member: { ...token.member, email: "x" } }],
        ["buckets", { name: "b", colour: "blue" }]
      ] as const) {
        const made = await server.post(`/tenants/${tenantId}/${resource}`, { json })
        expect([made.status, await made.json()]).toEqual([201, expect.not.objectContaining({ colour: "blue" })])
      }
    })

    it("many and long unknown fields → a bounded problem", async () => {
      const { bucketId, tenantId } = await server.makeBucket()
      const names = Array.from({ length: 4000 }, (_, index) => [`field${index}`, 1] as const)
      const json = { name: "s", ["x".repeat(100_000)]: 1, ...Object.fromEntries(names) }
      const refused = await server.post(`/tenants/${tenantId}/buckets/${bucketId}/shares`, { json })
      expect((await refused.clone().text()).length).toBeLessThan(20_000)
      expect(await faultsOf(refused)).toHaveLength(20)
    })
  })

  it("X-Request-Id → used if it is a valid token, else generated", async () => {
    const ask = async (id?: string) =>
      (await server.get("/me", id === undefined ? {} : { headers: { "x-request-id": id } })).headers.get("x-request-id")
    expect(await ask("trace-1/2:3")).toBe("trace-1/2:3")
    for (const id of [undefined, "two words", "x".repeat(200), "ünsafe"]) expect(await ask(id)).toMatch(/^req_\w+$/)
    expect(await ask()).not.toBe(await ask())
  })

  it("HEAD of an operation with GET → the same headers, no body", async () => {
    const [get, head] = await Promise.all([server.get("/roles"), server.head("/roles")])
    expect([head.status, await head.text()]).toEqual([200, ""])
    for (const name of ["content-type", "content-length"]) expect(head.headers.get(name)).toBe(get.headers.get(name))
    const refused = await server.head("/roles", { key: null })
    expect([refused.status, refused.headers.get("content-type")]).toEqual([401, "application/problem+json"])
  })

  it("every response → X-Request-Id, Referrer-Policy and Cache-Control", async () => {
    const file = await server.makeFile(await server.makeBucket())
    const responses = [
      await server.get(`${file.path}/view`),
      await server.get(`${file.path}/download`, { headers: { range: "bytes=0-1" } }),
      await server.head(`${file.path}/view`),
      await server.get(file.path),
      await server.delete(file.path)
    ]
    expect(responses.map(({ status }) => status)).toEqual([200, 206, 200, 200, 204])
    for (const { headers } of responses) {
      expect(headers.get("x-request-id")).toMatch(/^req_/)
      expect(headers.get("referrer-policy")).toBe("no-referrer")
      expect(headers.get("cache-control")).toMatch(/^(?:no-store|private, no-cache)$/)
    }
  })
})
