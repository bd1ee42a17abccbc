/**
 * End to end: a video is uploaded, converted with FFmpeg, and played in Chromium.
 */
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as FfmpegTranscoder from "@holdfast/ffmpeg/FfmpegTranscoder"
import * as Browser from "@holdfast/testing/Browser"
import * as Requires from "@holdfast/testing/Requires"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Os from "node:os"
import * as Path from "node:path"
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest"
import * as TestServer from "../support/TestServer.ts"
import * as BrowserSetup from "./support/BrowserSetup.ts"
import * as SampleStreams from "./support/SampleStreams.ts"
import * as PlayerTab from "./support/PlayerTab.ts"

/** Makes a wrapper of ffmpeg that reads at twice the normal speed while there is a file `slow` in its directory. */
const switchableFfmpeg = async (directory: string): Promise<string> => {
  const real = (name: string) => execFileSync("/bin/sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim()
  const lines = [
    "#!/bin/sh",
    `case "$*" in *-progress*) [ -e "${directory}/slow" ] && exec ${real("ffmpeg")} -readrate 2 "$@" ;; esac`,
    `exec ${real("ffmpeg")} "$@"`
  ]
  await Fs.writeFile(Path.join(directory, "ffmpeg"), `${lines.join("\n")}\n`, { mode: 0o755 })
  await Fs.symlink(real("ffprobe"), Path.join(directory, "ffprobe"))
  return Path.join(directory, "ffmpeg")
}

Requires.requires(BrowserSetup.missing).describe("uploaded video", () => {
  let server: TestServer.TestServer
  let chromium: Awaited<ReturnType<typeof Browser.launch>>
  let bucket: { readonly tenantId: string; readonly bucketId: string }
  let reader: string
  let directory: string

  vi.setConfig({ testTimeout: 90_000 })
  beforeAll(async () => {
    directory = await Fs.mkdtemp(Path.join(Os.tmpdir(), "holdfast-playing-"))
    const ffmpeg = await switchableFfmpeg(directory)
    server = await TestServer.start({
      // In a sandbox the script would not see the file that makes it slow.
      transcoder: FfmpegTranscoder.layer({ niceness: 0, ffmpeg, preset: "ultrafast", sandbox: "off" }),
      worker: {}
    })
    chromium = await Browser.launch()
    bucket = await server.makeBucket()
    reader = await server.makeToken(bucket.tenantId, "File Reader")
  })
  afterAll(async () => {
    await chromium.close()
    await server.close()
    await Fs.rm(directory, { recursive: true, force: true })
    vi.resetConfig()
  })

  const upload = async (name: SampleStreams.Name) => {
    const { path } = await server.makeFile(bucket, await SampleStreams.video(name), {
      name: `${name}-${Math.random()}.mp4`
    })
    return `${path}/streams`
  }
  const address = (streams: string, format: Format, query: string) =>
    `${server.url}/api/v1${streams}/${format}?apiKey=${reader}${query}`
  const open = async (url: string) => {
    const context = await chromium.newContext()
    const responses: Array<{ readonly url: URL; readonly status: number }> = []
    context.on("response", (response) => responses.push({ url: new URL(response.url()), status: response.status() }))
    return { ...(await PlayerTab.open(context, url)), responses }
  }
  type Responses = Awaited<ReturnType<typeof open>>["responses"]

  /** Expects that the page requested every file of the stream with a key, and that the server rejects it without one. */
  const expectKeys = async (soFar: Responses, segment: RegExp) => {
    // The page continues to send requests.
    const responses = [...soFar]
    const streams = responses.filter(({ url }) => url.pathname.includes("/streams"))
    expect(streams.some(({ url }) => segment.test(url.pathname))).toBe(true)
    for (const { status, url } of streams) {
      expect([url.pathname, status, url.searchParams.get("apiKey")]).toEqual([
        url.pathname,
        200,
        expect.stringMatching(/^hfp?_/)
      ])
    }
    const statuses = streams.map(async ({ url }) => (await fetch(`${url.origin}${url.pathname}`)).status)
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([401]))
    // All others are scripts and styles, which need no key.
    const others = responses.filter((one) => !streams.includes(one)).map(({ url }) => url.pathname)
    expect(others.filter((path) => !path.startsWith("/api/v1/players/"))).toEqual([])
  }

  type Case = [SampleStreams.Name, Format, number, number]

  it.each(
    BrowserSetup.choose<Case>(
      // A content that is packaged in both formats, one that is encoded, and audio alone.
      [
        ["plain", "hls", 320, 180],
        ["plain", "dash", 320, 180],
        ["foreign", "hls", 180, 320],
        ["sound", "hls", 0, 0]
      ],
      [
        ["portrait", "hls", 180, 320],
        ["portrait", "dash", 180, 320],
        ["foreign", "dash", 180, 320]
      ]
    )
  )("%s as %s → plays, with a key in each request", async (name, format, width, height) => {
    const streams = await upload(name)
    const converted = await server.post(`${streams}/${format}`, { headers: { prefer: "wait=60" } })
    expect(await converted.json()).toMatchObject({ state: "READY" })
    const { messages, page, responses } = await open(address(streams, format, "&autoplay&muted"))
    await PlayerTab.until(page, "video.currentTime > 0.5")
    expect(await PlayerTab.video(page)).toMatchObject({ videoWidth: width, videoHeight: height, paused: false })
    expect(messages).toEqual([])
    await expectKeys(responses, format === "hls" ? /index0\.ts$/ : /chunk-\d-1\.m4s$/)
    await page.context().close()
  })

  it.each<[SampleStreams.Name, Format]>([
    ["plain", "hls"],
    ["ladder", "hls"],
    ["plain", "dash"]
  ])("captions attached to a READY %s, %s → the viewer turns them on", async (name, format) => {
    const streams = await upload(name)
    const converted = await server.post(`${streams}/${format}`, { headers: { prefer: "wait=60" } })
    expect(await converted.json()).toMatchObject({ state: "READY" })
    const captions = { language: "de", text: "1\n00:00:00,200 --> 00:00:11,000\nHallo <b>du</b>\n" }
    expect((await server.post(`${streams}/captions`, { json: captions })).status).toBe(201)
    const { messages, page, responses } = await open(address(streams, format, "&autoplay&muted"))
    await PlayerTab.openSettings(page)
    const menu = page.getByRole("combobox", { name: "Captions" })
    await menu.selectOption("Deutsch")
    const cues = `[...video.textTracks].filter(({ mode }) => mode === "showing").flatMap(({ activeCues }) => [...activeCues ?? []])`
    await PlayerTab.until(page, `${cues}.some(({ text }) => /Hallo/.test(text)) && video.currentTime > 0.5`)
    expect(messages).toEqual([])
    await expectKeys(responses, /captions-[0-9a-f-]+\.vtt$/)
    await page.context().close()
  })

  it("HLS plays while the conversion runs → plays to its end", async () => {
    const streams = await upload("plain")
    await Fs.writeFile(Path.join(directory, "slow"), "")
    onTestFinished(() => Fs.rm(Path.join(directory, "slow")))
    await server.post(`${streams}/hls`, { json: { mode: "transcode" } })
    const early = await (await server.get(`${streams}/hls/playlist.m3u8`)).text()
    expect(early).toContain("index0.ts")
    expect(early).not.toContain("#EXT-X-ENDLIST")
    const { messages, page, responses } = await open(address(streams, "hls", "&autoplay&muted&speed=4"))
    await PlayerTab.until(page, "video.ended")
    expect((await PlayerTab.video(page)).currentTime).toBeCloseTo(12, 0)
    expect(messages).toEqual([])
    expect(responses.filter(({ url }) => url.pathname.endsWith("playlist.m3u8")).length).toBeGreaterThan(1)
    await expectKeys(responses, /index2\.ts$/)
    await page.context().close()
  })

  // DASH plays when the conversion has ended, so that a stream of one rendition shows the same in less time.
  it.each<[Format, SampleStreams.Name, ReadonlyArray<number>]>([
    ["hls", "ladder", [360, 480]],
    ["dash", "foreign", [320]]
  ])("page is opened during the conversion, %s → plays to its end", async (format, name, heights) => {
    const streams = await upload(name)
    expect((await server.post(`${streams}/${format}`)).status).toBe(202)
    const { messages, page } = await open(address(streams, format, "&autoplay&muted&speed=4"))
    await PlayerTab.until(page, "video.ended")
    const { duration, videoHeight } = await PlayerTab.video(page)
    expect(duration).toBeCloseTo(6, 0)
    expect(heights).toContain(videoHeight)
    expect(messages).toEqual([])
    await page.context().close()
  })

  it("READY, with parameters → applied", async () => {
    const streams = await upload("plain")
    const converted = await server.post(`${streams}/hls`, { headers: { prefer: "wait=60" } })
    expect(await converted.json()).toMatchObject({ state: "READY" })
    const { messages, page } = await open(address(streams, "hls", "&autoplay&muted&seek=5&width=400&repeat"))
    await PlayerTab.until(page, "video.currentTime > 5.2")
    expect(await PlayerTab.video(page)).toMatchObject({
      clientHeight: 225,
      clientWidth: 400,
      loop: true,
      videoWidth: 320
    })
    expect(await page.evaluate("new URL(video.dataset.poster, location.href).searchParams.has('apiKey')")).toBe(true)
    expect(messages).toEqual([])
    await page.context().close()
  })

  it("not converted, or invalid key → problem page", async () => {
    const streams = await upload("portrait")
    const page = await (await chromium.newContext()).newPage()
    const missing = await page.goto(address(streams, "hls", ""))
    expect(missing?.status()).toBe(404)
    await PlayerTab.shows(page, "This video has not been converted to this format yet.")
    const denied = await page.goto(`${server.url}/api/v1${streams}/hls?apiKey=hf_nonsense`)
    expect(denied?.status()).toBe(401)
    await PlayerTab.shows(page, "This link is not valid or has expired.")
    await page.context().close()
  })

  it("key is deleted while the page is open → playback ends with a message", async () => {
    const streams = await upload("long")
    await server.post(`${streams}/hls`, { headers: { prefer: "wait=60" } })
    const token = await server.makeToken(bucket.tenantId, "File Reader")
    const { page } = await open(`${server.url}/api/v1${streams}/hls?apiKey=${token}&autoplay&muted`)
    await PlayerTab.until(page, "video.currentTime > 0.2")
    const tokens = await server.get(`/tenants/${bucket.tenantId}/tokens`)
    const { items } = (await tokens.json()) as { readonly items: ReadonlyArray<{ id: string; prefix: string }> }
    const { id } = items.find(({ prefix }) => token.startsWith(prefix)) ?? { id: "" }
    expect((await server.delete(`/tenants/${bucket.tenantId}/tokens/${id}`)).status).toBe(204)
    // A position that the player has not buffered.
    await page.evaluate("void (video.currentTime = 110)")
    await PlayerTab.shows(page, "This link is not valid any more. Ask for a new one.")
    await page.context().close()
  })
})
