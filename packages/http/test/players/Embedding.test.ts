/**
 * A page of another origin embeds a player in Chromium. No API key reaches the browser.
 */
import * as FfmpegTranscoder from "@holdfast/ffmpeg/FfmpegTranscoder"
import * as Browser from "@holdfast/testing/Browser"
import * as Requires from "@holdfast/testing/Requires"
import { createServer } from "node:http"
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest"
import { createClient } from "../../src/client/index.ts"
import * as TestServer from "../support/TestServer.ts"
import * as BrowserSetup from "./support/BrowserSetup.ts"
import * as PlayerServer from "./support/PlayerServer.ts"
import * as PlayerTab from "./support/PlayerTab.ts"
import * as SampleStreams from "./support/SampleStreams.ts"

/** An API key, as opposed to a playback key (`hfp_`). */
const apiKey = /hf_[\w-]{8}/

Requires.requires(BrowserSetup.missing).describe("embedded player", () => {
  let server: TestServer.TestServer
  let chromium: Awaited<ReturnType<typeof Browser.launch>>

  vi.setConfig({ testTimeout: 90_000 })
  beforeAll(async () => {
    server = await TestServer.start({
      transcoder: FfmpegTranscoder.layer({ niceness: 0, preset: "ultrafast" }),
      worker: {}
    })
    chromium = await Browser.launch()
  })
  afterAll(async () => {
    await chromium.close()
    await server.close()
    vi.resetConfig()
  })

  /** Serves a page of the host's application, on an origin of its own. */
  const serveHost = async (html: string): Promise<string> => {
    const host = createServer((_, response) => void response.setHeader("content-type", "text/html").end(html))
    onTestFinished(() => void host.close())
    return (await PlayerServer.listen(host)).replace("127.0.0.1", "localhost")
  }

  it.each(["hls", "dash"] as const)(
    "%s, embed code in a page → plays; no API key in any page, request or storage",
    async (format) => {
      const bucket = await server.makeBucket()
      const { id, path } = await server.makeFile(bucket, await SampleStreams.video("portrait"), { name: "film.mp4" })
      await server.post(`${path}/streams/${format}`, { headers: { prefer: "wait=60" } })
      const client = createClient({ url: server.url, apiKey: await server.makeToken(bucket.tenantId, "File Reader") })
      const { embed, playerUrl } = await client.streams.playbackKey({ ...bucket, fileId: id, format, expiresIn: 600 })
      const code = embed.replace(playerUrl, `${playerUrl}&amp;autoplay&amp;muted`)

      const context = await chromium.newContext()
      const seen: Array<string> = []
      context.on("request", (request) => {
        seen.push(request.url(), JSON.stringify(request.headers()), request.postData() ?? "")
      })
      const { messages, page } = await PlayerTab.open(
        context,
        await serveHost(`<!doctype html><title>Host</title>${code}`)
      )
      await vi.waitFor(() => expect(page.frames()).toHaveLength(2), { timeout: 20_000 })
      const frame = page.frames()[1]
      if (frame === undefined) throw new Error("The page has no frame.")
      await PlayerTab.until(frame, "video !== null && video.currentTime > 0.3")
      expect(seen.some((text) => /index0\.ts|chunk-0-1\.m4s/.test(text))).toBe(true)
      expect(messages).toEqual([])

      const pages = await Promise.all(page.frames().map((one) => one.content()))
      const { cookies, origins } = await context.storageState()
      const found = [...seen, ...pages, JSON.stringify([cookies, origins])]
      expect(found.some((text) => text.includes("hfp_"))).toBe(true)
      expect(found.filter((text) => apiKey.test(text))).toEqual([])
      await context.close()
    }
  )
})
