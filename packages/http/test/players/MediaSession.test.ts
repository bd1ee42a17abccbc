/**
 * What the system gets from the player by the Media Session API. The init script records what the page sets; the browser's own functions
 * still run, and throw for what the API does not permit.
 */
import * as Requires from "@holdfast/testing/Requires"
import { createServer } from "node:http"
import { expect, it, onTestFinished } from "vitest"
import * as BrowserSetup from "./support/BrowserSetup.ts"
import * as PlayerServer from "./support/PlayerServer.ts"
import * as PlayerTab from "./support/PlayerTab.ts"

const recorder = `{
  globalThis.session = { handlers: {}, position: null }
  const { setActionHandler, setPositionState } = MediaSession.prototype
  MediaSession.prototype.setActionHandler = function (action, handler) {
    setActionHandler.call(this, action, handler)
    if (handler === null) delete session.handlers[action]
    else session.handlers[action] = handler
  }
  MediaSession.prototype.setPositionState = function (state) {
    setPositionState.call(this, state)
    session.position = state ?? null
  }
}`

const state = `({
  title: navigator.mediaSession.metadata?.title ?? null,
  artwork: navigator.mediaSession.metadata?.artwork ?? [],
  state: navigator.mediaSession.playbackState,
  actions: Object.keys(session.handlers).toSorted(),
  position: session.position
})`

const actions = ["pause", "play", "seekbackward", "seekforward", "seekto"]
const none = { title: null, artwork: [], state: "none", actions: [], position: null }

Requires.requires(BrowserSetup.missing).describe("media session", () => {
  const { context, open, serve, server } = BrowserSetup.use()

  type Page = PlayerTab.Opened["page"]
  type Frame = ReturnType<Page["mainFrame"]>

  const act = (page: Page, action: string, details = "{}") =>
    page.evaluate(`session.handlers["${action}"]({ action: "${action}", ...${details} })`)

  it("plays with sound → title, poster, position and actions until its end; muted → none", async () => {
    await context().addInitScript(recorder)
    server().state.title = "My <b>holidays</b>.mp4"
    server().state.poster = "poster.jpg?apiKey=k"
    await context().route("**/poster.jpg*", (route) => route.fulfill({ contentType: "image/jpeg", body: "" }))
    const { messages, page } = await open("plain", "hls", "?muted&speed=0.5")
    await PlayerTab.until(page, "video.readyState >= 2")
    await page.keyboard.press("k")
    await PlayerTab.until(page, "video.currentTime > 0.1")
    expect(await page.evaluate(state)).toEqual(none)

    await page.keyboard.press("m")
    await expect
      .poll(() => page.evaluate(state))
      .toMatchObject({
        title: "My <b>holidays</b>.mp4",
        artwork: [{ src: expect.stringMatching(/^http:.*\/streams\/poster\.jpg\?apiKey=k$/), type: "image/jpeg" }],
        state: "playing",
        actions,
        position: { duration: expect.closeTo(12, 0), playbackRate: 0.5, position: expect.any(Number) }
      })
    await act(page, "pause")
    await expect.poll(() => page.evaluate(state)).toMatchObject({ state: "paused", actions })
    for (const [action, details, position] of [
      ["seekto", "{ seekTime: 6 }", 6],
      ["seekbackward", "{ seekOffset: 4 }", 2],
      ["seekforward", "{ seekOffset: 1 }", 3],
      ["seekbackward", "{}", 0],
      ["seekto", "{ seekTime: 5, fastSeek: true }", 5],
      ["seekto", "{ fastSeek: true }", 5]
    ] as const) {
      await act(page, action, details)
      await PlayerTab.until(page, `!video.seeking && video.currentTime === ${position}`)
      await expect.poll(() => page.evaluate(state)).toMatchObject({ position: { position } })
    }
    await act(page, "play")
    await PlayerTab.until(page, "video.currentTime > 5.1")
    expect(await page.evaluate(state)).toMatchObject({ state: "playing" })
    await act(page, "seekto", "{ seekTime: 1000 }")
    await PlayerTab.until(page, "video.ended")
    await expect.poll(() => page.evaluate(state)).toEqual(none)
    await page.keyboard.press("k")
    await expect.poll(() => page.evaluate(state)).toMatchObject({ state: "playing", actions })
    expect(messages).toEqual([])
  })

  it("duration is not known, or shorter than the position → a position that the API permits, or none", async () => {
    await context().addInitScript(recorder)
    const { messages, page } = await open("plain", "hls", "?seek=5")
    await PlayerTab.until(page, "video.readyState >= 2 && video.currentTime === 5")
    await page.keyboard.press("k")
    await PlayerTab.until(page, "video.currentTime > 5")
    await page.keyboard.press("k")
    await PlayerTab.until(page, "video.paused")
    const positionWith = (duration: string, seekable = "{ length: 0 }") =>
      page.evaluate(`(() => {
        const video = document.querySelector("video")
        Object.defineProperties(video, {
          duration: { value: ${duration}, configurable: true },
          seekable: { value: ${seekable}, configurable: true }
        })
        video.dispatchEvent(new Event("durationchange"))
        return session.position
      })()`)
    expect(await positionWith("3")).toEqual({ duration: 3, playbackRate: 1, position: 3 })
    expect(await positionWith("NaN")).toBe(null)
    expect(await positionWith("Infinity", "{ length: 1, end: () => 7 }")).toMatchObject({ duration: 7 })
    expect(await positionWith("Infinity")).toBe(null)
    expect(messages).toEqual([])
  })

  it("two players in a page of another origin → the one that began last to play with sound has the session", async () => {
    await context().addInitScript(recorder)
    await serve("plain", "hls")
    const host = createServer((_, response) => {
      const frame = (query: string) =>
        `<iframe src="${server().page("hls", query)}" title="A video" width="400" height="225" allow="autoplay"></iframe>`
      const html = `<!doctype html><title>host</title><link rel="icon" href="data:,">${frame("?repeat")}${frame("?muted&autoplay&repeat")}`
      response.setHeader("content-type", "text/html").end(html)
    })
    onTestFinished(() => void host.close())
    const url = await PlayerServer.listen(host)
    const { messages, page } = await PlayerTab.open(context(), url.replace("127.0.0.1", "localhost"))
    const [, first, second] = page.frames()
    if (first === undefined || second === undefined) throw new Error("The page does not have two frames.")
    const stateOf = (frame: Frame) => frame.evaluate(state)
    await PlayerTab.until(first, "video.readyState >= 2")
    await first.locator("#toggle").press("Enter")
    await PlayerTab.until(first, "video.currentTime > 0.1")
    await PlayerTab.until(second, "video.currentTime > 0.1")
    // A muted video that plays by itself leaves the session to the other one.
    expect(await stateOf(first)).toMatchObject({ title: "A", state: "playing", actions })
    expect(await stateOf(second)).toEqual(none)
    await second.locator("#mute").press("Enter")
    await expect.poll(() => stateOf(second)).toMatchObject({ title: "A", state: "playing", actions })
    expect(await stateOf(first)).toEqual(none)
    await second.locator("#toggle").press("Enter")
    // The viewer can continue what is paused.
    await expect.poll(() => stateOf(second)).toMatchObject({ state: "paused", actions })
    await first.locator("#toggle").press("Enter")
    await PlayerTab.until(first, "video.paused")
    await first.locator("#toggle").press("Enter")
    await expect.poll(() => stateOf(first)).toMatchObject({ state: "playing", actions })
    expect(await stateOf(second)).toEqual(none)
    expect(messages).toEqual([])
  })

  it.each([
    ["without the API", "delete Navigator.prototype.mediaSession"],
    ["without metadata", "delete globalThis.MediaMetadata"],
    ["without positions", "delete MediaSession.prototype.setPositionState"],
    ["without an action", "MediaSession.prototype.setActionHandler = () => { throw new TypeError() }"]
  ])("browser %s → plays", async (_, script) => {
    await context().addInitScript(script)
    const { messages, page } = await open("plain", "hls", "")
    await PlayerTab.until(page, "video.readyState >= 2")
    await page.keyboard.press("k")
    await PlayerTab.until(page, "!video.muted && video.currentTime > 0.2")
    await page.keyboard.press("End")
    await PlayerTab.until(page, "video.ended")
    expect(messages).toEqual([])
  })
})
