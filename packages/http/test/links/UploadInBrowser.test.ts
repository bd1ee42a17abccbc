/**
 * A page of another origin uploads files in Chromium with links of its server. No API key reaches the browser.
 */
import * as Browser from "@holdfast/testing/Browser"
import * as Requires from "@holdfast/testing/Requires"
import { createServer } from "node:http"
import { expect, it, onTestFinished } from "vitest"
import { createClient } from "../../src/client/index.ts"
import * as PlayerServer from "../players/support/PlayerServer.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"

/** An API key, as opposed to the key of a link (`hfu_`). */
const apiKey = /hf_[\w-]{8}/

interface Answer {
  readonly status: number
  readonly body: { readonly id: string; readonly name: string; readonly code?: string }
  readonly location?: string | null
  readonly steps?: ReadonlyArray<number>
}

const size = 3_000_000

/** Functions of the page: they upload by `fetch`, and by `XMLHttpRequest` with progress. */
const script = `
  const content = new File(["x".repeat(${size})], "local.txt", { type: "text/plain" })
  const byFetch = async (url) => {
    const response = await fetch(url, { method: "PUT", body: content })
    return { status: response.status, body: await response.json(), location: response.headers.get("location") }
  }
  const byXhr = (url) => new Promise((resolve, reject) => {
    const steps = []
    const form = new FormData()
    form.append("file", content)
    const xhr = new XMLHttpRequest()
    xhr.upload.onprogress = ({ loaded }) => steps.push(loaded)
    xhr.onload = () => resolve({ status: xhr.status, body: JSON.parse(xhr.responseText), steps })
    xhr.onerror = () => reject(new Error("failed"))
    xhr.open("POST", url)
    xhr.send(form)
  })`

Requires.requires(Browser.missing).describe("upload link in Chromium", () => {
  it(
    "page of another origin, fetch and XMLHttpRequest → files, progress, readable errors; no API key in the browser",
    { timeout: 60_000 },
    async () => {
      const host = createServer((_, response) => {
        response
          .setHeader("content-type", "text/html")
          .end(`<!doctype html><title>Host</title><script>${script}</script>`)
      })
      onTestFinished(() => void host.close())
      const origin = await PlayerServer.listen(host)
      const service = await ServiceBucket.start({ env: { HOLDFAST_CORS_ORIGINS: origin } })
      const { bucketId, tenantId } = service
      const client = createClient({ url: service.service.url, apiKey: service.key })
      const link = async (name: string, maxBytes = size) =>
        (await client.files.uploadUrl({ tenantId, bucketId, name, maxBytes, contentTypes: ["text/*"], expiresIn: 60 }))
          .url

      const chromium = await Browser.launch()
      onTestFinished(() => chromium.close())
      const context = await chromium.newContext()
      const seen: Array<string> = []
      context.on(
        "request",
        (request) => void seen.push(`${request.method()} ${request.url()}`, JSON.stringify(request.headers()))
      )
      context.on("response", (response) => void seen.push(`${response.status()} ${response.request().method()}`))
      const page = await context.newPage()
      await page.goto(origin)
      const run = (name: string, url: string): Promise<Answer> => page.evaluate(`${name}(${JSON.stringify(url)})`)

      const put = await run("byFetch", await link("put.txt"))
      expect(put).toMatchObject({ status: 201, body: { name: "put.txt" } })
      expect(put.location).toContain(put.body.id)
      const posted = await run("byXhr", await link("posted.txt"))
      expect(posted).toMatchObject({ status: 201, body: { name: "posted.txt" } })
      expect(posted.steps?.at(-1)).toBeGreaterThanOrEqual(size)
      for (const { body } of [put, posted]) {
        const download = await client.files.read({ tenantId, bucketId, fileId: body.id })
        expect((await download.text()).length).toBe(size)
      }
      const refused = await run("byFetch", await link("large.txt", size - 1))
      expect(refused).toMatchObject({ status: 413, body: { code: "content_too_large" } })

      const { cookies, origins } = await context.storageState()
      const found = [...seen, await page.content(), JSON.stringify([cookies, origins])]
      expect(found.some((text) => text.includes("hfu_"))).toBe(true)
      expect(found.filter((text) => apiKey.test(text))).toEqual([])
    }
  )
})
