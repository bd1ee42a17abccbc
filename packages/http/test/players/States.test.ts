/**
 * What a page shows while a stream is not there, or not yet, or not any more.
 */
import * as Requires from "@holdfast/testing/Requires"
import { createServer } from "node:http"
import { expect, it, onTestFinished } from "vitest"
import * as BrowserSetup from "./support/BrowserSetup.ts"
import * as PlayerServer from "./support/PlayerServer.ts"
import * as PlayerTab from "./support/PlayerTab.ts"

Requires.requires(BrowserSetup.missing).describe("a player's states", () => {
  const { context, open, put, server: stage } = BrowserSetup.use()

  const alert = ({ page }: Pick<PlayerTab.Opened, "page">) => page.getByRole("alert").innerText()

  it("plays a stream that grows, from its beginning to its end", async () => {
    stage().state.status = PlayerServer.running(0.4)
    stage().state.segments = 1
    const { noise, page } = await open("plain", "hls", "?autoplay&muted&speed=4")
    await PlayerTab.until(page, "video.currentTime > 0.5 && video.currentTime < 4.1")
    // It reaches what there is, and tells what it waits for.
    await PlayerTab.says(page, "Converting, 40 %")
    const { currentTime } = await PlayerTab.video(page)
    expect(currentTime).toBeGreaterThan(3)
    stage().state.segments = 2
    await PlayerTab.until(page, "video.currentTime > 4.5")
    stage().state.segments = Infinity
    stage().state.status = PlayerServer.ready
    await PlayerTab.until(page, "video.ended")
    expect((await PlayerTab.video(page)).currentTime).toBeCloseTo(12, 0)
    expect(noise).toEqual([])
  })

  it("waits for the moment to begin with while the stream grows", async () => {
    stage().state.status = PlayerServer.running(0.3)
    stage().state.segments = 1
    const { page } = await open("plain", "hls", "?autoplay&muted&seek=9")
    await PlayerTab.says(page, "Converting, 30 %")
    await PlayerTab.until(page, "video.readyState >= 2 && video.paused")
    stage().state.segments = Infinity
    stage().state.status = PlayerServer.ready
    await PlayerTab.until(page, "!video.paused && video.currentTime >= 9")
  })

  it("tells how far the conversion is, and begins by itself", async () => {
    stage().state.status = { code: 200, item: { state: "QUEUED", progress: 0, error: null } }
    const { noise, page } = await open("plain", "dash", "?autoplay&muted")
    await PlayerTab.says(page, "Waiting for the conversion to begin")
    stage().state.status = PlayerServer.running(0.4)
    await PlayerTab.says(page, "Converting, 40 %")
    // Progress is shown, and not read out each time.
    expect(await page.getByRole("status").innerText()).toBe("Converting")
    expect(await page.getByRole("progressbar", { name: "Conversion" }).getAttribute("value")).toBe("0.4")
    stage().state.status = PlayerServer.running(0.756)
    await PlayerTab.says(page, "Converting, 75 %")
    stage().state.status = PlayerServer.ready
    await PlayerTab.until(page, "video.currentTime > 0.2")
    expect(await page.getByRole("status").innerText()).toBe("")
    expect(noise).toEqual([])
  })

  it("waits for the first segment of an HLS stream", async () => {
    stage().state.status = PlayerServer.running(0)
    stage().state.segments = 0
    const { page } = await open("plain", "hls", "?autoplay&muted")
    await PlayerTab.says(page, "Converting, 0 %")
    stage().state.segments = 1
    await PlayerTab.until(page, "video.currentTime > 0.2")
  })

  it("says in words why there is nothing to play, and tries again when it is told to", async () => {
    const missing = "This video is not there, or not there any more."
    const forbidden = "This link is not valid any more. Ask for a new one."
    const failed = { state: "FAILED", progress: 0.2, error: "Invalid data <b>found</b>" }
    const refusals = [
      [{ code: 404 }, missing],
      [{ code: 403 }, forbidden],
      [{ code: 200 }, missing],
      [{ code: 401 }, forbidden],
      [{ code: 200, item: failed }, "The conversion failed. Invalid data <b>found</b>"]
    ] as const
    stage().state.status = refusals[0][0]
    const { page } = await open("plain", "hls", "?autoplay&muted")
    const again = page.getByRole("button", { name: "Try again" })
    for (const [status, words] of refusals) {
      stage().state.status = status
      await again.click()
      await PlayerTab.says(page, words)
      expect(await alert({ page })).toBe(words)
    }
    stage().state.status = PlayerServer.ready
    await again.click()
    await PlayerTab.until(page, "video.currentTime > 0.2")
    expect(await alert({ page })).toBe("")
  })

  it("says that the conversion failed when it does so while the stream plays", async () => {
    stage().state.status = PlayerServer.running(0.4)
    stage().state.segments = 1
    const { page } = await open("plain", "hls", "?autoplay&muted&speed=4")
    await PlayerTab.until(page, "video.currentTime > 0.5")
    stage().state.status = { code: 200, item: { state: "FAILED", progress: 0.4, error: "no space" } }
    await PlayerTab.says(page, "The conversion failed. no space")
  })

  it("goes on by itself when the network comes back", async () => {
    stage().state.status = PlayerServer.running(0.9)
    const { page } = await open("plain", "dash", "?autoplay&muted")
    await PlayerTab.says(page, "Converting, 90 %")
    stage().state.isDown = true
    await PlayerTab.says(page, "No connection to the server. Trying again…")
    stage().state.status = PlayerServer.ready
    stage().state.isDown = false
    await PlayerTab.until(page, "video.currentTime > 0.2")
  })

  it.each(["hls", "dash"] as const)("plays on where it stood after the network was gone, in %s", async (format) => {
    const { page } = await open("long", format, "?muted&autoplay")
    await PlayerTab.until(page, "video.currentTime > 0.2")
    stage().state.isDown = true
    await page.evaluate("void (video.currentTime = 100)")
    await PlayerTab.says(page, "No connection to the server. Trying again…")
    stage().state.isDown = false
    await PlayerTab.until(page, "!video.paused && video.currentTime > 100.2")
    expect(await page.getByRole("status").innerText()).toBe("")
  })

  it.each([
    ["hls", "garbled"],
    ["dash", "garbled"],
    ["hls", "gone"],
    ["dash", "gone"]
  ] as const)("says that a stream cannot be played, in %s, when segments are %s", async (format, fault) => {
    stage().state.fault = fault
    const { page } = await open("plain", format, "?muted&autoplay")
    await PlayerTab.says(page, "This video cannot be played here.")
    stage().state.fault = undefined
    await page.getByRole("button", { name: "Try again" }).click()
    await PlayerTab.until(page, "video.currentTime > 0.2")
  })

  it("says that a browser cannot play a format", async () => {
    await context().addInitScript("delete globalThis.MediaSource; delete globalThis.ManagedMediaSource")
    const { page } = await open("plain", "dash", "")
    await PlayerTab.says(page, "This browser cannot play this kind of stream.")
  })

  it("leaves HLS to a browser that can play it and cannot be fed by scripts", async ({ skip }) => {
    await context().addInitScript("delete globalThis.MediaSource; delete globalThis.ManagedMediaSource")
    const { page } = await open("plain", "hls", "?muted&autoplay&seek=5")
    const answer = await page.evaluate("video.canPlayType('application/vnd.apple.mpegurl')")
    if (answer === "") skip("this Chromium does not play HLS by itself")
    await PlayerTab.until(page, "video.currentTime > 5.2")
    expect(
      stage()
        .asked()
        .some((url) => url.includes("/players/hls-"))
    ).toBe(false)
  })

  /** A page of another origin with the player in a frame. */
  const embed = async (attributes: string) => {
    await put("plain", "hls")
    const host = createServer((_, response) => {
      response.setHeader("content-type", "text/html").end(`<!doctype html><title>host</title>
        <link rel="icon" href="data:,">
        <iframe src="${stage().page("hls", "?muted&autoplay")}" title="A video" width="400" height="225" ${attributes}
          allow="autoplay; fullscreen"></iframe>`)
    })
    const url = await PlayerServer.listen(host)
    onTestFinished(() => void host.close())
    const { noise, page } = await PlayerTab.open(context(), url.replace("127.0.0.1", "localhost"))
    const [, frame] = page.frames()
    if (frame === undefined) throw new Error("The page has no frame.")
    return { frame, noise }
  }

  it.each(["", 'sandbox="allow-scripts allow-same-origin"'])(
    "plays in a frame of another origin (%s)",
    async (more) => {
      const { frame, noise } = await embed(more)
      await PlayerTab.until(frame, "video.currentTime > 0.2")
      expect(await PlayerTab.video(frame)).toMatchObject({ clientHeight: 225, clientWidth: 400 })
      expect(noise).toEqual([])
    }
  )

  it("is not shown in a frame of an origin that is not named", async () => {
    stage().state.frameAncestors = "'self' https://www.example.com"
    const { frame, noise } = await embed("")
    expect(await frame.locator("video").count()).toBe(0)
    expect(noise.join()).toContain("frame-ancestors 'self' https://www.example.com")
  })
})
