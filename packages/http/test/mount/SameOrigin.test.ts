/**
 * Requests by a session of the host that pages of other origins make (cross-site request forgery).
 */
import * as Browser from "@holdfast/testing/Browser"
import * as Requires from "@holdfast/testing/Requires"
import { createServer, type RequestListener } from "node:http"
import { describe, expect, it, onTestFinished } from "vitest"
import { toNodeListener } from "../../src/index.ts"
import { expectProblem } from "../support/Problems.ts"
import * as MountedHoldfast from "./MountedHoldfast.ts"
import { bySession, cookie, hosts } from "./SessionHosts.ts"

const json = { "content-type": "application/json" }

describe.each(Object.entries(hosts))("%s: request by a session", (_, mount) => {
  const setUp = async () => {
    const opened = await MountedHoldfast.openHoldfast()
    const url = await mount(opened)
    const api = MountedHoldfast.requests(url, opened)
    const host = new URL(url).host
    const remove = (headers: Readonly<Record<string, string>>, key: string | null = null) =>
      api.delete(`${opened.files}/unknown`, { key, headers: { cookie, ...headers } })
    return { ...opened, api, host, remove }
  }

  it("origin of another site, another port or none at all → 403, also for forms and removals", async () => {
    const { api, files, remove } = await setUp()
    const foreign: ReadonlyArray<Readonly<Record<string, string>>> = [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
      { origin: "https://evil.example" },
      { origin: "http://127.0.0.1:1" },
      { origin: "null" }
    ]
    for (const headers of foreign) {
      await expectProblem(await remove({ ...json, ...headers }), 403, "forbidden")
      const form = { ...headers, cookie, "content-type": "multipart/form-data; boundary=b" }
      await expectProblem(await api.post(`${files}/upload`, { key: null, headers: form }), 403, "forbidden")
      const problem = await expectProblem(
        await api.post(`${files}/unknown/streams/hls`, { key: null, headers: { cookie, ...headers } }),
        403,
        "forbidden"
      )
      expect(problem.detail).toMatch(/page of another origin/)
    }
  })

  it("own or trusted origin → handled", async () => {
    const { host, remove } = await setUp()
    const own: ReadonlyArray<Readonly<Record<string, string>>> = [
      { "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "none" },
      { origin: `http://${host}` },
      { "sec-fetch-site": "cross-site", origin: "https://app.example.com" }
    ]
    for (const headers of own) await expectProblem(await remove(headers), 404, "not_found")
  })

  it("no origin → 400 without a Content-Type, handled with one or with X-Requested-With", async () => {
    const { remove } = await setUp()
    const problem = await expectProblem(await remove({}), 400, "invalid_request")
    expect(problem.detail).toMatch(/Content-Type/)
    await expectProblem(await remove(json), 404, "not_found")
    await expectProblem(await remove({ "x-requested-with": "script" }), 404, "not_found")
  })

  it("request that changes nothing → handled from any origin", async () => {
    const { api, files } = await setUp()
    const headers = { cookie, "sec-fetch-site": "cross-site", origin: "https://evil.example" }
    expect((await api.get(files, { key: null, headers })).status).toBe(200)
  })

  it("request with an API key and no session → handled from any origin", async () => {
    const { key, remove } = await setUp()
    const headers = { cookie: "", "sec-fetch-site": "cross-site", origin: "https://evil.example" }
    await expectProblem(await remove(headers, key), 404, "not_found")
  })
})

Requires.requires(Browser.missing).describe("Chromium", () => {
  it("form of another origin → 403; form of the own origin → file", { timeout: 60_000 }, async () => {
    const opened = await MountedHoldfast.openHoldfast()
    const session = bySession(opened)
    const api = toNodeListener(opened.holdfast, { authenticate: ({ headers }) => session(headers.cookie) })
    const upload = `/api/v1${opened.files}/upload`
    const page = (action: string, name: string) =>
      `<!doctype html><form method="post" enctype="multipart/form-data" action="${action}">` +
      `<input name="body" value='{"name":"${name}"}'><input name="file" value="x"></form>`
    const host: RequestListener = (request, response) => {
      if (request.url !== "/") return api(request, response)
      response.writeHead(200, { "content-type": "text/html", "set-cookie": `${cookie}; SameSite=Lax` })
      response.end(page(upload, "own.txt"))
    }
    const url = await MountedHoldfast.urlOf(createServer(host).listen(0, "127.0.0.1"))
    // Another port of the same host: the same site, so that the browser adds the cookie.
    const foreign = await MountedHoldfast.serve((_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end(page(`${url}${upload}`, "evil.txt"))
    })
    const browser = await Browser.launch()
    onTestFinished(() => browser.close())
    const tab = await browser.newPage()
    const submit = async (from: string) => {
      await tab.goto(from)
      // The navigation has to end before the next one begins.
      const [answer] = await Promise.all([
        tab.waitForResponse((response) => response.url().endsWith("/upload")),
        tab.waitForURL((shown) => shown.pathname.endsWith("/upload")),
        tab.evaluate("document.forms[0].submit()")
      ])
      return answer.status()
    }
    expect(await submit(url)).toBe(201)
    expect(await submit(foreign)).toBe(403)
    const { items } = await opened.holdfast.files.list(opened.root, opened.ref)
    expect(items.map(({ name }) => name)).toEqual(["own.txt"])
  })
})
