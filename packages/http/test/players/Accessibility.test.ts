/**
 * What a page is to those who listen to it, or have no pointer: roles, names, and the order of the focus.
 */
import * as Requires from "@holdfast/testing/Requires"
import { createServer } from "node:http"
import { expect, it, onTestFinished } from "vitest"
import * as PlayerPage from "../../src/players/PlayerPage.ts"
import * as BrowserSetup from "./support/BrowserSetup.ts"
import * as PlayerServer from "./support/PlayerServer.ts"
import * as PlayerTab from "./support/PlayerTab.ts"

Requires.requires(BrowserSetup.missing).describe("a player page without a pointer", () => {
  const { context, open, server: stage } = BrowserSetup.use()

  const tree = ({ page }: Pick<PlayerTab.Opened, "page">) => page.locator("body").ariaSnapshot()

  /** What has the focus after each of so many steps. */
  const focused = async ({ page }: Pick<PlayerTab.Opened, "page">, steps: number): Promise<ReadonlyArray<string>> => {
    const found: Array<string> = []
    for (let step = 0; step < steps; step++) {
      await page.keyboard.press("Tab")
      found.push(await page.evaluate("document.activeElement.id || document.activeElement.tagName.toLowerCase()"))
    }
    return found
  }

  it("has a title, a heading, and a video of that name that is operated by keys", async () => {
    stage().state.title = "My <b>holidays</b> & more"
    const { noise, page } = await open("plain", "hls", "?muted")
    await PlayerTab.until(page, "video.readyState >= 2")
    expect(await page.title()).toBe("My <b>holidays</b> & more")
    expect(await page.evaluate("document.documentElement.lang")).toBe("en")
    expect(await page.getByRole("heading", { level: 1, name: "My <b>holidays</b> & more" }).count()).toBe(1)
    expect(await page.evaluate("video.getAttribute('aria-label')")).toBe("My <b>holidays</b> & more")
    expect(await tree({ page })).toMatch(/- main:\n {2}- heading "My <b>holidays<\/b> & more" \[level=1\]/)
    expect((await focused({ page }, 1))[0]).toBe("video")
    await page.keyboard.press("Space")
    await PlayerTab.until(page, "!video.paused")
    expect(noise).toEqual([])
  })

  it("tells what it waits for in a status, and shows progress with a name", async () => {
    stage().state.status = PlayerServer.running(0.25)
    const { page } = await open("plain", "dash", "")
    await PlayerTab.says(page, "Converting, 25 %")
    const said = await tree({ page })
    expect(said).toMatch(/- status: Converting/)
    expect(said).toMatch(/- progressbar "Conversion"/)
    // Nothing is there to be operated yet.
    expect(await focused({ page }, 1)).toEqual(["body"])
  })

  it("tells what is wrong in an alert, with one button", async () => {
    stage().state.status = { code: 404 }
    const { page } = await open("plain", "hls", "")
    await PlayerTab.says(page, "This video is not there, or not there any more.")
    const said = await tree({ page })
    expect(said).toMatch(/- alert: This video is not there, or not there any more\./)
    expect(said).toMatch(/- button "Try again"/)
    expect(await focused({ page }, 1)).toEqual(["again"])
    stage().state.status = PlayerServer.ready
    await page.keyboard.press("Enter")
    await PlayerTab.until(page, "video.readyState >= 2")
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0)
  })

  it("has a button where the browser shows no controls", async () => {
    const { page } = await open("plain", "hls", "?controls=0")
    await page.getByRole("button", { name: "Play" }).waitFor()
    expect(await focused({ page }, 1)).toEqual(["play"])
    expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid")
  })

  it("says in a page of its own why there is no player", async () => {
    const { headers, html } = PlayerPage.renderProblem({
      status: 503,
      frameAncestors: "*",
      assetsBase: `${stage().url}/api/v1/players/`
    })
    const server = createServer((_, response) => void response.writeHead(503, headers).end(html))
    const url = await PlayerServer.listen(server)
    onTestFinished(() => void server.close())
    const page = await context().newPage()
    await page.goto(url)
    const said = await tree({ page })
    expect(said).toMatch(/- heading "Not available for the moment" \[level=1\]/)
    expect(said).toMatch(/- alert: The server cannot answer right now\./)
    expect(said).toMatch(/- link "Try again"/)
    expect(await focused({ page }, 1)).toEqual(["a"])
  })
})
