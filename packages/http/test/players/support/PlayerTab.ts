/**
 * A page in a browser, and the state of its video.
 */
import type * as Browser from "@holdfast/testing/Browser"
import { vi } from "vitest"

export type BrowserContext = Awaited<ReturnType<Awaited<ReturnType<typeof Browser.launch>>["newContext"]>>
type Page = Awaited<ReturnType<BrowserContext["newPage"]>>
type Frame = ReturnType<Page["mainFrame"]>

export interface Video {
  readonly currentTime: number
  readonly duration: number
  readonly videoWidth: number
  readonly videoHeight: number
  readonly clientWidth: number
  readonly clientHeight: number
  readonly playbackRate: number
  readonly muted: boolean
  readonly paused: boolean
  readonly ended: boolean
  readonly loop: boolean
  readonly controls: boolean
  readonly readyState: number
}

const names =
  "currentTime duration videoWidth videoHeight clientWidth clientHeight playbackRate muted paused ended loop controls readyState"

/** Returns the state of the video. */
export const video = (page: Page | Frame): Promise<Video> =>
  page.evaluate(`(() => {
    const video = document.querySelector("video")
    return Object.fromEntries(${JSON.stringify(names.split(" "))}.map((name) => [name, video[name]]))
  })()`)

/** Waits until a condition of the video is true, such as `video.currentTime > 1`. The page's policy forbids `eval` in it. */
export const until = (page: Page | Frame, condition: string): Promise<void> =>
  vi.waitFor(
    async () => {
      const isTrue = await page.evaluate(`(() => {
        const video = document.querySelector("video")
        return ${condition}
      })()`)
      if (isTrue !== true) throw new Error(`${page.url()}: ${condition}: ${JSON.stringify(await video(page))}`)
    },
    // Less than a test has, so that it fails with the state of the video.
    { timeout: 80_000, interval: 50 }
  )

/** Waits until the page shows a text. */
export const shows = async (page: Page | Frame, text: string): Promise<void> => {
  await page.getByText(text).first().waitFor({ timeout: 120_000 })
}

/**
 * Opens the settings. The controls disappear when a video plays for three seconds without an action, and on a busy machine a click is
 * no action yet: Playwright first waits until nothing covers the button. The pointer over the controls keeps them.
 */
export const openSettings = async (page: Page): Promise<void> => {
  const button = page.getByRole("button", { name: "Settings" })
  await button.hover({ force: true })
  await button.click()
}

export interface Opened {
  readonly page: Page
  /** Console messages, uncaught errors, and attempts to store data in the browser. */
  readonly messages: ReadonlyArray<string>
}

const spy = `
  for (const name of ["setItem", "removeItem", "clear"]) {
    Storage.prototype[name] = () => console.log("storage was used: " + name)
  }
  Object.defineProperty(Document.prototype, "cookie", {
    get: () => "",
    set: () => console.log("a cookie was set")
  })`

/** Opens a page in a new tab. */
export const open = async (context: BrowserContext, url: string): Promise<Opened> => {
  const page = await context.newPage()
  const messages: Array<string> = []
  page.on("console", (message) => messages.push(message.text()))
  page.on("pageerror", (error) => messages.push(String(error)))
  await page.addInitScript(spy)
  await page.goto(url)
  return { page, messages }
}
