/**
 * Playback in Chromium, as the state of the video element shows it.
 */
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as Requires from "@holdfast/testing/Requires"
import { expect, it, vi } from "vitest"
import * as BrowserSetup from "./support/BrowserSetup.ts"
import type * as SampleStreams from "./support/SampleStreams.ts"
import * as PlayerTab from "./support/PlayerTab.ts"

Requires.requires(BrowserSetup.missing).describe("player in Chromium", () => {
  const { context, open, serve, server } = BrowserSetup.use()

  type Case = [SampleStreams.Name, Format, number, number]

  it.each(
    BrowserSetup.choose<Case>(
      // Each kind of stream once, and several renditions in both formats, whose players choose among them.
      [
        ["plain", "hls", 320, 180],
        ["ladder", "hls", 854, 480],
        ["ladder", "dash", 854, 480],
        ["portrait", "dash", 180, 320],
        ["sound", "hls", 0, 0]
      ],
      [
        ["plain", "dash", 320, 180],
        ["portrait", "hls", 180, 320],
        ["sound", "dash", 0, 0]
      ]
    )
  )("%s as %s → plays in the expected size", async (name, format, width, height) => {
    const { messages, page } = await open(name, format, "?autoplay&muted")
    await PlayerTab.until(page, "video.currentTime > 0.5")
    const { duration, videoHeight, videoWidth } = await PlayerTab.video(page)
    // The first of several renditions depends on the measured bandwidth.
    // A rendition of DASH is shown in the aspect ratio of the best one, so that a smaller one differs by a pixel.
    const heights = name === "ladder" ? [480, 360, 240] : [height]
    expect(Math.min(...heights.map((one) => Math.abs(videoHeight - one)))).toBeLessThanOrEqual(
      name === "ladder" ? 1 : 0
    )
    expect(Math.abs(videoWidth - (videoHeight * width) / Math.max(height, 1))).toBeLessThanOrEqual(2)
    expect(duration).toBeCloseTo(name === "plain" ? 12 : 6, 0)
    expect(messages).toEqual([])
    const requests = server().takeRequests()
    expect(requests.some((url) => url.includes(`/players/${format}-`))).toBe(true)
    expect(requests.some((url) => url.includes(`/players/${format === "hls" ? "dash" : "hls"}-`))).toBe(false)
  })

  it.each<Format>(["hls", "dash"])("all parameters, %s → applied", async (format) => {
    const query = "?seek=7.5&speed=0.5&repeat=1&muted=true&autoplay=true&width=480&height=270&controls=0"
    const { messages, page } = await open("plain", format, query)
    await PlayerTab.until(page, "!video.paused && video.currentTime > 7.5 && video.currentTime < 9")
    expect(await PlayerTab.video(page)).toMatchObject({
      clientHeight: 270,
      clientWidth: 480,
      controls: false,
      loop: true,
      muted: true,
      playbackRate: 0.5
    })
    await page.evaluate("document.querySelector('video').currentTime = 11.6")
    await PlayerTab.until(page, "video.currentTime < 5 && !video.paused")
    expect(messages).toEqual([])
  })

  it.each<Format>(["hls", "dash"])("no parameters, %s → does not play until the viewer starts it", async (format) => {
    const { page } = await open("plain", format, "")
    await PlayerTab.until(page, "video.readyState >= 2")
    expect(await PlayerTab.video(page)).toMatchObject({
      clientHeight: 360,
      clientWidth: 640,
      controls: false,
      currentTime: 0,
      loop: false,
      muted: false,
      paused: true,
      playbackRate: 1
    })
    await page.keyboard.press("Space")
    await PlayerTab.until(page, "!video.paused && video.currentTime > 0.2")
  })

  // Both players get one position of each kind.
  const late = BrowserSetup.choose<[Format, ReadonlyArray<string>]>(
    [
      ["hls", ["11.97", "1h"]],
      ["dash", ["11.97", "12.2"]]
    ],
    [
      ["hls", ["12.2"]],
      ["dash", ["1h"]]
    ]
  )

  it.each(late)(
    "seek to the last second or after the end, %s → plays from the beginning",
    async (format, positions) => {
      for (const seek of positions) {
        const { page } = await open("plain", format, `?seek=${seek}&autoplay&muted`)
        await PlayerTab.until(page, "!video.paused && video.currentTime > 0.2 && video.currentTime < 8")
        await page.close()
      }
    }
  )

  it("autoplay with sound is forbidden → plays muted, with a button for the sound", async () => {
    // A script that a test evaluates in a page counts as a user action. Therefore this test only listens until it plays.
    await context().addInitScript("addEventListener('playing', () => console.log('playing'), true)")
    await serve("plain", "hls")
    const page = await context().newPage()
    const playing = page.waitForEvent("console", { predicate: (message) => message.text() === "playing" })
    await page.goto(server().page("hls", "?autoplay"))
    await playing
    await PlayerTab.until(page, "!video.paused && video.muted && video.currentTime > 0.2")
    await page.getByRole("button", { name: "Turn the sound on" }).click()
    await PlayerTab.until(page, "!video.paused && !video.muted")
    expect(await page.getByRole("button", { name: "Turn the sound on" }).count()).toBe(0)
  })

  it.each<[Format, string]>([
    ["hls", "audio1/index"],
    ["dash", "chunk-2-"]
  ])(
    "two languages and captions, %s → the viewer chooses both; first the default, and none",
    async (format, segment) => {
      const { messages, page } = await open("languages", format, "?autoplay&muted&repeat")
      await PlayerTab.until(page, "video.currentTime > 0.6")
      const requested = () =>
        server()
          .takeRequests()
          .some((url) => url.includes(segment))
      await PlayerTab.openSettings(page)
      const captions = page.getByRole("combobox", { name: "Captions" })
      expect(await captions.locator("option").allTextContents()).toEqual(["Off", "English"])
      const cues = `[...video.textTracks].filter(({ mode }) => mode === "showing").flatMap(({ activeCues }) => [...activeCues ?? []])`
      expect(
        await page.evaluate(`(() => { const video = document.querySelector("video"); return ${cues}.length })()`)
      ).toBe(0)
      await captions.selectOption("English")
      await PlayerTab.until(page, `${cues}.some(({ text }) => /Hello/.test(text))`)

      const audio = page.getByRole("combobox", { name: "Audio" })
      expect(await audio.locator("option").allTextContents()).toEqual(["English", "Deutsch"])
      expect(await audio.inputValue()).toBe("English")
      expect(requested()).toBe(false)
      await audio.focus()
      await page.keyboard.press("ArrowDown")
      await vi.waitFor(() => expect(requested()).toBe(true), 20_000)
      const { currentTime } = await PlayerTab.video(page)
      await PlayerTab.until(page, `video.currentTime > ${Math.min(currentTime + 0.3, 11)} || video.ended`)
      expect(await audio.inputValue()).toBe("Deutsch")
      expect(messages).toEqual([])
    }
  )

  it.each<[Format]>([["hls"], ["dash"]])(
    "surround sound in AC-3, which Chromium does not play, %s → plays; the viewer chooses stereo or AAC",
    async (format) => {
      const { messages, page } = await open("surround", format, "?autoplay&muted&repeat")
      await PlayerTab.until(page, "video.currentTime > 0.6")
      expect(await page.evaluate(`MediaSource.isTypeSupported('audio/mp4; codecs="ac-3"')`)).toBe(false)
      await PlayerTab.openSettings(page)
      const audio = page.getByRole("combobox", { name: "Audio" })
      expect(await audio.locator("option").allTextContents()).toEqual(["English", "English 5.1"])
      await audio.selectOption("English 5.1")
      const { currentTime } = await PlayerTab.video(page)
      await PlayerTab.until(page, `video.currentTime > ${Math.min(currentTime + 0.3, 5)} || video.ended`)
      expect(messages).toEqual([])
    }
  )

  it("controls=false → one button to play and pause", async () => {
    const { page } = await open("plain", "dash", "?controls=false")
    await page.getByRole("button", { name: "Play" }).waitFor()
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await PlayerTab.until(page, "!video.paused && video.currentTime > 0.2")
    expect(await page.getByRole("button", { name: "Pause" }).count()).toBe(1)
    await page.keyboard.press("Enter")
    await PlayerTab.until(page, "video.paused")
  })

  it("poster → shown until it plays", async () => {
    server().state.poster = "poster.jpg?apiKey='k'&a=<b>"
    const { page } = await open("plain", "hls", "")
    await PlayerTab.until(page, "video.readyState >= 2")
    expect(await page.evaluate("video.poster")).toMatch(/\/streams\/poster\.jpg\?apiKey=%27k%27&a=%3Cb%3E$/)
  })

  it("poster, autoplay → not loaded for a video that plays at once; shown if the browser forbids that", async () => {
    server().state.poster = "poster.jpg?apiKey=k"
    const { page } = await open("plain", "hls", "?autoplay&muted")
    await PlayerTab.until(page, "!video.paused && video.currentTime > 0.2")
    expect(await page.evaluate("video.poster")).toBe("")
    await context().addInitScript(
      "HTMLMediaElement.prototype.play = () => Promise.reject(new DOMException('', 'NotAllowedError'))"
    )
    const forbidden = await open("plain", "hls", "?autoplay&muted")
    await PlayerTab.until(forbidden.page, "video.readyState >= 2 && video.poster.includes('/poster.jpg')")
  })

  it("width larger than the frame → fits the frame with the same aspect ratio", async () => {
    const { page } = await open("plain", "hls", "?width=1000")
    await PlayerTab.until(page, "video.readyState >= 2")
    expect(await PlayerTab.video(page)).toMatchObject({ clientHeight: 360, clientWidth: 640 })
  })
})
