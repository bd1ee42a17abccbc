/**
 * Where a player begins when the viewer comes back to its page.
 */
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as Requires from "@holdfast/testing/Requires"
import { createServer } from "node:http"
import { expect, it, onTestFinished } from "vitest"
import * as BrowserSetup from "./support/BrowserSetup.ts"
import * as PlayerServer from "./support/PlayerServer.ts"
import * as PlayerTab from "./support/PlayerTab.ts"

Requires.requires(BrowserSetup.missing).describe("last position", () => {
  const { context, open, serve, server } = BrowserSetup.use()

  const kept = (position: number) => `history.state?.position === ${position}`

  it.each<Format>(["hls", "dash"])(
    "page is loaded again, %s → at the position; opened anew, or after the end → at the start of its address",
    async (format) => {
      const { messages, page } = await open("plain", format, "?muted&seek=3")
      await PlayerTab.until(page, "video.readyState >= 2 && video.currentTime === 3")
      await page.evaluate("void (document.querySelector('video').currentTime = 7)")
      await PlayerTab.until(page, kept(7))
      await page.reload()
      await PlayerTab.until(page, "video.readyState >= 2 && video.currentTime === 7")
      expect(await PlayerTab.video(page)).toMatchObject({ paused: true })

      const anew = await PlayerTab.open(context(), page.url())
      await PlayerTab.until(anew.page, "video.readyState >= 2 && video.currentTime === 3")
      await anew.page.close()
      await page.goto(`${page.url()}&speed=2`)
      await PlayerTab.until(page, "video.readyState >= 2 && video.currentTime === 3")

      await page.keyboard.press("k")
      await page.keyboard.press("End")
      await PlayerTab.until(page, "video.ended && history.state === null")
      await page.reload()
      await PlayerTab.until(page, "video.readyState >= 2 && video.currentTime === 3")
      expect(messages).toEqual([])
    }
  )

  it("playing → the position is kept every other second, and when it stops", async () => {
    const { page } = await open("plain", "hls", "?muted&autoplay&repeat")
    await PlayerTab.until(page, "!video.paused && history.state?.position > 0.5")
    await page.keyboard.press("k")
    await PlayerTab.until(page, "video.paused && history.state?.position === video.currentTime")
  })

  it("Back to a page of another origin with the player in a frame → at the position", async () => {
    await serve("long", "hls")
    const host = createServer(({ url }, response) => {
      const frame = `<iframe src="${server().page("hls", "?muted&seek=30")}" title="A video"></iframe>`
      response
        .setHeader("content-type", "text/html")
        // Otherwise the browser may show the page as it was, with its player.
        .setHeader("cache-control", "no-store")
        .end(`<!doctype html><title>host</title><link rel="icon" href="data:,">${url === "/" ? frame : "Another page"}`)
    })
    onTestFinished(() => void host.close())
    const url = (await PlayerServer.listen(host)).replace("127.0.0.1", "localhost")
    const { messages, page } = await PlayerTab.open(context(), `${url}/`)
    const frameOf = () => {
      const frame = page.frames()[1]
      if (frame === undefined) throw new Error("The page has no frame.")
      return frame
    }
    await PlayerTab.until(frameOf(), "video.readyState >= 2 && video.currentTime === 30")
    await frameOf().evaluate("void (document.querySelector('video').currentTime = 75)")
    await PlayerTab.until(frameOf(), kept(75))
    await page.goto(`${url}/other`)
    await page.goBack()
    await expect.poll(() => page.frames().length).toBe(2)
    await PlayerTab.until(frameOf(), "video !== null && video.readyState >= 2 && video.currentTime === 75")
    expect(messages).toEqual([])
  })

  it("browser does not permit to change the entry of the history → plays", async () => {
    await context().addInitScript("history.replaceState = () => { throw new DOMException('', 'SecurityError') }")
    const { messages, page } = await open("plain", "hls", "?muted")
    await PlayerTab.until(page, "video.readyState >= 2")
    await page.keyboard.press("k")
    await PlayerTab.until(page, "video.currentTime > 0.2")
    await page.keyboard.press("k")
    await PlayerTab.until(page, "video.paused")
    expect(messages).toEqual([])
  })
})
