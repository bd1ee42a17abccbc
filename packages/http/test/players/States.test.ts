/**
 * What a page shows while a stream cannot be played, or not yet.
 */
import * as Requires from "@holdfast/testing/Requires"
import { createServer } from "node:http"
import { expect, it, onTestFinished } from "vitest"
import * as BrowserSetup from "./support/BrowserSetup.ts"
import * as PlayerServer from "./support/PlayerServer.ts"
import * as PlayerTab from "./support/PlayerTab.ts"

Requires.requires(BrowserSetup.missing).describe("player states", () => {
  const { context, open, serve, server } = BrowserSetup.use()

  const alert = ({ page }: Pick<PlayerTab.Opened, "page">) => page.getByRole("alert").innerText()

  it("HLS stream grows → plays to its end, waits for more segments", async () => {
    server().state.status = PlayerServer.running(0.4)
    server().state.segments = 1
    const { messages, page } = await open("plain", "hls", "?autoplay&muted&speed=4")
    await PlayerTab.until(page, "video.currentTime > 0.5 && video.currentTime < 4.1")
    // It plays all available segments, and shows why it waits.
    await PlayerTab.shows(page, "Converting, 40 %")
    const { currentTime } = await PlayerTab.video(page)
    expect(currentTime).toBeGreaterThan(3)
    server().state.segments = 2
    await PlayerTab.until(page, "video.currentTime > 4.5")
    server().state.segments = Infinity
    server().state.status = PlayerServer.ready
    await PlayerTab.until(page, "video.ended")
    expect((await PlayerTab.video(page)).currentTime).toBeCloseTo(12, 0)
    expect(messages).toEqual([])
  })

  it("seek beyond the available segments → waits for them", async () => {
    server().state.status = PlayerServer.running(0.3)
    server().state.segments = 1
    const { page } = await open("plain", "hls", "?autoplay&muted&seek=9")
    await PlayerTab.shows(page, "Converting, 30 %")
    await PlayerTab.until(page, "video.readyState >= 2 && video.paused")
    server().state.segments = Infinity
    server().state.status = PlayerServer.ready
    await PlayerTab.until(page, "!video.paused && video.currentTime >= 9")
  })

  it("conversion is queued, running, READY → status, progress, playback", async () => {
    server().state.status = { code: 200, item: { state: "QUEUED", progress: 0, error: null } }
    const { messages, page } = await open("plain", "dash", "?autoplay&muted")
    await PlayerTab.shows(page, "Waiting for the conversion to begin")
    server().state.status = PlayerServer.running(0.4)
    await PlayerTab.shows(page, "Converting, 40 %")
    // Progress is shown but not announced.
    expect(await page.getByRole("status").innerText()).toBe("Converting")
    expect(await page.getByRole("progressbar", { name: "Conversion" }).getAttribute("value")).toBe("0.4")
    server().state.status = PlayerServer.running(0.756)
    await PlayerTab.shows(page, "Converting, 75 %")
    server().state.status = PlayerServer.ready
    await PlayerTab.until(page, "video.currentTime > 0.2")
    expect(await page.getByRole("status").innerText()).toBe("")
    expect(messages).toEqual([])
  })

  it("HLS without segments → waits for the first one", async () => {
    server().state.status = PlayerServer.running(0)
    server().state.segments = 0
    const { page } = await open("plain", "hls", "?autoplay&muted")
    await PlayerTab.shows(page, "Converting, 0 %")
    server().state.segments = 1
    await PlayerTab.until(page, "video.currentTime > 0.2")
  })

  it("stream is refused → message; Try again → queries again", async () => {
    const missing = "This video does not exist, or was removed."
    const forbidden = "This link is not valid any more. Ask for a new one."
    const failed = { state: "FAILED", progress: 0.2, error: "Invalid data <b>found</b>" }
    const refusals = [
      [{ code: 404 }, missing],
      [{ code: 403 }, forbidden],
      [{ code: 200 }, missing],
      [{ code: 401 }, forbidden],
      [{ code: 200, item: failed }, "The conversion failed. Invalid data <b>found</b>"]
    ] as const
    server().state.status = refusals[0][0]
    const { page } = await open("plain", "hls", "?autoplay&muted")
    const again = page.getByRole("button", { name: "Try again" })
    for (const [status, words] of refusals) {
      server().state.status = status
      await again.click()
      await PlayerTab.shows(page, words)
      expect(await alert({ page })).toBe(words)
    }
    server().state.status = PlayerServer.ready
    await again.click()
    await PlayerTab.until(page, "video.currentTime > 0.2")
    expect(await alert({ page })).toBe("")
  })

  it("message is higher than the frame → begins at its top, and ends after scrolling", async () => {
    const error = "moov atom not found ".repeat(20)
    server().state.status = { code: 200, item: { state: "FAILED", progress: 0, error } }
    const { page } = await open("plain", "hls", "")
    await page.setViewportSize({ width: 200, height: 100 })
    await PlayerTab.shows(page, "The conversion failed.")
    expect((await page.getByRole("alert").boundingBox())?.y).toBeGreaterThanOrEqual(0)
    await page.getByRole("button", { name: "Try again" }).click()
  })

  it("conversion fails during playback → message", async () => {
    server().state.status = PlayerServer.running(0.4)
    server().state.segments = 1
    const { page } = await open("plain", "hls", "?autoplay&muted&speed=4")
    await PlayerTab.until(page, "video.currentTime > 0.5")
    server().state.status = { code: 200, item: { state: "FAILED", progress: 0.4, error: "no space" } }
    await PlayerTab.shows(page, "The conversion failed. no space")
  })

  it("network fails before playback → continues when it is back", async () => {
    server().state.status = PlayerServer.running(0.9)
    const { page } = await open("plain", "dash", "?autoplay&muted")
    await PlayerTab.shows(page, "Converting, 90 %")
    server().state.isDown = true
    await PlayerTab.shows(page, "No connection to the server. Trying again…")
    server().state.status = PlayerServer.ready
    server().state.isDown = false
    await PlayerTab.until(page, "video.currentTime > 0.2")
  })

  it.each(["hls", "dash"] as const)(
    "network fails during playback, %s → continues at the same position",
    async (format) => {
      const { page } = await open("long", format, "?muted&autoplay")
      await PlayerTab.until(page, "video.currentTime > 0.2")
      server().state.isDown = true
      await page.evaluate("void (video.currentTime = 100)")
      await PlayerTab.shows(page, "No connection to the server. Trying again…")
      server().state.isDown = false
      await PlayerTab.until(page, "!video.paused && video.currentTime > 100.2")
      expect(await page.getByRole("status").innerText()).toBe("")
    }
  )

  it.each(["hls", "dash"] as const)(
    "%s, segments arrive slowly, at the start and after a jump → sign that it loads, announced; none while it plays",
    async (format) => {
      await serve("long", format)
      const segments: Array<() => void> = []
      let isSlow = true
      await context().route(/\.(?:ts|m4s)$/, async (route) => {
        if (isSlow) await new Promise<void>((resolve) => segments.push(resolve))
        await route.continue()
      })
      const release = () => {
        isSlow = false
        for (const resolve of segments.splice(0)) resolve()
      }
      const { page } = await PlayerTab.open(context(), server().page(format, "?muted&autoplay"))
      const sign = page.locator("#spinner")
      const status = page.getByRole("status")
      await sign.waitFor()
      await expect.poll(() => status.innerText(), { timeout: 20_000 }).toBe("Loading")
      release()
      await PlayerTab.until(page, "video.currentTime > 0.2")
      expect([await sign.isVisible(), await status.innerText()]).toEqual([false, ""])
      isSlow = true
      await page.evaluate("void (video.currentTime = 100)")
      await sign.waitFor()
      await expect.poll(() => status.innerText(), { timeout: 20_000 }).toBe("Loading")
      release()
      await PlayerTab.until(page, "video.currentTime > 100.2")
      expect([await sign.isVisible(), await status.innerText()]).toEqual([false, ""])
    }
  )

  type Fault = ["hls" | "dash", "corrupt" | "missing"]

  it.each(
    BrowserSetup.choose<Fault>(
      [
        ["hls", "corrupt"],
        ["dash", "missing"]
      ],
      [
        ["dash", "corrupt"],
        ["hls", "missing"]
      ]
    )
  )("%s, segments are %s → message; Try again → plays", async (format, fault) => {
    server().state.fault = fault
    const { page } = await open("plain", format, "?muted&autoplay")
    await PlayerTab.shows(page, "This video cannot be played here.")
    server().state.fault = undefined
    await page.getByRole("button", { name: "Try again" }).click()
    await PlayerTab.until(page, "video.currentTime > 0.2")
  })

  it("browser without MediaSource, DASH → message", async () => {
    await context().addInitScript("delete globalThis.MediaSource; delete globalThis.ManagedMediaSource")
    const { page } = await open("plain", "dash", "")
    await PlayerTab.shows(page, "This browser cannot play this kind of stream.")
  })

  it("browser without MediaSource, HLS → the browser's own player", async ({ skip }) => {
    await context().addInitScript("delete globalThis.MediaSource; delete globalThis.ManagedMediaSource")
    const { page } = await open("plain", "hls", "?muted&autoplay&seek=5")
    const support = await page.evaluate("video.canPlayType('application/vnd.apple.mpegurl')")
    if (support === "") skip("this Chromium has no HLS player")
    await PlayerTab.until(page, "video.currentTime > 5.2")
    // A library would play from a `blob:` address.
    expect(await page.evaluate("new URL(video.currentSrc).pathname")).toMatch(/\.m3u8$/)
  })

  /** Opens a page of another origin with the player in a frame. */
  const embed = async (attributes: string, stream: "plain" | "long" = "plain") => {
    await serve(stream, "hls")
    const host = createServer((_, response) => {
      response.setHeader("content-type", "text/html").end(`<!doctype html><title>host</title>
        <link rel="icon" href="data:,">
        <iframe src="${server().page("hls", "?muted&autoplay")}" title="A video" width="400" height="225" ${attributes}
          allow="autoplay; fullscreen"></iframe>`)
    })
    const url = await PlayerServer.listen(host)
    onTestFinished(() => void host.close())
    const { messages, page } = await PlayerTab.open(context(), url.replace("127.0.0.1", "localhost"))
    const [, frame] = page.frames()
    if (frame === undefined) throw new Error("The page has no frame.")
    return { frame, messages }
  }

  it.each(["", 'sandbox="allow-scripts allow-same-origin"'])(
    "frame in a page of another origin (%s) → plays",
    async (more) => {
      const { frame, messages } = await embed(more)
      await PlayerTab.until(frame, "video.currentTime > 0.2")
      expect(await PlayerTab.video(frame)).toMatchObject({ clientHeight: 225, clientWidth: 400 })
      expect(messages).toEqual([])
    }
  )

  it("frame, the key expires during playback, then the stream is removed → the embedding page gets the reasons", async () => {
    await context().addInitScript(
      "globalThis.received = []; addEventListener('message', ({ data }) => received.push(data))"
    )
    const { frame } = await embed("", "long")
    await PlayerTab.until(frame, "video.currentTime > 0.2")
    const errors = () => frame.page().evaluate("received.filter(({ type }) => type === 'error')")
    expect(await errors()).toEqual([])
    server().state.status = { code: 401 }
    server().state.fault = "missing"
    await frame.evaluate("void (video.currentTime = 100)")
    await PlayerTab.shows(frame, "This link is not valid any more.")
    await expect
      .poll(errors)
      .toMatchObject([{ source: "holdfast-player", type: "error", reason: "forbidden", time: 100 }])
    server().state.status = { code: 404 }
    await frame.getByRole("button", { name: "Try again" }).click()
    await expect.poll(errors).toMatchObject([{ reason: "forbidden" }, { reason: "missing" }])
  })

  it("frame-ancestors does not name the embedding origin → not shown", async () => {
    server().state.frameAncestors = "'self' https://www.example.com"
    const { frame, messages } = await embed("")
    expect(await frame.locator("video").count()).toBe(0)
    expect(messages.join()).toContain("frame-ancestors 'self' https://www.example.com")
  })
})
