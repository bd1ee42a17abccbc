/**
 * What the player shows of sound alone.
 */
import * as Requires from "@holdfast/testing/Requires"
import axe from "axe-core"
import { execFileSync } from "node:child_process"
import { expect, it, onTestFinished } from "vitest"
import * as BrowserSetup from "./support/BrowserSetup.ts"
import * as PlayerServer from "./support/PlayerServer.ts"
import * as PlayerTab from "./support/PlayerTab.ts"

const title = "Episode 12: The lighthouse keeper's daughter.mp3"

Requires.requires(BrowserSetup.missing).describe("sound alone", () => {
  const { context, open, serve, server } = BrowserSetup.use()

  type Page = PlayerTab.Opened["page"]

  const openSound = async (query = "?muted") => {
    server().state.title = title
    const opened = await open("sound", "hls", query)
    await PlayerTab.until(opened.page, "video.readyState >= 2")
    return opened
  }

  const name = (page: Page) => page.locator("#cover").getByText(title)

  const boxOf = async (page: Page, selector: string) => {
    const box = await page.locator(selector).boundingBox()
    if (box === null) throw new Error(`${selector} is not shown.`)
    return { left: box.x, right: box.x + box.width, top: box.y, bottom: box.y + box.height }
  }

  it("server does not know it yet → title in place of a black picture; nothing that needs a picture", async () => {
    const { messages, page } = await openSound()
    expect(await name(page).isVisible()).toBe(true)
    expect(await page.evaluate("getComputedStyle(video).backgroundColor")).toBe("rgba(0, 0, 0, 0)")
    expect(await page.locator("#start").isVisible()).toBe(false)
    await PlayerTab.openSettings(page)
    expect(await page.locator("#speed").isVisible()).toBe(true)
    expect(await page.locator("#quality").isVisible()).toBe(false)
    await page.keyboard.press("Escape")
    expect(await page.locator("#pip").isVisible()).toBe(false)
    await page.keyboard.press("i")
    // Screen readers read the title once, as the heading.
    const snapshot = await page.locator("body").ariaSnapshot()
    expect(snapshot.match(/Episode 12/g)).toHaveLength(1)
    await page.mouse.click(320, 100)
    await PlayerTab.until(page, "!video.paused")
    await page.mouse.click(320, 100)
    await PlayerTab.until(page, "video.paused")
    expect(messages).toEqual([])
  })

  it("server knows it → the title from the beginning, also while the sound is loaded; a video has none", async () => {
    server().state.isSound = true
    server().state.title = title
    await serve("sound", "hls")
    await context().route(/\.ts$/, () => undefined)
    const { page } = await PlayerTab.open(context(), server().page("hls"))
    await name(page).waitFor()
    await context().unroute(/\.ts$/)
    server().state.isSound = false
    const video = await open("plain", "hls", "?muted")
    await PlayerTab.until(video.page, "video.readyState >= 2")
    expect(await name(video.page).isVisible()).toBe(false)
    expect(await video.page.evaluate("getComputedStyle(video).backgroundColor")).toBe("rgb(0, 0, 0)")
  })

  it("playing, no action → the controls stay", async () => {
    const { page } = await openSound("?muted&autoplay&repeat")
    await page.mouse.move(300, 100)
    await PlayerTab.until(page, "!video.paused && video.currentTime > 4.5")
    expect(await page.evaluate("document.querySelector('#stage.idle')")).toBe(null)
    expect(await page.evaluate("getComputedStyle(document.querySelector('.wave path')).animationName")).toBe("sway")
    await page.emulateMedia({ reducedMotion: "reduce" })
    expect(await page.evaluate("getComputedStyle(document.querySelector('.wave path')).animationName")).toBe("none")
  })

  it("touch: tap → plays and pauses", async () => {
    const browser = context().browser()
    if (browser === null) throw new Error("The context has no browser.")
    const touch = await browser.newContext({ hasTouch: true, isMobile: true, viewport: { width: 400, height: 225 } })
    onTestFinished(() => touch.close())
    await serve("sound", "hls")
    const { page } = await PlayerTab.open(touch, server().page("hls", "?muted&repeat"))
    await PlayerTab.until(page, "video.readyState >= 2")
    await page.touchscreen.tap(200, 60)
    await PlayerTab.until(page, "!video.paused")
    await page.touchscreen.tap(200, 60)
    await PlayerTab.until(page, "video.paused")
  })

  it("light and dark → colours of the scheme, no violation that axe finds", async () => {
    const { page } = await openSound()
    await page.getByRole("button", { name: "Settings" }).click()
    await page.evaluate(axe.source)
    const colors: Array<unknown> = []
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme })
      colors.push(await page.evaluate("getComputedStyle(document.querySelector('#cover .name')).color"))
      const found: string = await page.evaluate(
        "axe.run({ preload: false }).then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])))"
      )
      expect(found, colorScheme).toBe("[]")
    }
    expect(colors).toEqual(["rgb(29, 36, 51)", "rgb(255, 255, 255)"])
  })

  it.each([
    [160, 90, "ltr"],
    [480, 100, "ltr"],
    [300, 300, "ltr"],
    [300, 300, "rtl"],
    [390, 844, "ltr"],
    [3840, 2160, "rtl"]
  ])("%d × %d, %s → the title is inside the player, above the controls", async (width, height, direction) => {
    const { page } = await openSound()
    await page.setViewportSize({ width, height })
    await page.evaluate(`document.documentElement.dir = "${direction}"`)
    const [words, seek, toggle] = [
      await boxOf(page, "#cover .name"),
      await boxOf(page, "#seek"),
      await boxOf(page, "#toggle")
    ]
    expect(words).toSatisfy(({ left, right, top }: typeof words) => left >= 0 && top >= 0 && right <= width)
    expect(words.bottom).toBeLessThanOrEqual(Math.min(seek.top, toggle.top))
    expect(Math.abs(words.left + words.right - width)).toBeLessThanOrEqual(2)
  })

  it.each([
    [640, "ltr"],
    [300, "rtl"],
    [160, "ltr"]
  ])("%d × 64, %s, as in the embed code → all controls in one row, the position included", async (width, direction) => {
    const { page } = await openSound()
    await page.setViewportSize({ width, height: 64 })
    await page.evaluate(`document.documentElement.dir = "${direction}"`)
    const boxes: ReadonlyArray<{ id: string; left: number; right: number; top: number; bottom: number }> =
      await page.evaluate(`[...document.querySelectorAll(".bar button, .bar input")]
        .filter((element) => element.checkVisibility())
        .map((element) => ({ id: element.id, ...element.getBoundingClientRect().toJSON() }))
        .toSorted((a, b) => a.left - b.left)`)
    const ids = boxes.map(({ id }) => id).filter((id) => id !== "volume" && id !== "settings-button")
    const expected = ["toggle", "mute", "seek", "fullscreen"]
    expect(ids).toEqual(direction === "rtl" ? expected.toReversed() : expected)
    for (const [index, { bottom, id, left, right, top }] of boxes.entries()) {
      expect([id, top >= 0 && bottom <= 64 && left >= (boxes[index - 1]?.right ?? 0) && right <= width]).toEqual([
        id,
        true
      ])
      expect([id, Math.min(right - left, bottom - top) >= 24]).toEqual([id, true])
    }
    expect(await page.locator("#cover").isVisible()).toBe(false)
  })

  it("poster → in place of the title, above the controls; it is not there → the title", async () => {
    server().state.poster = "hls/poster.jpg?apiKey=k"
    server().state.isSound = true
    const picture = execFileSync(
      "ffmpeg",
      "-v error -f lavfi -i testsrc2=s=60x60:d=1 -frames:v 1 -f mjpeg -".split(" ")
    )
    let isThere = true
    await context().route("**/poster.jpg*", (route) =>
      isThere ? route.fulfill({ contentType: "image/jpeg", body: picture }) : route.fulfill({ status: 404 })
    )
    const { messages, page } = await openSound("?muted&autoplay&repeat")
    const image = page.locator("#cover img")
    await image.waitFor()
    expect(await name(page).count()).toBe(0)
    expect((await boxOf(page, "#cover img")).bottom).toBeLessThanOrEqual((await boxOf(page, "#seek")).top)
    // The video would show it a second time.
    expect(await page.evaluate("video.poster")).toBe("")
    expect(messages).toEqual([])

    server().state.status = PlayerServer.running(0.4)
    const growing = await openSound()
    await growing.page.locator("#cover img").waitFor()
    server().state.status = PlayerServer.ready

    isThere = false
    const missing = await openSound()
    await expect.poll(() => missing.messages.join()).toContain("404")
    expect(await name(missing.page).isVisible()).toBe(true)
    expect(await missing.page.locator("#cover img").count()).toBe(0)
  })

  it("controls=0 → the button to play covers no title, and stays while it plays", async () => {
    const { page } = await openSound("?muted&controls=0&repeat")
    const button = page.getByRole("button", { name: "Play" })
    await button.waitFor()
    expect((await boxOf(page, "#play")).top).toBeGreaterThanOrEqual((await boxOf(page, "#cover .name")).bottom)
    await button.click()
    await PlayerTab.until(page, "!video.paused")
    await page.mouse.move(0, 0)
    expect(await page.evaluate("getComputedStyle(document.getElementById('play')).opacity")).toBe("1")
  })
})
