import { FileRepository } from "@holdfast/core/files/FileRepository"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
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
    expect((await server.get(`${file}/view`)).headers.get("cache-control")).toBe("private, max-age=60")
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

  it("name that is not allowed, or invalid value → 400 with the field and the names that are allowed", async () => {
    const refused = ["content-length", "Location", "etag", "access-control-allow-origin", "bad name", "", "Link", "x"]
    for (const name of [...refused, "X-Accel-Redirect", "Surrogate-Control", "X-Frame-Options"]) {
      const problem = await expectProblem(await set(name, "x"), 400, "invalid_request")
      expect(pointers(problem)).toEqual(["/name"])
    }
    expect(await (await set("Link", "x")).text()).toMatch(/content-language.*cache-control.*x-robots-tag.*x- and/)
    expect(pointers(await expectProblem(await set("x-a", "\u0000"), 400, "invalid_request"))).toEqual(["/value"])
    expect(pointers(await expectProblem(await set(1, 2), 400, "invalid_request"))).toEqual(["/name", "/value"])
  })

  it("upload with a header that is not allowed → 400, no file", async () => {
    const form = new FormData()
    form.append("body", JSON.stringify({ name: "a", headers: [{ name: "link", value: "<http://a.example>" }] }))
    form.append("file", new Blob(["Hello"]))
    const files = file.slice(0, file.lastIndexOf("/"))
    const problem = await expectProblem(await server.post(`${files}/upload`, { body: form }), 400, "invalid_request")
    expect(pointers(problem)).toEqual(["/headers/0/name"])
  })

  it("header of an earlier version that is refused now → listed, not sent by 200, 206, 304 and HEAD, removable", async () => {
    const [, tenantId = "", , bucketId = "", , id = ""] = file.split("/").slice(1)
    const store = Effect.flatMap(FileRepository, (repository) =>
      repository.updateHeaders({
        bucket: { tenantId, bucketId },
        selector: { _tag: "Id", id },
        change: () => Result.succeed(["X-Accel-Redirect", "Link", "x-own"].map((name) => ({ name, value: "v" }))),
        at: DateTime.makeUnsafe(1)
      })
    )
    await server.run(store)
    const listed = await json<{ readonly items: ReadonlyArray<unknown> }>(await server.get(path))
    expect(listed.items).toHaveLength(3)
    const { headers } = await server.get(`${file}/view`)
    const requests: ReadonlyArray<readonly [number, Readonly<Record<string, string>>]> = [
      [200, {}],
      [206, { range: "bytes=0-1" }],
      [304, { "if-none-match": headers.get("etag") ?? "" }]
    ]
    for (const [status, conditions] of requests) {
      for (const way of ["view", "download"]) {
        const get = await server.get(`${file}/${way}`, { headers: conditions })
        expect(get.status).toBe(status)
        for (const answer of [get, await server.head(`${file}/${way}`, { headers: conditions })]) {
          expect([answer.headers.get("x-accel-redirect"), answer.headers.get("link")]).toEqual([null, null])
          expect(answer.headers.get("x-own")).toBe("v")
          expect(answer.headers.get("content-security-policy")).toMatch(/default-src 'none'/)
          await answer.arrayBuffer()
        }
      }
    }
    const outside = await server.get(`${file}/view`, { headers: { range: "bytes=99-" } })
    expect([outside.status, outside.headers.get("link"), outside.headers.get("x-own")]).toEqual([416, null, null])
    expect((await server.delete(`${path}/link`)).status).toBe(204)
    expect((await server.delete(`${path}/X-Accel-Redirect`)).status).toBe(204)
    expect(await list()).toEqual({ items: [{ name: "x-own", value: "v" }], nextCursor: null })
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
    await expectProblem(await server.post(elsewhere, { json: { name: "x-a", value: "b" } }), 404, "not_found")
    await expectProblem(await server.delete(`${elsewhere}/a`), 404, "not_found")
  })
})
