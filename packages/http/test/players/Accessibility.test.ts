/**
 * Accessibility of the pages: roles, names and the order of the keyboard focus.
 */
import * as Requires from "@holdfast/testing/Requires"
import axe from "axe-core"
import { createServer } from "node:http"
import { expect, it, onTestFinished } from "vitest"
import * as ProblemPage from "../../src/players/ProblemPage.ts"
import * as BrowserSetup from "./support/BrowserSetup.ts"
import * as PlayerServer from "./support/PlayerServer.ts"
import * as PlayerTab from "./support/PlayerTab.ts"

Requires.requires(BrowserSetup.missing).describe("accessibility", () => {
  const { context, open, server } = BrowserSetup.use()

  const ariaTree = ({ page }: Pick<PlayerTab.Opened, "page">) => page.locator("body").ariaSnapshot()

  /** Returns the focused element after each of a number of Tab keys. */
  const focused = async ({ page }: Pick<PlayerTab.Opened, "page">, steps: number): Promise<ReadonlyArray<string>> => {
    const found: Array<string> = []
    for (let step = 0; step < steps; step++) {
      await page.keyboard.press("Tab")
      found.push(await page.evaluate("document.activeElement.id || document.activeElement.tagName.toLowerCase()"))
    }
    return found
  }

  it("stream is READY → title, heading and video with the file's name; the controls are in order", async () => {
    server().state.title = "My <b>holidays</b> & more"
    const { messages, page } = await open("plain", "hls", "?muted")
    await PlayerTab.until(page, "video.readyState >= 2")
    expect(await page.title()).toBe("My <b>holidays</b> & more")
    expect(await page.evaluate("document.documentElement.lang")).toBe("en")
    expect(await page.getByRole("heading", { level: 1, name: "My <b>holidays</b> & more" }).count()).toBe(1)
    expect(await page.evaluate("video.getAttribute('aria-label')")).toBe("My <b>holidays</b> & more")
    expect(await ariaTree({ page })).toMatch(/- main:\n {2}- heading "My <b>holidays<\/b> & more" \[level=1\]/)
    expect(await focused({ page }, 7)).toEqual([
      "seek",
      "toggle",
      "mute",
      "volume",
      "settings-button",
      "pip",
      "fullscreen"
    ])
    await page.getByRole("button", { name: "Play", exact: true }).press("Space")
    await PlayerTab.until(page, "!video.paused")
    await page.getByRole("button", { name: "Pause", exact: true }).waitFor()
    expect(messages).toEqual([])
  })

  it("conversion is running → status message and named progress bar", async () => {
    server().state.status = PlayerServer.running(0.25)
    const { page } = await open("plain", "dash", "")
    await PlayerTab.shows(page, "Converting, 25 %")
    const snapshot = await ariaTree({ page })
    expect(snapshot).toMatch(/- status: Converting/)
    expect(snapshot).toMatch(/- progressbar "Conversion"/)
    // There is nothing to operate yet.
    expect(await focused({ page }, 1)).toEqual(["body"])
  })

  it("stream is missing → alert with one button", async () => {
    server().state.status = { code: 404 }
    const { page } = await open("plain", "hls", "")
    await PlayerTab.shows(page, "This video does not exist, or was removed.")
    const snapshot = await ariaTree({ page })
    expect(snapshot).toMatch(/- alert: This video does not exist, or was removed\./)
    expect(snapshot).toMatch(/- button "Try again"/)
    expect(await focused({ page }, 1)).toEqual(["again"])
    server().state.status = PlayerServer.ready
    await page.keyboard.press("Enter")
    await PlayerTab.until(page, "video.readyState >= 2")
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0)
  })

  it("controls=0 → focusable Play button", async () => {
    const { page } = await open("plain", "hls", "?controls=0")
    await page.getByRole("button", { name: "Play" }).waitFor()
    expect(await focused({ page }, 1)).toEqual(["play"])
    expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid")
  })

  it("controls and settings, in light and dark → no violation that axe finds", async () => {
    const { page } = await open("languages", "hls", "?muted")
    await PlayerTab.openSettings(page)
    await page.getByRole("combobox", { name: "Captions" }).waitFor()
    await page.evaluate(axe.source)
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme })
      // No rule about the sound of the video needs its bytes, which axe would load first.
      const found: string = await page.evaluate(
        "axe.run({ preload: false }).then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])))"
      )
      expect(found, colorScheme).toBe("[]")
    }
  })

  it("problem page → heading, alert and link", async () => {
    const { headers, html } = ProblemPage.render({
      status: 503,
      frameAncestors: "*",
      assetsBase: `${server().url}/api/v1/players/`
    })
    const problemServer = createServer((_, response) => void response.writeHead(503, headers).end(html))
    const url = await PlayerServer.listen(problemServer)
    onTestFinished(() => void problemServer.close())
    const page = await context().newPage()
    await page.goto(url)
    const snapshot = await ariaTree({ page })
    expect(snapshot).toMatch(/- heading "Not available for the moment" \[level=1\]/)
    expect(snapshot).toMatch(/- alert: The server cannot respond right now\./)
    expect(snapshot).toMatch(/- link "Try again"/)
    expect(await focused({ page }, 1)).toEqual(["a"])
  })
})
