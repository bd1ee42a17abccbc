/**
 * Uploads of large files in Chromium that are cut, paused, and continued after the page was loaded again.
 */
import { open } from "@holdfast/core"
import { toNodeListener } from "@holdfast/http"
import * as Browser from "@holdfast/testing/Browser"
import { inMemory } from "@holdfast/testing/InMemory"
import * as Requires from "@holdfast/testing/Requires"
import { build } from "esbuild"
import { createHash, randomBytes } from "node:crypto"
import { once } from "node:events"
import * as Fs from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import * as Os from "node:os"
import * as Path from "node:path"
import { text } from "node:stream/consumers"
import { assert, expect, it, onTestFinished } from "vitest"

const html = `<!doctype html><html lang="en"><title>Uploads</title>
<input type="file"><script type="module" src="/page.js"></script></html>`

const chunkBytes = 1_000_000

/** An API key, as opposed to the key of a link (`hfu_`). */
const apiKey = /hf_[\w-]{8}/

const bundle = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [Path.join(import.meta.dirname, "page/Resumable.js")],
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
    logLevel: "silent"
  })
  return outputFiles[0]?.text ?? ""
}

/** What the server does with a request that sends bytes: passes it on, cuts it after half of a chunk, or answers never. */
type Treatment = "pass" | "cut" | "hold"

/** Starts the server of a page. Its own program gives links; the page has no API key. */
const serve = async (treatments: ReadonlyArray<Treatment>) => {
  const holdfast = await open(inMemory())
  const account = holdfast.account("ada@example.com")
  const { id: tenantId } = await holdfast.tenants.create(account, { name: "Acme", subdomain: "acme" })
  const { id: bucketId } = await holdfast.buckets.create(account, { tenantId, name: "files" })
  const bucket = { tenantId, bucketId }
  const script = await bundle()
  const api = toNodeListener(holdfast, { prefix: "" })
  const methods: Array<string> = []
  let [received, appends] = [0, 0]

  const cutAfter = (request: IncomingMessage, bytes: number) => {
    let seen = 0
    request.on("data", (chunk: Buffer) => {
      seen += chunk.length
      if (seen >= bytes) request.destroy()
    })
  }

  const server = createServer((request, response) => {
    const { method = "", url = "" } = request
    if (url === "/") return void response.setHeader("content-type", "text/html").end(html)
    if (url === "/page.js") return void response.setHeader("content-type", "text/javascript").end(script)
    if (url === "/addresses") {
      const create = async () => {
        const name = await text(request)
        const link = { ...bucket, name, maxBytes: 100_000_000, expiresIn: 60, baseUrl: origin }
        response.end((await holdfast.files.uploadUrl(account, link)).url)
      }
      return void create()
    }
    methods.push(method)
    if (method !== "PATCH") return void api(request, response)
    const treatment = treatments[appends++] ?? "pass"
    if (treatment === "hold") return
    request.on("data", (chunk: Buffer) => (received += chunk.length))
    if (treatment === "cut") cutAfter(request, chunkBytes / 2)
    void api(request, response)
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  assert.isObject(address)
  const origin = `http://127.0.0.1:${Object(address).port}`
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await holdfast.close()
  })
  return { account, bucket, holdfast, origin, methods, received: () => received, appends: () => appends }
}

/** Makes a local file. A reload does not change its name, size, type and time. */
const makeFile = (bytes: Uint8Array): string => {
  const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "holdfast-resumable-"))
  onTestFinished(() => Fs.rmSync(directory, { recursive: true, force: true }))
  const path = Path.join(directory, "Übung.bin")
  Fs.writeFileSync(path, bytes)
  return path
}

Requires.requires(Browser.missing).describe("uploadResumable in Chromium", () => {
  it(
    "two cuts, a pause, and a reload in the middle → continues, file is right, no API key in the browser",
    { timeout: 60_000 },
    async () => {
      const bytes = randomBytes(8 * chunkBytes + 123)
      const service = await serve(["pass", "cut", "pass", "cut", "hold", "pass", "hold"])
      const path = makeFile(bytes)
      const browser = await Browser.launch()
      onTestFinished(() => browser.close())
      const context = await browser.newContext()
      const seen: Array<string> = []
      context.on("request", (request) => void seen.push(request.url(), JSON.stringify(request.headers())))
      const page = await context.newPage()
      await page.goto(service.origin)
      await page.locator("input").setInputFiles(path)

      await expect.poll(service.appends, { timeout: 20_000 }).toBe(5)
      await page.evaluate("uploader.pause()")
      await page.evaluate("uploader.resume()")
      await expect.poll(service.appends, { timeout: 20_000 }).toBe(7)
      const before: ReadonlyArray<number> = await page.evaluate("steps")
      const storage = await page.evaluate("JSON.stringify(localStorage)")
      assert.include(String(storage), "upl_")

      await page.reload()
      await page.locator("input").setInputFiles(path)
      const result = await page.evaluate(`new Promise((resolve) => {
        const check = () => uploader.getSnapshot().isActive || resolve(uploader.getSnapshot().items[0])
        uploader.subscribe(check)
        check()
      })`)
      expect(result).toMatchObject({ state: "completed", sent: bytes.length })
      const after: ReadonlyArray<number> = await page.evaluate("steps")
      for (const steps of [before, after.filter((sent) => sent > 0)]) {
        for (const [index, sent] of steps.entries()) {
          assert.isAtLeast(sent, Math.max(0, ...steps.slice(0, index)) - chunkBytes)
        }
      }

      const { account, bucket, holdfast, methods } = service
      const { items } = await holdfast.files.list(account, bucket)
      expect(items.map(({ id, name }) => [id, name])).toEqual([[Object(result).result.id, "Übung.bin"]])
      const download = await holdfast.files.read(account, { ...bucket, fileId: items[0]?.id ?? "" })
      const sha256 = (content: Uint8Array) => createHash("sha256").update(content).digest("hex")
      expect(sha256(await download.bytes())).toBe(sha256(bytes))
      expect(methods.filter((method) => method === "POST")).toHaveLength(1)
      // A cut may lose what the server had not stored of one chunk.
      assert.isAtMost(service.received(), bytes.length + 2 * chunkBytes)

      expect(await page.evaluate("localStorage.getItem('holdfast-uploads')")).toBe("{}")
      const found = [...seen, String(storage), await page.content(), JSON.stringify(await context.storageState())]
      expect(found.some((one) => one.includes("hfu_"))).toBe(true)
      expect(found.filter((one) => apiKey.test(one))).toEqual([])
      expect([storage].filter((one) => String(one).includes("hfu_"))).toEqual([])
    }
  )
})
