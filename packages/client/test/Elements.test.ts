/**
 * The elements and the hooks in Chromium, against a backend that stores files with the library.
 */
import { open } from "@holdfast/core"
import * as Browser from "@holdfast/testing/Browser"
import { inMemory } from "@holdfast/testing/InMemory"
import * as Requires from "@holdfast/testing/Requires"
import { build } from "esbuild"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import * as Path from "node:path"
import { text } from "node:stream/consumers"
import { assert, expect, it, onTestFinished } from "vitest"

const html = `<!doctype html><html lang="en"><title>Uploads</title>
<holdfast-upload endpoint="/addresses" multiple></holdfast-upload>
<holdfast-player src="/player" title="Our holidays"></holdfast-player>
<div id="root"></div><script type="module" src="/page.js"></script></html>`

/** Sends back each command, as if the player had obeyed. */
const player = `addEventListener("message", ({ data, source }) => {
  source.postMessage({ source: "holdfast-player", type: data.command, value: data.value }, "*")
})
parent.postMessage({ source: "other", type: "pause" }, "*")
parent.postMessage({ source: "holdfast-player", type: "ready" }, "*")`

/** What a page may load and run: nothing inline. */
const policy = "default-src 'self'"

const bundle = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [Path.join(import.meta.dirname, "page/Page.js")],
    bundle: true,
    format: "esm",
    platform: "browser",
    define: { "process.env.NODE_ENV": '"production"' },
    write: false,
    logLevel: "silent"
  })
  return outputFiles[0]?.text ?? ""
}

/** Starts the backend of a page. It answers the first request for each address with 503. */
const serve = async () => {
  const holdfast = await open(await inMemory())
  const system = holdfast.system()
  const account = holdfast.account("ada@example.com")
  const { id: tenantId } = await holdfast.tenants.create(account, { name: "Acme", subdomain: "acme" })
  const { id: bucketId } = await holdfast.buckets.create(account, { tenantId, name: "files" })
  const bucket = { tenantId, bucketId }
  const script = await bundle()
  const busy = new Set<string>()

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, route = "", name = ""] = (request.url ?? "").split("/")
    response.setHeader("content-security-policy", policy)
    switch (route) {
      case "":
        return void response.setHeader("content-type", "text/html").end(html)
      case "page.js":
        return void response.setHeader("content-type", "text/javascript").end(script)
      case "player":
        return void response
          .setHeader("content-type", "text/html")
          .end('<!doctype html><title>Player</title><script src="/player.js"></script>')
      case "player.js":
        return void response.setHeader("content-type", "text/javascript").end(player)
      case "addresses": {
        const file: { readonly name: string } = JSON.parse(await text(request))
        if (!busy.has(file.name)) {
          busy.add(file.name)
          return void response.writeHead(503).end()
        }
        return void response
          .setHeader("content-type", "application/json")
          .end(JSON.stringify({ url: `/incoming/${encodeURIComponent(file.name)}` }))
      }
      case "incoming": {
        const record = await holdfast.files.upload(system, { ...bucket, name, content: request })
        return void response.setHeader("content-type", "application/json").end(JSON.stringify(record))
      }
      default:
        return void response.writeHead(404).end()
    }
  }

  const server = createServer((request, response) => void respond(request, response))
  await once(server.listen(0, "127.0.0.1"), "listening")
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await holdfast.close()
  })
  const address = server.address()
  assert.isObject(address)
  const names = async () => (await holdfast.files.list(system, bucket)).items.map((item) => item.name)
  return { url: `http://127.0.0.1:${Object(address).port}`, names }
}

const file = (name: string, bytes: number) => ({ name, mimeType: "text/plain", buffer: Buffer.alloc(bytes, "x") })

Requires.requires(Browser.missing).describe("elements and hooks in Chromium", () => {
  it(
    "uploads and a player on a page with a strict policy → files are stored, states are shown",
    { timeout: 60_000 },
    async () => {
      const { names, url } = await serve()
      const browser = await Browser.launch()
      onTestFinished(() => browser.close())
      const page = await browser.newPage()
      const problems: Array<string> = []
      page.on("pageerror", (error) => problems.push(String(error)))
      page.on("console", (message) => {
        if (/Content Security Policy|Refused/i.test(message.text())) problems.push(message.text())
      })
      await page.goto(url)

      const completed = page.evaluate(
        `new Promise((resolve) => {
        const names = []
        document.addEventListener("holdfast-complete", ({ detail }) => {
          names.push(detail.result.name)
          if (names.length === 2) resolve(names)
        })
      })`
      )
      await page.locator("holdfast-upload input").setInputFiles([file("a.txt", 2_000_000), file("b.txt", 5)])
      expect(await completed).toEqual(expect.arrayContaining(["a.txt", "b.txt"]))
      await page.locator('holdfast-upload li[data-state="completed"]').nth(1).waitFor()
      expect(await page.locator("holdfast-upload progress").first().getAttribute("max")).toBe("2000000")

      await page.locator("#react input").setInputFiles(file("c.txt", 7))
      await page.getByText("c.txt: completed").waitFor()
      expect(await page.locator("#react output").textContent()).toBe("7 of 7")

      expect(await page.title()).toBe("Elements are defined")
      const frame = page.locator("holdfast-player iframe")
      expect(await frame.getAttribute("src")).toBe("/player")
      expect(await frame.getAttribute("title")).toBe("Our holidays")
      expect(await frame.getAttribute("referrerpolicy")).toBe("no-referrer")

      const received = await page.evaluate(`new Promise((resolve) => {
        const received = []
        const player = document.querySelector("holdfast-player")
        player.addEventListener("holdfast-player", ({ detail: { type, value } }) => {
          if (received.push([type, value]) === 5) resolve(received)
        })
        player.play()
        player.seek(7.5)
        player.setAttribute("accent", "red")
        player.setTheme("::part(bar) { color: blue }")
        postMessage({ source: "holdfast-player", type: "pause" }, "*")
      })`)
      expect(received).toEqual([
        ["play", undefined],
        ["seek", 7.5],
        ["accent", "red"],
        ["accent", "red"],
        ["theme", "::part(bar) { color: blue }"]
      ])

      // Another page in the frame is styled as soon as it has loaded.
      const styled = await page.evaluate(`new Promise((resolve) => {
        const received = []
        const player = document.querySelector("holdfast-player")
        player.addEventListener("holdfast-player", ({ detail: { type, value } }) => {
          if (type !== "ready" && received.push([type, value]) === 2) resolve(received)
        })
        player.setAttribute("src", "/player/other")
      })`)
      expect(styled).toEqual([
        ["accent", "red"],
        ["theme", "::part(bar) { color: blue }"]
      ])

      // Without a page in the frame, methods do nothing.
      await page.evaluate(`(() => {
        const player = document.querySelector("holdfast-player")
        player.removeAttribute("src")
        player.pause()
        player.remove()
      })()`)

      expect((await names()).toSorted()).toEqual(["a.txt", "b.txt", "c.txt"])
      expect(problems).toEqual([])
    }
  )
})
