/**
 * The form of a share that takes uploads, in Chromium: connections that end, refusals, drops, and the window.
 */
import * as Browser from "@holdfast/testing/Browser"
import * as Requires from "@holdfast/testing/Requires"
import * as TcpProxy from "@holdfast/testing/servers/TcpProxy"
import axe from "axe-core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest"
import { json } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

type Chromium = Awaited<ReturnType<typeof Browser.launch>>
type Page = Awaited<ReturnType<Chromium["newPage"]>>

interface Share {
  readonly id: string
  readonly url: string
}

vi.setConfig({ testTimeout: 60_000 })

const fileOf = (name: string, bytes: number) => ({ name, mimeType: "text/plain", buffer: Buffer.alloc(bytes, 7) })

Requires.requires(Browser.missing).describe("uploads to a share", () => {
  let server: TestServer.TestServer
  let chromium: Chromium
  let base: string

  beforeAll(async () => {
    server = await TestServer.start()
    chromium = await Browser.launch()
    const bucket = await server.makeBucket()
    base = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}`
  }, 60_000)
  afterAll(async () => {
    await chromium?.close()
    await server.close()
  })

  const create = async (input: object = {}) => {
    const answer = await server.post(`${base}/shares`, {
      json: { name: "Inbox", path: "/in/", may: ["upload"], ...input }
    })
    expect(answer.status, await answer.clone().text()).toBe(201)
    return json<Share>(answer)
  }

  /** Limits the bytes of a file in the bucket, until the test ends. */
  const limit = async (maxFileBytes: number) => {
    const set = (value: number | null) => server.patch(base, { json: { maxFileBytes: value } })
    onTestFinished(async () => void (await set(null)))
    expect((await set(maxFileBytes)).status).toBe(200)
  }

  const open = async (share: Share, { origin = server.url, width = 1000 } = {}) => {
    const context = await chromium.newContext({ bypassCSP: true, viewport: { width, height: 640 } })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    await page.goto(`${origin}${share.url}`)
    await page.getByLabel("Files to upload").waitFor()
    return page
  }

  const choose = (page: Page, ...files: ReadonlyArray<ReturnType<typeof fileOf>>) =>
    page.getByLabel("Files to upload").setInputFiles([...files])

  const shows = (page: Page, text: string) => page.getByText(text).first().waitFor()

  const countOf = async ({ id }: Share) =>
    (await json<{ readonly uploadedFiles: number }>(await server.get(`${base}/shares/${id}`))).uploadedFiles

  /** Counts the requests that send a file. */
  const countPuts = (page: Page) => {
    let count = 0
    page.on("request", (request) => void (count += request.method() === "PUT" ? 1 : 0))
    return () => count
  }

  const openProxy = async () => {
    const scope = Scope.makeUnsafe()
    onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
    return Effect.runPromise(Scope.provide(TcpProxy.open(Number(new URL(server.url).port)), scope))
  }

  it("connection is cut four times → file is stored once, with another link for each attempt", async () => {
    const proxy = await openProxy()
    const share = await create()
    const page = await open(share, { origin: `http://127.0.0.1:${proxy.port}` })
    const links: Array<string> = []
    page.on("request", (request) => void (request.url().endsWith("/upload-links") && links.push(request.url())))
    const first = Effect.runPromise(proxy.cutAfter(1_000_000))
    await choose(page, fileOf("cut.bin", 4_000_000))
    await first
    await Effect.runPromise(proxy.cutAfter(1_000_000))
    await Effect.runPromise(proxy.cutAfter(1_000_000))
    await Effect.runPromise(proxy.cutAfter(1_000_000))
    await shows(page, "1 of 1 files uploaded.")
    expect(await countOf(share)).toBe(1)
    // Chromium itself sends a request once more when its connection ends.
    expect(links.length).toBeGreaterThan(1)
  })

  it("browser has no network → waits for it, however long, and stores the file", async () => {
    const share = await create()
    const page = await open(share)
    await page.clock.install()
    await page.context().setOffline(true)
    await choose(page, fileOf("offline.txt", 10))
    await shows(page, "Waiting for the network…")
    await page.clock.runFor("10:00:00")
    await shows(page, "Waiting for the network…")
    await page.context().setOffline(false)
    await expect
      .poll(() => page.clock.runFor(1000).then(() => page.locator("#status").innerText()), { timeout: 20_000 })
      .toBe("1 of 1 files uploaded.")
    expect(await countOf(share)).toBe(1)
  })

  it("five attempts fail → said; Try again → stored, and the focus stays with the file", async () => {
    const share = await create()
    const page = await open(share)
    await page.clock.install()
    const puts = countPuts(page)
    await page.route("**/files/upload?**", (route) => route.abort("connectionreset"))
    await choose(page, fileOf("a.txt", 10))
    await expect
      .poll(() => page.clock.runFor(1000).then(() => page.locator("#status").innerText()), { timeout: 20_000 })
      .toBe("0 of 1 files uploaded.")
    await shows(page, "Not uploaded: The connection was lost.")
    expect(puts()).toBe(5)
    await page.evaluate(axe.source)
    expect(await page.evaluate("axe.run().then(({ violations }) => violations.map(({ id }) => id))")).toEqual([])
    await page.unroute("**/files/upload?**")
    await page.getByRole("button", { name: "Try again: a.txt" }).press("Enter")
    await shows(page, "1 of 1 files uploaded.")
    expect(await page.getByRole("listitem").allInnerTexts()).toEqual([expect.stringMatching(/a\.txt\s+Uploaded/)])
    await page.locator("li:focus").waitFor()
    expect(await countOf(share)).toBe(1)
  })

  it("answer has Retry-After → waits as long; more than a minute → said at once", async () => {
    const page = await open(await create())
    await page.clock.install()
    const puts = countPuts(page)
    let retryAfter = "40"
    await page.route("**/files/upload?**", (route) =>
      route.fulfill({ status: 429, headers: { "retry-after": retryAfter }, json: { code: "rate_limited" } })
    )
    await choose(page, fileOf("a.txt", 10))
    await shows(page, "Trying again…")
    await page.clock.runFor(39_000)
    expect(puts()).toBe(1)
    retryAfter = "61"
    await page.clock.runFor(1000)
    await shows(page, "Not uploaded: The service cannot store the file right now.")
    expect(puts()).toBe(2)
    expect(await page.getByRole("button", { name: "Try again: a.txt" }).count()).toBe(1)
  })

  it.each([
    { terms: { maxBytes: 5 }, says: "The share has no room for this file.", canRetry: true },
    { terms: { maxBytes: 5 }, says: "The share has no room for this file.", canRetry: true, bytes: 4_000_000 },
    { terms: { maxFiles: 1 }, says: "The share has no room for this file.", canRetry: true, isSecond: true },
    { terms: {}, says: "The name of the file is not accepted.", name: `${"n".repeat(300)}.txt` },
    { terms: {}, says: "The file is too large for this share.", maxFileBytes: 5 },
    { terms: {}, says: "The file is too large for this share.", maxFileBytes: 5, bytes: 4_000_000 },
    { terms: {}, says: "The share has ended", isRemoved: true }
  ])("refusal “$says” → one attempt", async ({ terms, says, ...the }) => {
    const { bytes = 10, canRetry = false, isRemoved = false, isSecond = false, maxFileBytes, name = "a.txt" } = the
    const share = await create(terms)
    const page = await open(share)
    if (isSecond) {
      await choose(page, fileOf("first.txt", 1))
      await shows(page, "1 of 1 files uploaded.")
    }
    if (maxFileBytes !== undefined) await limit(maxFileBytes)
    if (isRemoved) await server.delete(`${base}/shares/${share.id}`)
    const puts = countPuts(page)
    await choose(page, fileOf(name, bytes))
    await shows(page, `Not uploaded: ${says}`)
    await shows(page, "0 of 1 files uploaded.")
    expect(puts()).toBe(isRemoved ? 0 : 1)
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(canRetry ? 1 : 0)
  })

  it("file is dropped beside the box → uploaded, and the page stays", async () => {
    const share = await create()
    const page = await open(share)
    const isPrevented = await page.evaluate(`(() => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(["dropped"], "dropped.txt", { type: "text/plain" }))
      return ["dragover", "drop"].map((type) =>
        !document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer })))
    })()`)
    expect(isPrevented).toEqual([true, true])
    await shows(page, "1 of 1 files uploaded.")
    expect(await countOf(share)).toBe(1)
  })

  it("page is left while files are sent → the browser asks; afterwards → it does not", async () => {
    const page = await open(await create())
    const dialogs: Array<string> = []
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.type())
      void dialog.dismiss()
    })
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.route("**/files/upload?**", (route) => released.then(() => route.continue()))
    await choose(page, fileOf("a.txt", 10), fileOf("b.txt", 10))
    // Browsers ask only in a page that a person has used.
    await page.getByRole("heading").click()
    await page.close({ runBeforeUnload: true })
    await expect.poll(() => dialogs).toEqual(["beforeunload"])
    release()
    await shows(page, "2 of 2 files uploaded.")
    const closed = page.waitForEvent("close")
    await page.close({ runBeforeUnload: true })
    await closed
    expect(dialogs).toEqual(["beforeunload"])
  })

  it("window of 320 pixels, long name → nothing is wider; targets have 44 pixels", async () => {
    const page = await open(await create(), { width: 320 })
    await page.clock.install()
    await page.route("**/files/upload?**", (route) =>
      route.fulfill({ status: 503, headers: { "retry-after": "100" }, json: { code: "unavailable" } })
    )
    await choose(page, fileOf(`a-rather-long-name-${"of-a-film-".repeat(10)}.bin`, 10))
    await page.getByRole("button", { name: "Try again" }).waitFor()
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320)
    const heights = await page.evaluate<ReadonlyArray<number>>(
      "[...document.querySelectorAll('button, input')].map((target) => target.getBoundingClientRect().height)"
    )
    expect(heights).toHaveLength(2)
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(44)
  })
})
