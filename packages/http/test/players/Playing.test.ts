/**
 * The whole way: a video is uploaded, converted by the real transcoder, and played in a real browser from the real routes.
 */
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as FfmpegTranscoder from "@holdfast/ffmpeg/FfmpegTranscoder"
import * as Browser from "@holdfast/testing/Browser"
import * as Requires from "@holdfast/testing/Requires"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import * as TestServer from "../support/TestServer.ts"
import * as Setting from "./support/Setting.ts"
import * as Streams from "./support/Streams.ts"
import * as Watch from "./support/Watch.ts"

Requires.requires(Setting.missing).describe("a video", () => {
  let server: TestServer.TestServer
  let chromium: Awaited<ReturnType<typeof Browser.launch>>
  let samples: Streams.Streams
  let bucket: { readonly tenantId: string; readonly bucketId: string }
  let reader: string

  vi.setConfig({ testTimeout: 90_000 })
  beforeAll(async () => {
    server = await TestServer.start({ transcoder: FfmpegTranscoder.layer({ preset: "ultrafast" }), worker: {} })
    chromium = await Browser.launch()
    samples = await Streams.make()
    bucket = await server.makeBucket()
    reader = await server.makeToken(bucket.tenantId, "File Reader")
  })
  afterAll(async () => {
    await chromium.close()
    await server.close()
    await samples.close()
    vi.resetConfig()
  })

  const upload = async (name: Streams.Name) => {
    const { path } = await server.makeFile(bucket, await samples.video(name), { name: `${name}-${Math.random()}.mp4` })
    return `${path}/streams`
  }
  const address = (streams: string, format: Format, query: string) =>
    `${server.url}/api/v1${streams}/${format}?apiKey=${reader}${query}`
  const open = async (url: string) => {
    const context = await chromium.newContext()
    return Watch.open(context, url)
  }

  it.each<Format>(["hls", "dash"])("is played as %s while it is being converted, or soon after", async (format) => {
    const streams = await upload("ladder")
    expect((await server.post(`${streams}/${format}`)).status).toBe(202)
    const { noise, page } = await open(address(streams, format, "&autoplay&muted&speed=4"))
    await Watch.until(page, "video.ended")
    const { duration, videoHeight } = await Watch.video(page)
    expect(duration).toBeCloseTo(6, 0)
    expect([360, 480]).toContain(videoHeight)
    expect(noise).toEqual([])
    await page.context().close()
  })

  it("is played after it has been converted, with the parameters of the address", async () => {
    const streams = await upload("plain")
    const converted = await server.post(`${streams}/hls`, { headers: { prefer: "wait=60" } })
    expect(await converted.json()).toMatchObject({ state: "READY" })
    const { noise, page } = await open(address(streams, "hls", "&autoplay&muted&seek=5&width=400&repeat"))
    await Watch.until(page, "video.currentTime > 5.2")
    expect(await Watch.video(page)).toMatchObject({ clientHeight: 225, clientWidth: 400, loop: true, videoWidth: 320 })
    expect(await page.evaluate("new URL(video.poster).searchParams.has('apiKey')")).toBe(true)
    expect(noise).toEqual([])
    await page.context().close()
  })

  it("is not played with no right to it, and nothing is said but that", async () => {
    const streams = await upload("portrait")
    const page = await (await chromium.newContext()).newPage()
    const missing = await page.goto(address(streams, "hls", ""))
    expect(missing?.status()).toBe(404)
    await Watch.says(page, "Nobody has asked for this video in this format yet.")
    const denied = await page.goto(`${server.url}/api/v1${streams}/hls?apiKey=hf_nonsense`)
    expect(denied?.status()).toBe(401)
    await Watch.says(page, "This link is not valid, or not any more.")
    await page.context().close()
  })

  it("is not played any more when the key is gone while the page is open", async () => {
    const streams = await upload("long")
    await server.post(`${streams}/hls`, { headers: { prefer: "wait=60" } })
    const token = await server.makeToken(bucket.tenantId, "File Reader")
    const { page } = await open(`${server.url}/api/v1${streams}/hls?apiKey=${token}&autoplay&muted`)
    await Watch.until(page, "video.currentTime > 0.2")
    const tokens = await server.get(`/tenants/${bucket.tenantId}/tokens`)
    const { items } = (await tokens.json()) as { readonly items: ReadonlyArray<{ id: string; prefix: string }> }
    const { id } = items.find(({ prefix }) => token.startsWith(prefix)) ?? { id: "" }
    expect((await server.delete(`/tenants/${bucket.tenantId}/tokens/${id}`)).status).toBe(204)
    // Beyond what the player has already.
    await page.evaluate("void (video.currentTime = 110)")
    await Watch.says(page, "This link is not valid any more. Ask for a new one.")
    await page.context().close()
  })
})
