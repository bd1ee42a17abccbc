/**
 * The client in Chromium.
 */
import * as Browser from "@holdfast/testing/Browser"
import * as Requires from "@holdfast/testing/Requires"
import { toNodeListener } from "@holdfast/http"
import { build } from "esbuild"
import { createServer } from "node:http"
import { expect, it, onTestFinished } from "vitest"
import * as Mounted from "../mount/MountedHoldfast.ts"

const bundle = async (): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents: 'export * from "@holdfast/http/client"', resolveDir: import.meta.dirname, loader: "ts" },
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
    logLevel: "silent"
  })
  return outputFiles[0]?.text ?? ""
}

/** Serves the API and a page with the client, on one origin. */
const serve = async () => {
  const opened = await Mounted.openHoldfast()
  const api = toNodeListener(opened.holdfast)
  const code = await bundle()
  const server = createServer((request, response) => {
    if (request.url === "/client.js") response.setHeader("content-type", "text/javascript").end(code)
    else if (request.url === "/") response.setHeader("content-type", "text/html").end("<!doctype html><title>x</title>")
    else api(request, response)
  })
  server.listen(0, "127.0.0.1")
  return { ...opened, url: await Mounted.urlOf(server) }
}

interface Outcome {
  readonly id: string
  readonly steps: ReadonlyArray<number>
  readonly text: string
  readonly code: string
}

/** The function that runs in the page. */
const program = `async ([apiKey, bucket]) => {
  const { createClient, HoldfastError } = await import("/client.js")
  const client = createClient({ url: location.origin, apiKey })
  const steps = []
  const content = new Blob(["x".repeat(3_000_000), "end"])
  const file = await client.files.upload(
    { ...bucket, name: "a.txt", content },
    { onProgress: ({ sent }) => steps.push(sent) }
  )
  const download = await client.files.read({ ...bucket, fileId: file.id, range: { offset: 2_999_999 } })
  const text = await download.text()
  const error = await client.files.get({ ...bucket, fileId: "@none" }).catch((caught) => caught)
  return { id: file.id, steps, text, code: error instanceof HoldfastError ? error.code : String(error) }
}`

Requires.requires(Browser.missing).describe("client in Chromium", () => {
  it(
    "upload with onProgress, range, unknown file → progress to the end, bytes, not_found",
    { timeout: 60_000 },
    async () => {
      const { key, ref, url } = await serve()
      const browser = await Browser.launch()
      onTestFinished(() => browser.close())
      const page = await browser.newPage()
      await page.goto(url)
      const outcome: Outcome = await page.evaluate(`(${program})(${JSON.stringify([key, ref])})`)
      expect(outcome).toMatchObject({ id: expect.stringMatching(/^fil_/), text: "xend", code: "not_found" })
      expect(outcome.steps.length).toBeGreaterThan(0)
      expect(outcome.steps.at(-1)).toBeGreaterThanOrEqual(3_000_003)
      expect(outcome.steps).toEqual(outcome.steps.toSorted((a, b) => a - b))
    }
  )
})
