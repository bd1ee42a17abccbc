import * as Browser from "@holdfast/testing/Browser"
import * as Requires from "@holdfast/testing/Requires"
import * as Http from "node:http"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { Api } from "../../src/contract/Api.ts"
import * as OpenApiDocument from "../../src/contract/OpenApiDocument.ts"
import * as ReferenceRoutes from "../../src/server/routes/reference/ReferenceRoutes.ts"
import { json } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

interface Document {
  readonly openapi: string
  readonly paths: Readonly<Record<string, object>>
}

let server: TestServer.TestServer
beforeAll(async () => {
  server = await TestServer.start({ routes: ReferenceRoutes.layer(Api) })
})
afterAll(() => server.close())

/** Returns how many bytes are sent for a path to a client that accepts gzip. */
const sentBytes = (path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const request = Http.get(`${server.url}${path}`, { headers: { "accept-encoding": "gzip" } }, (response) => {
      let bytes = 0
      response.on("data", (chunk: Buffer) => (bytes += chunk.length)).on("end", () => resolve(bytes))
    })
    request.on("error", reject)
  })

describe("API reference", () => {
  it("GET /openapi.json → an OpenAPI 3.1 document with the paths of the API", async () => {
    const answer = await fetch(`${server.url}/openapi.json`)
    expect(answer.headers.get("content-type")).toBe("application/json")
    const { openapi, paths } = await json<Document>(answer)
    expect(openapi).toMatch(/^3\.1\./)
    expect(Object.keys(paths)).toContain("/api/v1/tenants")
  })

  it.each(["/docs", "/openapi.json"])("GET %s → cacheable and compressible", async (path) => {
    const answer = await fetch(`${server.url}${path}`, { headers: { "accept-encoding": "identity" } })
    const text = await answer.text()
    const again = await fetch(`${server.url}${path}`, {
      headers: { "if-none-match": answer.headers.get("etag") ?? "" }
    })
    expect(again.status).toBe(304)
    const zipped = await fetch(`${server.url}${path}`, { headers: { "accept-encoding": "gzip" } })
    expect(zipped.headers.get("vary")).toContain("Accept-Encoding")
    expect(await zipped.text()).toBe(text)
  })

  it("GET /docs → one page with every operation that loads nothing from other origins", async () => {
    const answer = await fetch(`${server.url}/docs`)
    const page = await answer.text()
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8")
    for (const item of Object.values(OpenApiDocument.make().paths)) {
      for (const one of Object.values(item)) if ("operationId" in one) expect(page).toContain(`id="${one.operationId}"`)
    }
    expect(page).not.toMatch(/<(?:script|link|img)[^>]+(?:src|href)=["']?(?:https?:)?\/\//)
    const policy = answer.headers.get("content-security-policy") ?? ""
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("connect-src 'self'")
    expect(policy).not.toMatch(/https?:|\*|unsafe/)
  })

  it("GET /docs → every link within the page leads to an element", async () => {
    const [page = ""] = (await (await fetch(`${server.url}/docs`)).text()).split("<script>")
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
    const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target)
    expect(targets.filter((target) => !ids.has(target))).toEqual([])
  })

  it("page and document, compressed → at most 300 KB together", async () => {
    expect((await sentBytes("/docs")) + (await sentBytes("/openapi.json"))).toBeLessThan(300_000)
  })
})

Requires.requires(Browser.missing).describe("API reference in Chromium", () => {
  it(
    "filter, then a request with a key → the operation, its answer; nothing is blocked",
    { timeout: 60_000 },
    async () => {
      const browser = await Browser.launch()
      onTestFinished(() => browser.close())
      const page = await browser.newPage()
      const errors: Array<string> = []
      page.on("console", (message) => void (message.type() === "error" && errors.push(message.text())))
      page.on("pageerror", ({ message }) => void errors.push(message))
      // As in a page without HTTPS at another address than that of the machine itself.
      await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
      const { tenantId } = await server.makeBucket()
      await page.goto(`${server.url}/docs`)

      await page.fill("#filter", "buckets.create")
      const operation = page.locator("article:visible")
      expect(await operation.evaluateAll((all) => all.map(({ id }) => id))).toEqual(["buckets.create"])
      expect(await page.getByRole("status").innerText()).toBe("1 operation")
      expect(await page.locator("main h2:visible").allInnerTexts()).toEqual(["buckets", "Errors", "Schemas"])
      expect(await page.locator("nav b:visible").allInnerTexts()).toEqual(["buckets"])
      await operation.getByRole("button", { name: "Copy" }).click()
      expect(await page.evaluate("getSelection().toString()")).toMatch(/^curl /)
      await operation.getByRole("button", { name: "Try it" }).click()
      await operation.locator("input:focus").waitFor()
      await operation.getByLabel("apiKey").fill(server.rootKey)
      await operation.getByLabel("tenantId").fill(tenantId)
      await operation.getByRole("button", { name: "Send" }).click()
      const answer = operation.locator("form pre")
      await expect
        .poll(() => answer.textContent(), { timeout: 20_000 })
        .toMatch(/^201 application\/json[^]*"name": "photos"/)
      expect(await page.evaluate("localStorage.length + sessionStorage.length + document.cookie.length")).toBe(0)
      expect(errors).toEqual([])
    }
  )
})
