/**
 * Contents in Chromium: none of them makes the browser send a request to another origin.
 */
import * as Browser from "@holdfast/testing/Browser"
import * as Requires from "@holdfast/testing/Requires"
import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest"
import * as Process from "../support/Process.ts"
import * as Samples from "../streams/support/Samples.ts"
import * as TestServer from "../support/TestServer.ts"
import * as Contents from "./support/Contents.ts"
import * as StoredHeaders from "./support/StoredHeaders.ts"

let server: TestServer.TestServer
beforeAll(async () => {
  server = await TestServer.start()
})
afterAll(() => server.close())

/** Listens until the test ends. Returns the origin. */
const listen = async (listener: RequestListener): Promise<string> => {
  const node = createServer(listener).listen(0, "127.0.0.1")
  await once(node, "listening")
  onTestFinished(() => {
    node.closeAllConnections()
    node.close()
  })
  const address = node.address()
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
}

/** Headers that make a browser send requests to an origin, with the address of the page where they can. */
const hostileHeaders = (origin: string, name: string): ReadonlyArray<{ name: string; value: string }> => {
  const links = ["preload", "prefetch", "modulepreload", "stylesheet", "preconnect", "icon"].map(
    (rel) => `<${origin}/${name}/${rel}>; rel=${rel}; as=image; referrerpolicy=unsafe-url`
  )
  return Object.entries({
    link: links.join(", "),
    refresh: `0; url=${origin}/${name}/refresh`,
    "speculation-rules": `"${origin}/${name}/rules.json"`,
    sourcemap: `${origin}/${name}/map`,
    "x-sourcemap": `${origin}/${name}/x-map`,
    nel: '{"report_to":"x","max_age":600,"success_fraction":1.0}',
    "report-to": `{"group":"x","max_age":600,"endpoints":[{"url":"${origin}/${name}/report"}]}`,
    "reporting-endpoints": `x="${origin}/${name}/reporting"`
  }).map(([name, value]) => ({ name, value }))
}

Requires.requires(Browser.missing).describe("content in Chromium", () => {
  it(
    "text, PNG and PDF with hostile headers, view and inline download → displayed, nothing arrives at another origin",
    { timeout: 120_000 },
    async () => {
      const arrived: Array<string> = []
      const third = await listen((request, response) => {
        arrived.push(`${request.url} ${request.headers.referer}`)
        response.setHeader("access-control-allow-origin", "*").end()
      })
      const bucket = await server.makeBucket()
      const browser = await Browser.launchChromium()
      onTestFinished(() => browser.close())
      const [page, blank] = [await browser.newPage(), await browser.newPage()]
      for (const [name, content] of Object.entries(Contents.all)) {
        const file = await server.makeFile(bucket, content, { name })
        const headers = hostileHeaders(third, name)
        const statuses = await StoredHeaders.set(server, bucket, file, [
          ...headers,
          { name: "content-disposition", value: "inline" }
        ])
        for (const way of ["view", "download"]) {
          const url = `${server.url}/api/v1${file.path}/${way}?apiKey=${server.rootKey}`
          await page.goto(url, { waitUntil: "networkidle" })
          if (name === "a.txt") expect(await page.textContent("body")).toBe("plain text")
          else await expect.poll(() => Contents.redPixels(blank, page)).toBeGreaterThan(10_000)
        }
        expect(statuses).toEqual([...headers.map(() => 400), 201])
      }
      // The same header from a server that sends it: the browser's request arrives, so it could have arrived before.
      const control = await listen((_, response) => {
        const [link] = hostileHeaders(third, "control")
        response
          .setHeader("link", link?.value ?? "")
          .setHeader("content-type", "text/plain")
          .end("control")
      })
      await page.goto(`${control}/?apiKey=${server.rootKey}`)
      await vi.waitFor(() => expect(arrived.join("\n")).toContain("/control/preload"), { timeout: 10_000 })
      expect(arrived.filter((request) => !request.startsWith("/control/"))).toEqual([])
    }
  )
})

Requires.requires(Requires.firstMissing(Browser.missing, Samples.missing)).describe("video in Chromium", () => {
  it("view → the browser plays it in a document of its own", { timeout: 60_000 }, async () => {
    const video = await Samples.make(await Process.makeDirectory(), "silent.mp4")
    const file = await server.makeFile(await server.makeBucket(), video, { name: "a.mp4" })
    const browser = await Browser.launch()
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    await page.goto(`${server.url}/api/v1${file.path}/view?apiKey=${server.rootKey}`, { waitUntil: "commit" })
    await vi.waitFor(
      async () => expect(await page.evaluate("document.querySelector('video')?.videoWidth")).toBeGreaterThan(0),
      { timeout: 20_000, interval: 50 }
    )
  })
})
