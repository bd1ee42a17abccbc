import { request as nodeRequest } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem, pointers } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

describe("what the router and the body readers find wrong", () => {
  let server: TestServer.TestServer
  beforeAll(async () => {
    server = await TestServer.start()
  })
  afterAll(() => server.close())

  it("an unknown address is 404, with and without a key", async () => {
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
  ])("%s %s is 405 and tells what is allowed", async (method, path, allow) => {
    const answer = await server.request(method, path)
    expect(answer.headers.get("allow")).toBe(allow)
    await expectProblem(answer, 405, "method_not_allowed")
  })

  it("HEAD of an address that takes POST alone is 405", async () => {
    const answer = await server.head("/tenants/x/buckets/y/files/z/reupload")
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"])
  })

  it("a body that is not JSON is 415, or 400 when it says that it is", async () => {
    const headers = { "content-type": "text/plain" }
    await expectProblem(await server.post("/tenants", { body: "x", headers }), 415, "unsupported_media_type")
    const malformed = await server.post("/tenants", { body: "{", headers: { "content-type": "application/json" } })
    expect((await expectProblem(malformed, 400, "invalid_request")).errors).toHaveLength(1)
    const empty = await server.post("/tenants", { headers: { "content-type": "application/json" } })
    expect(pointers(await expectProblem(empty, 400, "invalid_request"))).toEqual([""])
  })

  it("JSON with a charset, in any case, is JSON", async () => {
    const headers = { "content-type": "Application/JSON; charset=utf-8" }
    const answer = await server.post("/tenants", { json: { name: "A", subdomain: "charset" }, headers })
    expect(answer.status).toBe(201)
  })

  it("a body above a MiB is 413, whether its length is announced or not", async () => {
    const name = "x".repeat(1024 * 1024)
    await expectProblem(await server.post("/tenants", { json: { name } }), 413, "content_too_large")
    const body = new Blob([JSON.stringify({ name })]).stream()
    const headers = { "content-type": "application/json" }
    await expectProblem(await server.post("/tenants", { body, headers }), 413, "content_too_large")
  })

  it("413 is told before the body is sent", async () => {
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

  it("who takes no JSON gets 406, but not for what is no JSON", async () => {
    for (const accept of ["text/html", "application/json;q=0", "image/*, text/plain"]) {
      await expectProblem(await server.get("/me", { headers: { accept } }), 406, "not_acceptable")
    }
    for (const accept of ["*/*", "application/*", "text/html, application/json;q=0.5", ""]) {
      expect((await server.get("/me", { headers: { accept } })).status).toBe(200)
    }
    const file = await server.makeFile(await server.makeBucket())
    expect((await server.get(`${file.path}/view`, { headers: { accept: "image/*" } })).status).toBe(200)
  })

  it("names every fault of a body, and of a query", async () => {
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

  it("null is no value for an optional field, and unknown fields are ignored", async () => {
    const { tenantId } = await server.makeTenant()
    const path = `/tenants/${tenantId}`
    expect(
      pointers(await expectProblem(await server.patch(path, { json: { name: null } }), 400, "invalid_request"))
    ).toEqual(["/name"])
    const answer = await server.patch(path, { json: { name: "New", colour: "blue" } })
    expect([answer.status, await answer.json()]).toEqual([200, expect.not.objectContaining({ colour: "blue" })])
  })

  it("X-Request-Id is taken when it is a sane token, and made otherwise", async () => {
    const ask = async (id?: string) =>
      (await server.get("/me", id === undefined ? {} : { headers: { "x-request-id": id } })).headers.get("x-request-id")
    expect(await ask("trace-1/2:3")).toBe("trace-1/2:3")
    for (const id of [undefined, "two words", "x".repeat(200), "ünsafe"]) expect(await ask(id)).toMatch(/^req_\w+$/)
    expect(await ask()).not.toBe(await ask())
  })

  it("HEAD is answered wherever GET is, with the same headers", async () => {
    const [get, head] = await Promise.all([server.get("/roles"), server.head("/roles")])
    expect([head.status, await head.text()]).toEqual([200, ""])
    for (const name of ["content-type", "content-length"]) expect(head.headers.get(name)).toBe(get.headers.get(name))
    const refused = await server.head("/roles", { key: null })
    expect([refused.status, refused.headers.get("content-type")]).toEqual([401, "application/problem+json"])
  })

  it("every answer carries X-Request-Id and Referrer-Policy, contents and removals too", async () => {
    const file = await server.makeFile(await server.makeBucket())
    const answers = [
      await server.get(`${file.path}/view`),
      await server.get(`${file.path}/download`, { headers: { range: "bytes=0-1" } }),
      await server.head(`${file.path}/view`),
      await server.get(file.path),
      await server.delete(file.path)
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 206, 200, 200, 204])
    for (const { headers } of answers) {
      expect(headers.get("x-request-id")).toMatch(/^req_/)
      expect(headers.get("referrer-policy")).toBe("no-referrer")
      expect(headers.get("cache-control")).toMatch(/^(?:no-store|private, no-cache)$/)
    }
  })
})
