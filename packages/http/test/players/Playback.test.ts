/**
 * Streams in a real browser: what it shows is read back from the video element.
 */
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as Requires from "@holdfast/testing/Requires"
import { expect, it } from "vitest"
import * as BrowserSetup from "./support/BrowserSetup.ts"
import type * as SampleStreams from "./support/SampleStreams.ts"
import * as PlayerTab from "./support/PlayerTab.ts"

Requires.requires(BrowserSetup.missing).describe("a player in Chromium", () => {
  const { context, open, put, server: stage } = BrowserSetup.use()

  it.each<[SampleStreams.Name, Format, number, number]>([
    ["plain", "hls", 320, 180],
    ["plain", "dash", 320, 180],
    ["ladder", "hls", 854, 480],
    ["ladder", "dash", 854, 480],
    ["portrait", "hls", 180, 320],
    ["portrait", "dash", 180, 320],
    ["sound", "hls", 0, 0],
    ["sound", "dash", 0, 0]
  ])("plays %s as %s", async (name, format, width, height) => {
    const { noise, page } = await open(name, format, "?autoplay&muted")
    await PlayerTab.until(page, "video.currentTime > 0.5")
    const { duration, videoHeight, videoWidth } = await PlayerTab.video(page)
    // Which of two renditions comes first depends on the network.
    const isLower = name === "ladder" && videoHeight === 360
    expect(videoHeight).toBe(isLower ? 360 : height)
    expect(Math.abs(videoWidth - (isLower ? 640 : width))).toBeLessThanOrEqual(1)
    expect(duration).toBeCloseTo(name === "plain" ? 12 : 6, 0)
    expect(noise).toEqual([])
    const asked = stage().asked()
    expect(asked.some((url) => url.includes(`/players/${format}-`))).toBe(true)
    expect(asked.some((url) => url.includes(`/players/${format === "hls" ? "dash" : "hls"}-`))).toBe(false)
  })

  it.each<Format>(["hls", "dash"])("does what the parameters say in %s", async (format) => {
    const query = "?seek=7.5&speed=0.5&repeat=1&muted=true&autoplay=true&width=480&height=270&controls=0"
    const { noise, page } = await open("plain", format, query)
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
    expect(noise).toEqual([])
  })

  it.each<Format>(["hls", "dash"])("waits for somebody to press play without parameters in %s", async (format) => {
    const { page } = await open("plain", format, "")
    await PlayerTab.until(page, "video.readyState >= 2")
    expect(await PlayerTab.video(page)).toMatchObject({
      clientHeight: 360,
      clientWidth: 640,
      controls: true,
      currentTime: 0,
      loop: false,
      muted: false,
      paused: true,
      playbackRate: 1
    })
    await page.locator("video").focus()
    await page.keyboard.press("Space")
    await PlayerTab.until(page, "!video.paused && video.currentTime > 0.2")
  })

  it.each<Format>(["hls", "dash"])("begins at the beginning when there is no such moment in %s", async (format) => {
    const { page } = await open("plain", format, "?seek=1h&autoplay&muted")
    await PlayerTab.until(page, "video.currentTime > 0.2 && video.currentTime < 8")
    expect(await PlayerTab.video(page)).toMatchObject({ paused: false })
  })

  it("plays without sound where the browser allows no more, and offers the sound", async () => {
    // Whatever a test runs in a page counts as somebody's touching it, so this one looks on until it plays.
    await context().addInitScript("addEventListener('playing', () => console.log('playing'), true)")
    await put("plain", "hls")
    const page = await context().newPage()
    const playing = page.waitForEvent("console", { predicate: (message) => message.text() === "playing" })
    await page.goto(stage().page("hls", "?autoplay"))
    await playing
    await PlayerTab.until(page, "!video.paused && video.muted && video.currentTime > 0.2")
    await page.getByRole("button", { name: "Turn the sound on" }).click()
    await PlayerTab.until(page, "!video.paused && !video.muted")
    expect(await page.getByRole("button", { name: "Turn the sound on" }).count()).toBe(0)
  })

  it("has one button where the browser shows no controls", async () => {
    const { page } = await open("plain", "dash", "?controls=false")
    await page.getByRole("button", { name: "Play" }).waitFor()
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await PlayerTab.until(page, "!video.paused && video.currentTime > 0.2")
    expect(await page.getByRole("button", { name: "Pause" }).count()).toBe(1)
    await page.keyboard.press("Enter")
    await PlayerTab.until(page, "video.paused")
  })

  it("shows a still until it plays", async () => {
    stage().state.poster = "poster.jpg?apiKey='k'&a=<b>"
    const { page } = await open("plain", "hls", "")
    await PlayerTab.until(page, "video.readyState >= 2")
    expect(await page.evaluate("video.poster")).toMatch(/\/streams\/poster\.jpg\?apiKey=%27k%27&a=%3Cb%3E$/)
  })

  it("keeps the picture's shape when one side is given, and fits a narrow frame", async () => {
    const { page } = await open("plain", "hls", "?width=1000")
    await PlayerTab.until(page, "video.readyState >= 2")
    expect(await PlayerTab.video(page)).toMatchObject({ clientHeight: 360, clientWidth: 640 })
  })
})
