/**
 * A copied video and its ladder: converted with FFmpeg and played in Chromium on lines of several speeds.
 */
import * as FfmpegTranscoder from "@holdfast/ffmpeg/FfmpegTranscoder"
import * as Browser from "@holdfast/testing/Browser"
import * as Requires from "@holdfast/testing/Requires"
import { type LadderJob, Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import * as TestServer from "../support/TestServer.ts"
import * as BrowserSetup from "./support/BrowserSetup.ts"
import * as PlayerTab from "./support/PlayerTab.ts"
import * as SampleStreams from "./support/SampleStreams.ts"

type Session = Awaited<ReturnType<PlayerTab.BrowserContext["newCDPSession"]>>

interface Renditions {
  readonly renditions: ReadonlyArray<{ readonly name: string }>
}

Requires.requires(BrowserSetup.missing).describe("ladder of a copy", () => {
  const jobs: Array<Pick<LadderJob, "format">> = []
  const transcoder = Layer.effect(
    Transcoder,
    Effect.map(Transcoder, (inner) =>
      Transcoder.of({
        ...inner,
        ladder: (job) => {
          jobs.push(job)
          return inner.ladder(job)
        }
      })
    )
  ).pipe(Layer.provide(FfmpegTranscoder.layer({ niceness: 0, preset: "ultrafast" })))
  let server: TestServer.TestServer
  let chromium: Awaited<ReturnType<typeof Browser.launch>>
  let streams: string
  let reader: string

  vi.setConfig({ testTimeout: 90_000 })
  beforeAll(async () => {
    server = await TestServer.start({
      transcoder,
      worker: { ladderDelay: Duration.zero }
    })
    chromium = await Browser.launch()
    const bucket = await server.makeBucket()
    reader = await server.makeToken(bucket.tenantId, "File Reader")
    const { path } = await server.makeFile(bucket, await SampleStreams.video("rich"), { name: "rich.mp4" })
    streams = `${path}/streams`
  }, 60_000)
  afterAll(async () => {
    await chromium.close()
    await server.close()
    vi.resetConfig()
  })

  const renditions = async (format: string) => {
    const response = await server.post(`${streams}/${format}`, { headers: { prefer: "wait=60" } })
    const { renditions: found } = (await response.json()) as Renditions
    return found.map(({ name }) => name)
  }

  const awaitLadder = (format: string) =>
    vi.waitFor(async () => expect(await renditions(format)).toEqual(["360p", "240p"]), { timeout: 60_000 })

  const address = (format: string) => `${server.url}/api/v1${streams}/${format}?apiKey=${reader}&autoplay&muted`

  /** Limits the line of a page; -1 for no limit. */
  const limit = (session: Session, bitsPerSecond: number) =>
    session.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: 20,
      downloadThroughput: bitsPerSecond < 0 ? -1 : bitsPerSecond / 8,
      uploadThroughput: -1
    })

  it("HLS, then DASH → one ladder is encoded for both", async () => {
    await awaitLadder("hls")
    await awaitLadder("dash")
    expect(jobs.map(({ format }) => format)).toEqual(["dash"])
  })

  /** Plays in a new context, where nothing is cached, and returns the path of the first segment of the picture. */
  const firstSegment = async (format: string, bitsPerSecond: number) => {
    const context = await chromium.newContext()
    const requested: Array<string> = []
    context.on("request", (request) => requested.push(new URL(request.url()).pathname))
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await session.send("Network.enable")
    await limit(session, bitsPerSecond)
    await page.goto(address(format))
    await PlayerTab.until(page, "video.currentTime > 0.2")
    await context.close()
    return requested.find((path) => /\/(?:index|chunk-0-|240p\/chunk)\d+\.(?:ts|m4s)$/.test(path))
  }

  it.each([
    ["hls", /\/hls\/240p\/index0\.ts$/],
    ["dash", /\/dash\/240p\/chunk1\.m4s$/]
  ] as const)("%s over a slow line → begins with the lower rendition", async (format, lower) => {
    await awaitLadder(format)
    expect(await firstSegment(format, 900_000)).toMatch(lower)
  })

  it.each([
    ["hls", /\/hls\/index0\.ts$/],
    ["dash", /\/chunk-0-1\.m4s$/]
  ] as const)("%s over a fast line → begins with the copy", async (format, copy) => {
    await awaitLadder(format)
    // On a busy machine, the page takes as long to receive the player's files as over a slow line.
    await vi.waitFor(async () => expect(await firstSegment(format, -1)).toMatch(copy), { timeout: 80_000 })
  })

  it.each([
    ["hls", /\/hls\/index\d+\.ts$/, /\/hls\/240p\/index\d+\.ts$/],
    ["dash", /\/chunk-0-\d+\.m4s$/, /\/dash\/240p\/chunk\d+\.m4s$/]
  ] as const)(
    "%s: line becomes slow, then fast → the player goes down to the ladder, and up",
    async (format, best, lower) => {
      await awaitLadder(format)
      const context = await chromium.newContext()
      const requested: Array<string> = []
      context.on("response", (response) => requested.push(new URL(response.url()).pathname))
      const { messages, page } = await PlayerTab.open(context, address(format))
      const session = await context.newCDPSession(page)
      const comes = (name: RegExp) => {
        requested.length = 0
        return vi.waitFor(() => expect(requested.some((path) => name.test(path))).toBe(true), { timeout: 40_000 })
      }
      await PlayerTab.until(page, "video.currentTime > 0.2")
      await comes(best)
      await limit(session, 900_000)
      await page.evaluate("document.querySelector('video').currentTime = 60")
      await comes(lower)
      await PlayerTab.until(page, "video.currentTime > 60.5 && video.videoHeight === 240")
      await limit(session, -1)
      await page.evaluate("document.querySelector('video').currentTime = 90")
      await comes(best)
      expect(messages).toEqual([])
      const qualities = await page.locator("#quality option").allTextContents()
      expect(qualities.slice(1).toSorted()).toEqual(["240p", "360p"])
      await context.close()
    }
  )
})
