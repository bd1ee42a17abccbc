/**
 * The player's own controls in Chromium: with the pointer, the keyboard, touch, and messages of the embedding page.
 */
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as Requires from "@holdfast/testing/Requires"
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished, vi } from "vitest"
import * as BrowserSetup from "./support/BrowserSetup.ts"
import * as PlayerServer from "./support/PlayerServer.ts"
import * as PlayerTab from "./support/PlayerTab.ts"

Requires.requires(BrowserSetup.missing).describe("controls of the player", () => {
  const { context, open, serve, server } = BrowserSetup.use()

  type Page = PlayerTab.Opened["page"]

  const openPaused = async (query = "?muted") => {
    const { messages, page } = await open("plain", "hls", query)
    await PlayerTab.until(page, "video.readyState >= 2")
    return { messages, page }
  }

  /** Presses keys, one after the other, and waits until the video has the expected state. */
  const press = async (page: Page, keys: ReadonlyArray<string>, condition: string) => {
    for (const key of keys) await page.keyboard.press(key)
    await PlayerTab.until(page, condition)
  }

  const isIdle = (page: Page): Promise<boolean> => page.evaluate("document.querySelector('#stage.idle') !== null")

  it("keys → move, change volume, speed and full screen", async () => {
    const { messages, page } = await openPaused("")
    await press(page, ["ArrowRight"], "video.currentTime === 5")
    // A segment that is loaded later may still lengthen the video.
    await press(page, ["l"], "video.currentTime >= 12")
    await press(page, ["j"], "video.currentTime < 3 && video.currentTime > 1")
    await press(page, ["5"], "Math.abs(video.currentTime - video.duration / 2) < 0.1")
    await press(page, ["Home"], "video.currentTime === 0")
    await press(page, [".", "."], "Math.abs(video.currentTime - 0.08) < 0.001")
    await press(page, ["ArrowDown", "ArrowDown"], "Math.abs(video.volume - 0.9) < 0.001")
    await press(page, ["m"], "video.muted")
    await press(page, ["m"], "!video.muted")
    await press(page, [">", ">"], "video.playbackRate === 1.5")
    await press(page, ["<"], "video.playbackRate === 1.25")
    await press(page, ["f"], "document.fullscreenElement?.id === 'stage'")
    expect(await page.getByRole("button", { name: "Leave full screen" }).count()).toBe(1)
    await press(page, ["f"], "document.fullscreenElement === null")
    await press(page, ["k"], "!video.paused")
    await press(page, ["k"], "video.paused")
    // A key that is held down sends `keydown` again and again.
    await page.keyboard.down("k")
    await page.keyboard.down("k")
    await page.keyboard.up("k")
    await press(page, ["k"], "video.paused")
    // Keys of the browser stay those of the browser.
    await press(page, ["Control+l"], "video.currentTime < 2")
    expect(messages).toEqual([])
  })

  it("slider of the position → moves by the pointer, and by seconds with keys; its value is a time", async () => {
    const { page } = await openPaused()
    const seek = page.getByRole("slider", { name: "Position" })
    const box = await seek.boundingBox()
    if (box === null) throw new Error("The slider has no size.")
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    expect(await page.locator("#preview").innerText()).toMatch(/^0:0[56]$/)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.75, box.y + box.height / 2, { steps: 5 })
    await page.mouse.up()
    await PlayerTab.until(page, "Math.abs(video.currentTime - video.duration * 0.75) < 0.3")
    expect(await seek.getAttribute("aria-valuetext")).toBe("0:09 of 0:12")
    await seek.press("ArrowDown")
    await PlayerTab.until(page, "Math.abs(video.currentTime - (video.duration * 0.75 - 5)) < 0.3")
  })

  it("storyboard → the picture of the time under the pointer, and of the focus", async () => {
    server().state.storyboard = "hls/storyboard.vtt?apiKey=k"
    await serve("plain", "hls")
    const folder = mkdtempSync(join(tmpdir(), "holdfast-storyboard-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    cpSync(server().state.directory, folder, { recursive: true })
    server().state.directory = folder
    const part = (index: number) => `storyboard0.jpg?apiKey=k#xywh=${160 * index},0,160,90`
    const cues = [0, 1].map(
      (index) => `00:00:0${6 * index}.000 --> 00:00:${index === 0 ? "06" : "12"}.000\n${part(index)}`
    )
    writeFileSync(join(folder, "storyboard.vtt"), `WEBVTT\n\n${cues.join("\n\n")}\n`)
    const { page } = await PlayerTab.open(context(), server().page("hls", "?muted"))
    await PlayerTab.until(page, "video.readyState >= 2")
    const box = await page.getByRole("slider", { name: "Position" }).boundingBox()
    if (box === null) throw new Error("The slider has no size.")
    await page.mouse.move(box.x + box.width * 0.75, box.y + box.height / 2)
    const thumbnail = page.locator("#thumbnail")
    await thumbnail.waitFor()
    const backgroundOf = () => thumbnail.evaluate((element) => element.getAttribute("style") ?? "")
    expect(await backgroundOf()).toMatch(/streams\/hls\/storyboard0\.jpg\?apiKey=k"\) -160px 0/)
    expect(await thumbnail.boundingBox()).toMatchObject({ width: 160, height: 90 })
    await page.mouse.move(10, 10)
    await thumbnail.waitFor({ state: "hidden" })
    await page.keyboard.press("Tab")
    await thumbnail.waitFor()
    expect(await backgroundOf()).not.toContain("-160px")
  })

  it("start position → the sign to start until it has played", async () => {
    const { page } = await openPaused("?muted&seek=5")
    const sign = page.locator("#start")
    await PlayerTab.until(page, "video.currentTime === 5")
    await sign.waitFor()
    await press(page, ["k"], "video.currentTime > 5.2")
    await press(page, ["k"], "video.paused")
    expect(await sign.isVisible()).toBe(false)
  })

  it("plays to its end → the button plays again from the beginning", async () => {
    const { page } = await open("plain", "hls", "?muted&autoplay&seek=10.5")
    await PlayerTab.until(page, "video.ended")
    await page.getByRole("button", { name: "Play again" }).click()
    await PlayerTab.until(page, "!video.paused && video.currentTime < 5")
  })

  it("playing, no action → controls disappear; pointer, focus or pause → they are back", async () => {
    const { page } = await open("plain", "hls", "?muted&autoplay&repeat")
    await PlayerTab.until(page, "!video.paused && document.querySelector('#stage.idle') !== null")
    await page.mouse.move(100, 100)
    expect(await isIdle(page)).toBe(false)
    await PlayerTab.until(page, "document.querySelector('#stage.idle') !== null")
    await page.keyboard.press("k")
    await PlayerTab.until(page, "video.paused && document.querySelector('#stage.idle') === null")
    await page.mouse.click(300, 100)
    await PlayerTab.until(page, "!video.paused")
  })

  it.each<Format>(["hls", "dash"])(
    "quality, %s → the viewer chooses a rendition, or lets the player choose",
    async (format) => {
      const { messages, page } = await open("ladder", format, "?muted&autoplay&repeat")
      await PlayerTab.until(page, "video.currentTime > 0.2")
      await PlayerTab.openSettings(page)
      const quality = page.getByRole("combobox", { name: "Quality" })
      const [first, ...renditions] = await quality.locator("option").allTextContents()
      expect(first).toBe("Auto")
      expect(renditions.toSorted()).toEqual(["240p", "360p", "480p"])
      await quality.selectOption("360p")
      await PlayerTab.until(page, "video.videoHeight === 360")
      await quality.selectOption("480p")
      await PlayerTab.until(page, "video.videoHeight === 480")
      await quality.selectOption("Auto")
      await page.keyboard.press("Escape")
      expect(await quality.isVisible()).toBe(false)
      expect(await page.evaluate("document.activeElement.id")).toBe("settings-button")
      expect(messages).toEqual([])
    }
  )

  it.each<Format>(["hls", "dash"])("quality of a portrait, %s → named by its shorter side", async (format) => {
    const { page } = await open("portraits", format, "?muted")
    await PlayerTab.until(page, "video.readyState >= 2")
    const options = await page.locator("#quality option").allTextContents()
    expect(options.toSorted()).toEqual(["240p", "288p", "Auto"])
  })

  it("button of the captions → turns on those that were chosen last", async () => {
    const { page } = await open("languages", "hls", "?muted&seek=1")
    const button = page.getByRole("button", { name: "Captions" })
    await button.waitFor()
    expect(await button.getAttribute("aria-pressed")).toBe("false")
    await button.click()
    expect(await button.getAttribute("aria-pressed")).toBe("true")
    await PlayerTab.until(page, "[...video.textTracks].some(({ mode }) => mode === 'showing')")
    await page.keyboard.press("c")
    await PlayerTab.until(page, "[...video.textTracks].every(({ mode }) => mode !== 'showing')")
  })

  it("speed of the page → among the choices, and chosen", async () => {
    const { page } = await openPaused("?muted&speed=1.1")
    const speed = page.locator("#speed")
    expect(await speed.locator("option:checked").textContent()).toBe("1.1×")
    await PlayerTab.openSettings(page)
    await speed.selectOption("2×")
    await PlayerTab.until(page, "video.playbackRate === 2")
  })

  it("touch: tap → plays, shows and hides the controls; double tap → skips", async () => {
    const browser = context().browser()
    if (browser === null) throw new Error("The context has no browser.")
    const touch = await browser.newContext({ hasTouch: true, isMobile: true, viewport: { width: 400, height: 225 } })
    onTestFinished(() => touch.close())
    await serve("long", "hls")
    const { page } = await PlayerTab.open(touch, server().page("hls", "?muted"))
    await PlayerTab.until(page, "video.readyState >= 2")
    await page.touchscreen.tap(200, 60)
    await PlayerTab.until(page, "!video.paused")
    await PlayerTab.until(page, "document.querySelector('#stage.idle') !== null")
    await page.touchscreen.tap(200, 60)
    await PlayerTab.until(page, "!video.paused && document.querySelector('#stage.idle') === null")
    const { currentTime } = await PlayerTab.video(page)
    // Two events of one task: two calls of the browser may be further apart than the taps of a hand. As older browsers send them.
    await page.evaluate(`for (let tap = 0; tap < 2; tap++) {
      document.querySelector("video").dispatchEvent(new MouseEvent("click", { clientX: 380, clientY: 60 }))
    }`)
    await PlayerTab.until(page, `video.currentTime >= ${currentTime + 10}`)
    expect(await page.locator("#volume").isVisible()).toBe(false)
  })

  it.each([
    [160, 90],
    [300, 300],
    [390, 844],
    [3840, 2160]
  ])("%d × %d → every control that is visible is inside the player, and none covers another", async (width, height) => {
    const { page } = await open("languages", "hls", "?muted")
    await page.setViewportSize({ width, height })
    await PlayerTab.until(page, "video.readyState >= 2")
    const boxes: ReadonlyArray<{ left: number; right: number; top: number; bottom: number; id: string }> =
      await page.evaluate(`[...document.querySelectorAll(".bar button, .bar input")]
        .filter((element) => element.checkVisibility())
        .map((element) => ({ id: element.id, ...element.getBoundingClientRect().toJSON() }))`)
    expect(boxes.map(({ id }) => id)).toContain("toggle")
    for (const one of boxes) {
      // WCAG 2.2, 2.5.8: the smallest target.
      expect([one.id, Math.min(one.right - one.left, one.bottom - one.top) >= 24]).toEqual([one.id, true])
      expect(one).toSatisfy(() => one.left >= 0 && one.top >= 0 && one.right <= width && one.bottom <= height)
      for (const other of boxes) {
        if (other === one) continue
        const overlap = Math.min(one.right, other.right) - Math.max(one.left, other.left)
        const isApart = overlap <= 0.5 || one.bottom <= other.top + 0.5 || other.bottom <= one.top + 0.5
        expect([one.id, other.id, isApart]).toEqual([one.id, other.id, true])
      }
    }
    const settings = page.locator("#settings-button")
    expect(await settings.isVisible()).toBe(width >= 300)
    if (width < 300) return
    await settings.click()
    const [panel, timeline] = [await page.locator("#panel").boundingBox(), await page.locator("#seek").boundingBox()]
    if (panel === null || timeline === null) throw new Error("The settings or the timeline are not shown.")
    expect(panel.y).toBeGreaterThanOrEqual(0)
    expect(panel.y + panel.height).toBeLessThanOrEqual(timeline.y)
  })

  /** Returns the place of the captions, which are in the shadow tree of the browser's own video element. */
  const captionBox = async (page: Page) => {
    const devtools = await context().newCDPSession(page)
    await devtools.send("DOM.enable")
    const { nodes } = await devtools.send("DOM.getFlattenedDocument", { depth: -1, pierce: true })
    const cue = nodes.findLast(({ attributes = [] }) => attributes.includes("-webkit-media-text-track-display"))
    if (cue === undefined) return undefined
    const { model } = await devtools.send("DOM.getBoxModel", { nodeId: cue.nodeId })
    return { top: model.border[1] ?? 0, bottom: model.border[5] ?? 0 }
  }

  it.each([
    [300, 300],
    [390, 844],
    [3840, 2160]
  ])("%d × %d → captions are above the controls", async (width, height) => {
    const { page } = await open("languages", "hls", "?muted&seek=2")
    await page.setViewportSize({ width, height })
    await PlayerTab.until(page, "video.readyState >= 2")
    await page.getByRole("button", { name: "Captions" }).click()
    const timeline = await page.locator("#seek").boundingBox()
    await vi.waitFor(
      async () => {
        const box = await captionBox(page)
        expect(box?.top).toBeGreaterThan(0)
        expect(box?.bottom).toBeLessThanOrEqual(timeline?.y ?? 0)
      },
      { timeout: 20_000 }
    )
  })

  it("right to left → buttons are mirrored, the timeline is not", async () => {
    const { page } = await openPaused()
    const left = (id: string): Promise<number> =>
      page.evaluate(`document.getElementById("${id}").getBoundingClientRect().left`)
    expect(await left("toggle")).toBeLessThan(await left("fullscreen"))
    await page.evaluate("document.documentElement.dir = 'rtl'")
    expect(await left("toggle")).toBeGreaterThan(await left("fullscreen"))
    await page.evaluate("document.querySelector('video').currentTime = 3")
    await PlayerTab.until(page, "document.getElementById('timeline').style.getPropertyValue('--played') > 0.2")
    expect(await page.evaluate("getComputedStyle(document.getElementById('seek')).direction")).toBe("ltr")
  })

  it("page of another origin → commands and styles the player by messages and receives its state; hostile ones do nothing", async () => {
    await serve("plain", "hls")
    const requests: Array<string | undefined> = []
    const host = createServer((request, response) => {
      requests.push(request.url)
      response.setHeader("content-type", "text/html").end(`<!doctype html><title>host</title>
        <link rel="icon" href="data:,"><iframe src="${server().page("hls", "?muted")}" title="A video" allow="autoplay; fullscreen"></iframe>`)
    })
    const url = await PlayerServer.listen(host)
    onTestFinished(() => void host.close())
    const page = await context().newPage()
    await page.addInitScript("globalThis.received = []; addEventListener('message', ({ data }) => received.push(data))")
    await page.goto(url.replace("127.0.0.1", "localhost"))
    interface Message {
      readonly source: string
      readonly type: string
      readonly time: number
      readonly duration: number
      readonly volume: number
      readonly paused: boolean
      readonly speed: number
    }
    const received = async (type: string, condition: (message: Message) => boolean = () => true) =>
      vi.waitFor(
        async () => {
          const all: ReadonlyArray<Message> = await page.evaluate("received")
          const found = all.findLast((message) => message.type === type && condition(message))
          if (found === undefined) throw new Error(`${type}: ${JSON.stringify(all.at(-1))}`)
          return found
        },
        { timeout: 20_000 }
      )
    const send = (message: object) => page.evaluate(`frames[0].postMessage(${JSON.stringify(message)}, "*")`)
    const command = (name: string, value?: unknown) => send({ target: "holdfast-player", command: name, value })

    expect(await received("ready")).toMatchObject({ source: "holdfast-player", duration: expect.closeTo(12, 0) })
    await command("seek", 6)
    expect(await received("seeked", ({ time }) => time === 6)).toMatchObject({ paused: true })
    await command("play")
    await received("timeupdate", ({ time }) => time > 6.2)
    await command("pause")
    await received("pause")
    await command("volume", 7)
    await command("volume", 0.25)
    await received("volumechange", ({ volume }) => volume === 0.25)
    for (const [name, value] of [
      ["constructor", "x"],
      ["seek", "1"],
      ["seek", null],
      ["speed", Number.NaN],
      ["accent", "red; background: url(https://evil.example)"]
    ] as const) {
      await command(name, value)
    }
    for (const message of [null, 5, "play", [], { command: "play" }, { target: "other", command: "play" }])
      await send({ message })
    await command("accent", "rgb(1, 2, 3)")
    await command("speed", 2)
    await received("ratechange")
    const frame = page.frames()[1]
    if (frame === undefined) throw new Error("The page has no frame.")
    expect(await PlayerTab.video(frame)).toMatchObject({ paused: true, playbackRate: 2 })
    expect(await frame.evaluate("document.getElementById('stage').getAttribute('style')")).toBe(
      "--accent: rgb(1, 2, 3);"
    )
    expect(JSON.stringify(await page.evaluate("received"))).not.toMatch(/https?:|key/i)

    const style = (id: string, property: string): Promise<string> =>
      frame.evaluate(`getComputedStyle(document.getElementById("${id}"))["${property}"]`)
    await command(
      "theme",
      `@import "${url}/evil.css";
      ::part(bar) { background: url("${url}/evil.png") rgb(4, 5, 6) }
      ::part(button) { display: block; border-radius: 50% }
      ::part(button play):hover, ::part(seek)::-webkit-slider-thumb { opacity: 0.5 }
      ::part( slider ) { cursor: crosshair }`
    )
    await expect.poll(() => style("bar", "backgroundColor")).toBe("rgb(4, 5, 6)")
    expect(await style("toggle", "borderRadius")).toBe("50%")
    expect(await style("toggle", "opacity")).toBe("1")
    await frame.locator("#toggle").hover()
    expect(await style("toggle", "opacity")).toBe("0.5")
    expect(await style("seek", "cursor")).toBe("crosshair")
    expect(await style("subtitles", "display")).toBe("none")
    // Each theme replaces the one before. One that is too long changes nothing.
    await command("theme", "::part(bar) { color: rgb(7, 8, 9) }")
    await expect.poll(() => style("bar", "color")).toBe("rgb(7, 8, 9)")
    expect(await style("toggle", "borderRadius")).not.toBe("50%")
    // Rules that select anything but parts do nothing, wherever they are.
    await command(
      "theme",
      `video[data-poster] { letter-spacing: 1px }
      ::part(bar):has(button) { letter-spacing: 2px }
      html:has(video) ::part(bar) { letter-spacing: 3px }
      ::part(bar), video { letter-spacing: 4px }
      @layer one { ::part(bar), video { letter-spacing: 5px } }
      @scope (html) { ::part(bar), video { letter-spacing: 6px } }
      @media all { video { letter-spacing: 7px } ::part(seek) { cursor: help } }
      ::part(bar) { color: rgb(7, 8, 9); & button { letter-spacing: 8px } }`
    )
    await expect.poll(() => style("seek", "cursor")).toBe("help")
    for (const id of ["video", "bar", "toggle"]) expect(await style(id, "letterSpacing"), id).toBe("normal")
    await command("theme", `::part(bar) { color: red }${" ".repeat(65_536)}`)
    await command("theme", 5)
    await command("speed", 1)
    await received("ratechange", ({ speed }) => speed === 1)
    expect(await style("bar", "color")).toBe("rgb(7, 8, 9)")
    expect(requests).toEqual(["/"])
  })
})
