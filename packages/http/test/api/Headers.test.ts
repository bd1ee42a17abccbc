import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { expectProblem, json, pointers } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

let server: TestServer.TestServer
let file: string
let path: string
beforeAll(async () => {
  server = await TestServer.start()
})
beforeEach(async () => {
  file = (await server.makeFile(await server.makeBucket(), "Hello")).path
  path = `${file}/headers`
})
afterAll(() => server.close())

const set = (name: unknown, value: unknown) => server.post(path, { json: { name, value } })
const list = async () => json(await server.get(path))

describe("file headers", () => {
  it("set → 201 with Location, served with the content", async () => {
    const response = await set("X-Colour", "blue")
    expect([response.status, await json(response)]).toEqual([201, { name: "X-Colour", value: "blue" }])
    expect(response.headers.get("location")).toBe(`/api/v1${path}/X-Colour`)
    const served = await server.get(`${file}/view`)
    expect(served.headers.get("x-colour")).toBe("blue")
  })

  it("set a name again in other case → replaced", async () => {
    await set("cache-control", "no-store")
    await set("Cache-Control", "max-age=60")
    expect(await list()).toEqual({ items: [{ name: "Cache-Control", value: "max-age=60" }], nextCursor: null })
    expect((await server.get(`${file}/view`)).headers.get("cache-control")).toBe("max-age=60")
  })

  it("bulk → all set; one invalid → 400, none set", async () => {
    const items = [
      { name: "x-a", value: "1" },
      { name: "x-b", value: "2" }
    ]
    const response = await server.post(`${path}/bulk`, { json: { bulk: items } })
    expect([response.status, await json(response)]).toEqual([201, { items }])
    const refused = await server.post(`${path}/bulk`, {
      json: {
        bulk: [
          { name: "x-c", value: "3" },
          { name: "Set-Cookie", value: "x" },
          { name: "x-d", value: "a\r\nb" }
        ]
      }
    })
    const problem = await expectProblem(refused, 400, "invalid_request")
    expect(pointers(problem)).toEqual(["/bulk/1/name", "/bulk/2/value"])
    expect(await list()).toEqual({ items, nextCursor: null })
  })

  it("reserved name or invalid value → 400", async () => {
    for (const name of ["content-length", "Location", "etag", "access-control-allow-origin", "bad name", ""]) {
      expect(pointers(await expectProblem(await set(name, "x"), 400, "invalid_request"))).toEqual(["/name"])
    }
    expect(pointers(await expectProblem(await set("x", "\u0000"), 400, "invalid_request"))).toEqual(["/value"])
    expect(pointers(await expectProblem(await set(1, 2), 400, "invalid_request"))).toEqual(["/name", "/value"])
  })

  it("more than 64 headers, or a value above the limit → 400", async () => {
    const bulk = Array.from({ length: 65 }, (_, i) => ({ name: `x-${i}`, value: "1" }))
    const many = await server.post(`${path}/bulk`, { json: { bulk } })
    expect(pointers(await expectProblem(many, 400, "invalid_request"))).toEqual(["/bulk"])
    await expectProblem(await set("x-long", "x".repeat(8200)), 400, "invalid_request")
  })

  it("DELETE in other case → removed; again → 404", async () => {
    await set("X-Gone", "1")
    expect((await server.delete(`${path}/x-gone`)).status).toBe(204)
    await expectProblem(await server.delete(`${path}/x-gone`), 404, "not_found")
    expect(await list()).toEqual({ items: [], nextCursor: null })
  })

  it("unknown file → 404", async () => {
    const elsewhere = path.replace(/fil_[^/]+/, "@unknown")
    await expectProblem(await server.get(elsewhere), 404, "not_found")
    await expectProblem(await server.post(elsewhere, { json: { name: "a", value: "b" } }), 404, "not_found")
    await expectProblem(await server.delete(`${elsewhere}/a`), 404, "not_found")
  })
})
