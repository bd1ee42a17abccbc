/**
 * The form of a share that takes uploads, in Chromium: connections that end, refusals, drops, and the window.
 */
import * as Browser from "@holdfast/testing/Browser"
import * as Requires from "@holdfast/testing/Requires"
import axe from "axe-core"
import * as Fs from "node:fs/promises"
import * as Os from "node:os"
import * as Path from "node:path"
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest"
import { json } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"
import * as CutLine from "../uploads/cuts/CutLine.ts"

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

  /** Sets rules for the contents of the bucket, until the test ends. */
  const limit = async (rules: object) => {
    const set = (change: object) => server.patch(base, { json: change })
    onTestFinished(async () => void (await set({ maxFileBytes: null, allowedTypes: null })))
    expect((await set(rules)).status).toBe(200)
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

  /** Counts the requests that create an upload. */
  const countCreations = (page: Page) => {
    let count = 0
    page.on(
      "request",
      (request) => void (count += request.method() === "POST" && request.url().includes("/files/uploads?") ? 1 : 0)
    )
    return () => count
  }

  const list = async (path: string) =>
    (
      await json<{
        readonly items: ReadonlyArray<{ readonly id: string; readonly name: string; readonly path: string }>
      }>(await server.get(`${base}${path}`))
    ).items

  it("line is cut twice → continues where it stopped; few bytes are sent again, one file has all bytes", async () => {
    const share = await create({ path: "/cut/" })
    const bytes = Buffer.from(Uint32Array.from({ length: 10_000_000 }, (_, index) => index).buffer)
    const line = await CutLine.start({
      target: () => server.url,
      faults: CutLine.distribute(bytes.length, 2, 0),
      kill: () => Promise.resolve(),
      respond: () => false
    })
    const page = await open(share, { origin: line.url })
    const directory = await Fs.mkdtemp(Path.join(Os.tmpdir(), "holdfast-upload-"))
    onTestFinished(() => Fs.rm(directory, { recursive: true }))
    await Fs.writeFile(Path.join(directory, "film.bin"), bytes)
    await page.getByLabel("Files to upload").setInputFiles(Path.join(directory, "film.bin"))
    await shows(page, "1 of 1 files uploaded.")
    expect(line.faults()).toHaveLength(2)
    expect(line.passed()).toBeLessThan(1.5 * bytes.length)
    const files = await list("/files?path=/cut/")
    expect(files.map(({ name }) => name)).toEqual(["film.bin"])
    const content = await server.get(`${base}/files/${files[0]?.id}/view`)
    expect(bytes.equals(Buffer.from(await content.arrayBuffer()))).toBe(true)
    expect(await countOf(share)).toBe(1)
  })

  it("answers of the service are lost → the file is stored once", async () => {
    const share = await create()
    const page = await open(share)
    const lost: Array<string> = []
    await page.route("**/files/uploads**", async (route) => {
      const method = route.request().method()
      if (lost.includes(method)) return route.continue()
      lost.push(method)
      await route.fetch()
      await route.abort("connectionreset")
    })
    await choose(page, fileOf("a.txt", 10))
    await shows(page, "1 of 1 files uploaded.")
    expect(lost).toEqual(["POST", "PATCH", "HEAD"])
    expect(await countOf(share)).toBe(1)
  })

  it("upload has ended meanwhile, link has expired → the file is sent anew, with another link", async () => {
    const share = await create()
    const page = await open(share)
    const links: Array<string> = []
    page.on("request", (request) => void (request.url().endsWith("/upload-links") && links.push(request.url())))
    let appends = 0
    await page.route("**/files/uploads/**", async (route) => {
      if (route.request().method() !== "PATCH" || ++appends > 2) return route.continue()
      if (appends === 1) return route.fulfill({ status: 401, json: { code: "unauthenticated" } })
      await server.delete(`${base}/files/uploads/${new URL(route.request().url()).pathname.split("/").at(-1)}`)
      return route.continue()
    })
    await choose(page, fileOf("a.txt", 10), fileOf("b.txt", 10))
    await shows(page, "2 of 2 files uploaded.")
    expect([appends, links.length]).toEqual([4, 2])
    expect(await countOf(share)).toBe(2)
  })

  it("page is left during an upload → the upload ends, and the share has its room again", async () => {
    const share = await create({ path: "/left/", maxBytes: 10 })
    const page = await open(share)
    const appended = new Promise<void>(
      (resolve) =>
        void page.route("**/files/uploads/**", (route) => {
          if (route.request().method() !== "PATCH") return route.continue()
          return resolve()
        })
    )
    await choose(page, fileOf("a.txt", 10))
    await appended
    const isOpen = async () => (await list("/files/uploads")).some(({ path }) => path === "/left/")
    expect(await isOpen()).toBe(true)
    await page.goto("about:blank")
    await expect.poll(isOpen).toBe(false)
    const other = await open(share)
    await choose(other, fileOf("b.txt", 10))
    await shows(other, "1 of 1 files uploaded.")
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
    const creations = countCreations(page)
    await page.route("**/files/uploads?**", (route) => route.abort("connectionreset"))
    await choose(page, fileOf("a.txt", 10))
    await expect
      .poll(() => page.clock.runFor(1000).then(() => page.locator("#status").innerText()), { timeout: 20_000 })
      .toBe("0 of 1 files uploaded.")
    await shows(page, "Not uploaded: The connection was lost.")
    expect(creations()).toBe(5)
    await page.evaluate(axe.source)
    expect(await page.evaluate("axe.run().then(({ violations }) => violations.map(({ id }) => id))")).toEqual([])
    await page.unroute("**/files/uploads?**")
    await page.getByRole("button", { name: "Try again: a.txt" }).press("Enter")
    await shows(page, "1 of 1 files uploaded.")
    expect(await page.getByRole("listitem").allInnerTexts()).toEqual([expect.stringMatching(/a\.txt\s+Uploaded/)])
    await page.locator("li:focus").waitFor()
    expect(await countOf(share)).toBe(1)
  })

  it("answer has Retry-After → waits as long; more than a minute → said at once", async () => {
    const page = await open(await create())
    await page.clock.install()
    const creations = countCreations(page)
    let retryAfter = "40"
    await page.route("**/files/uploads?**", (route) =>
      route.fulfill({ status: 429, headers: { "retry-after": retryAfter }, json: { code: "rate_limited" } })
    )
    await choose(page, fileOf("a.txt", 10))
    await shows(page, "Trying again…")
    await page.clock.runFor(39_000)
    expect(creations()).toBe(1)
    retryAfter = "61"
    await page.clock.runFor(1000)
    await shows(page, "Not uploaded: The service cannot store the file right now.")
    expect(creations()).toBe(2)
    expect(await page.getByRole("button", { name: "Try again: a.txt" }).count()).toBe(1)
  })

  it.each([
    { terms: { maxBytes: 5 }, says: "The share has no room for a file of this size.", canRetry: true },
    { terms: { maxFiles: 1 }, says: "The share takes no further files.", canRetry: true, isSecond: true },
    { terms: {}, says: "The name of the file is not accepted.", name: `${"n".repeat(300)}.txt` },
    { terms: {}, says: "The file is too large for this share.", maxFileBytes: 5 },
    { terms: {}, says: "The share does not accept files of this type.", allowedTypes: ["image/*"] },
    { terms: {}, says: "The share does not accept files of this type.", allowedTypes: ["image/*"], mimeType: "" },
    { terms: {}, says: "The share has ended", isRemoved: true }
  ])("refusal “$says” → one attempt", async ({ terms, says, ...the }) => {
    const { allowedTypes, canRetry = false, isRemoved = false, isSecond = false, maxFileBytes, name = "a.txt" } = the
    const share = await create(terms)
    const page = await open(share)
    if (isSecond) {
      await choose(page, fileOf("first.txt", 1))
      await shows(page, "1 of 1 files uploaded.")
    }
    if (maxFileBytes !== undefined || allowedTypes !== undefined) await limit({ maxFileBytes, allowedTypes })
    if (isRemoved) await server.delete(`${base}/shares/${share.id}`)
    const creations = countCreations(page)
    await choose(page, { ...fileOf(name, 10), ...("mimeType" in the ? { mimeType: the.mimeType } : {}) })
    await shows(page, `Not uploaded: ${says}`)
    await shows(page, "0 of 1 files uploaded.")
    expect(creations()).toBe(isRemoved ? 0 : 1)
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
    await page.route("**/files/uploads?**", (route) => released.then(() => route.continue()))
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
    await page.route("**/files/uploads?**", (route) =>
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
