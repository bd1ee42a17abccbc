import { expect, it } from "vitest"
import { json } from "../support/Problems.ts"
import * as Process from "../support/Process.ts"

interface Document {
  readonly openapi: string
  readonly paths: Readonly<Record<string, object>>
}

it("GET /openapi.json → an OpenAPI 3.1 document with the paths of the API", async () => {
  const { url } = await Process.serve()
  const answer = await fetch(`${url}/openapi.json`)
  expect(answer.headers.get("content-type")).toBe("application/json")
  const { openapi, paths } = await json<Document>(answer)
  expect(openapi).toMatch(/^3\.1\./)
  expect(Object.keys(paths)).toContain("/api/v1/tenants")
})

it("GET /docs → one page that loads nothing from other origins, cacheable and compressible", async () => {
  const { url } = await Process.serve()
  const answer = await fetch(`${url}/docs`, { headers: { "accept-encoding": "identity" } })
  const page = await answer.text()
  expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8")
  expect(page).toContain("/api/v1/tenants")
  expect(page).toContain('"showDeveloperTools":"never"')
  expect(page).not.toMatch(/<(?:script|link|img)[^>]+(?:src|href)=["']?(?:https?:)?\/\//)
  const policy = answer.headers.get("content-security-policy") ?? ""
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("connect-src 'self'")
  expect(policy).not.toMatch(/https?:|\*/)

  const etag = answer.headers.get("etag") ?? ""
  const again = await fetch(`${url}/docs`, { headers: { "if-none-match": etag } })
  expect(again.status).toBe(304)

  const zipped = await fetch(`${url}/docs`, { headers: { "accept-encoding": "gzip" } })
  expect(zipped.headers.get("vary")).toContain("Accept-Encoding")
  expect(await zipped.text()).toBe(page)
})
