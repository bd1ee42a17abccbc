/**
 * The page of a share of a folder with thousands of files, in Chromium: what is in the document, by scrolling and by keyboard.
 */
import * as SqliteMetadata from "@holdfast/sqlite/SqliteMetadata"
import * as Browser from "@holdfast/testing/Browser"
import * as Requires from "@holdfast/testing/Requires"
import axe from "axe-core"
import * as Fs from "node:fs/promises"
import * as Os from "node:os"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest"
import { json } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

type Chromium = Awaited<ReturnType<typeof Browser.launch>>

const total = 5000

/** Far fewer than the files: those near the window, and one part with the focus. */
const mostRows = 1200

/** Scrolls to the end until the page shows a position. Returns the most rows that were in the document at once. */
const scrollUntil = (position: number) => `(async () => {
  let most = 0
  const count = () => document.querySelectorAll("[role=listitem]").length
  while (document.querySelector('[aria-posinset="${position}"]') === null) {
    scrollTo(0, document.body.scrollHeight)
    most = Math.max(most, count())
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
  return most
})()`

Requires.requires(Browser.missing).describe("page of a share of a long folder", () => {
  let server: TestServer.TestServer
  let chromium: Chromium
  let directory: string
  let share: { readonly url: string }

  beforeAll(async () => {
    directory = await Fs.mkdtemp(Path.join(Os.tmpdir(), "holdfast-long-share-"))
    const file = Path.join(directory, "holdfast.db")
    server = await TestServer.start({ metadata: SqliteMetadata.layer({ file }) })
    chromium = await Browser.launch()
    const { bucketId, tenantId } = await server.makeBucket()
    await server.makeFile({ bucketId, tenantId }, "first", { name: "file 0000.txt", path: "/many/" })
    using database = new DatabaseSync(file, { timeout: 20_000 })
    database
      .prepare(
        `WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ?)
        INSERT INTO file (id, tenant_id, bucket_id, path, name, version, metadata, headers, created_at, updated_at, blob_id, size,
          sha256, etag, content_type, type, stored_at)
        SELECT 'fil_' || n, ?, ?, '/many/', printf('file %04d.txt', n), 1, '{}', '[]', 0, 0, 'blb_' || n, 1, 'x', 'x', 'text/plain',
          'OTHER', 0 FROM s`
      )
      .run(total - 1, tenantId, bucketId)
    const path = `/tenants/${tenantId}/buckets/${bucketId}/shares`
    share = await json(await server.post(path, { json: { name: "Many", path: "/many/" } }))
  }, 60_000)
  afterAll(async () => {
    await chromium?.close()
    await server.close()
    await Fs.rm(directory, { recursive: true })
  })

  const open = async () => {
    const context = await chromium.newContext({ bypassCSP: true })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    await page.goto(`${server.url}${share.url}`)
    await page.getByText("file 0000.txt").waitFor()
    return page
  }

  it("scrolled to the end and back → every file at its position, few rows in the document, nothing that axe finds", async () => {
    const page = await open()
    expect(await page.evaluate(scrollUntil(total))).toBeLessThan(mostRows)
    const last = page.locator(`[aria-posinset="${total}"]`)
    expect(await last.textContent()).toContain("file 4999.txt")
    expect(await last.getAttribute("aria-setsize")).toBe(String(total))
    expect(await page.getByRole("button", { name: "Show more" }).count()).toBe(0)
    await page.evaluate("scrollTo(0, document.body.scrollHeight / 2)")
    await page.getByText("file 2500.txt").waitFor()
    await page.evaluate(axe.source)
    const found = "axe.run().then(({ violations }) => JSON.stringify(violations.map(({ id }) => id)))"
    expect(await page.evaluate(found)).toBe("[]")
    await page.evaluate("scrollTo(0, 0)")
    await page.locator('[aria-posinset="1"]').waitFor()
    expect(await page.locator("[role=listitem]").count()).toBeLessThan(mostRows)
    await page.getByRole("button", { name: "Show file 0000.txt" }).press("Enter")
    await page.getByText("first").waitFor()
  }, 60_000)

  it("keyboard → from the last file of a part to the first of the next; scrolled away → the focus stays", async () => {
    const page = await open()
    const nameOf = () => page.evaluate("document.activeElement.ariaLabel")
    await page.getByRole("link", { name: "Download file 0199.txt" }).focus()
    await page.getByText("file 0200.txt").waitFor()
    await page.keyboard.press("Tab")
    expect(await nameOf()).toBe("Show file 0200.txt")
    await page.evaluate(scrollUntil(1000))
    expect(await nameOf()).toBe("Show file 0200.txt")
    await page.keyboard.press("Tab")
    expect(await nameOf()).toBe("Download file 0200.txt")
  }, 60_000)

  it("next page cannot be loaded → said, and the files remain; Show more → the first new file has the focus", async () => {
    const page = await open()
    await page.route("**/files?*", (route) => route.abort())
    await page.evaluate("scrollTo(0, document.body.scrollHeight)")
    await page.getByText("More files could not be loaded.").waitFor()
    const shown = await page.evaluate("document.querySelector('[role=list]').lastChild.lastChild.ariaPosInSet")
    await page.unroute("**/files?*")
    await page.getByRole("button", { name: "Show more" }).press("Enter")
    const next = page.getByRole("button", { name: `Show file ${String(shown).padStart(4, "0")}.txt` })
    await next.waitFor()
    await page.waitForFunction(`document.activeElement.ariaLabel === "Show file ${String(shown).padStart(4, "0")}.txt"`)
  }, 60_000)
})
