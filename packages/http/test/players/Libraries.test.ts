/**
 * Streams in the players of others: libraries in a page of another origin, which has the playback key of a stream and nothing else.
 *
 * `HOLDFAST_PLAYERS=all` (`pnpm players`) plays each kind of stream with each library; otherwise each library plays one kind in each
 * format, and each kind is played by one library in each format.
 */
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as Browser from "@holdfast/testing/Browser"
import * as Requires from "@holdfast/testing/Requires"
import * as Fs from "node:fs/promises"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"
import { expect, it, onTestFinished } from "vitest"
import { createClient } from "../../src/client/index.ts"
import * as Process from "../support/Process.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as BrowserSetup from "./support/BrowserSetup.ts"
import * as PlayerServer from "./support/PlayerServer.ts"
import * as PlayerTab from "./support/PlayerTab.ts"
import * as SampleStreams from "./support/SampleStreams.ts"

interface Library {
  /** The URL of the file of the package that defines a global variable. */
  readonly script: string
  readonly formats: ReadonlyArray<Format>
  /** Code that plays `source` of the media type `type` in `video`, and calls `fail` with an error that ends playback. */
  readonly play: string
}

const libraries = {
  "hls.js": {
    script: import.meta.resolve("hls.js/dist/hls.min.js"),
    formats: ["hls"],
    play: `
      const player = new Hls()
      player.on(Hls.Events.ERROR, (_, { details, fatal }) => fatal && fail(details))
      player.loadSource(source)
      player.attachMedia(video)`
  },
  "dash.js": {
    // The package exports no other file than its modules.
    script: new URL("../../node_modules/dashjs/dist/modern/umd/dash.all.min.js", import.meta.url).href,
    formats: ["dash"],
    play: `
      const player = dashjs.MediaPlayer().create()
      player.on("error", ({ error }) => fail(error.message))
      player.initialize(video, source, true)`
  },
  Shaka: {
    script: import.meta.resolve("shaka-player/dist/shaka-player.compiled.js"),
    formats: ["hls", "dash"],
    play: `
      shaka.polyfill.installAll()
      const player = new shaka.Player()
      player.addEventListener("error", ({ detail }) => fail(detail.code))
      player.attach(video).then(() => player.load(source)).catch(({ code, data }) => fail(code + " " + data))`
  },
  "video.js": {
    script: import.meta.resolve("video.js/dist/video.min.js"),
    formats: ["hls", "dash"],
    play: `
      const player = videojs(video)
      player.on("error", () => fail(player.error().message))
      player.src({ src: source, type })`
  }
} satisfies Readonly<Record<string, Library>>

type LibraryName = keyof typeof libraries

const types = { hls: "application/vnd.apple.mpegurl", dash: "application/dash+xml" }

/**
 * Packaged from the source, encoded in several renditions, several languages with captions, AC-3 beside AAC, H.265 with HDR beside H.264,
 * which this browser cannot play, sound that ends before the picture, packaged and encoded, and sound with pauses.
 */
const samples = ["plain", "ladder", "languages", "surround", "hdr", "quiet", "quietEncoded", "pauses"] as const

/** Seconds of those that last longer than 6. */
const durations: Partial<Record<(typeof samples)[number], number>> = {
  plain: 12,
  languages: 12,
  quiet: 90,
  quietEncoded: 90,
  pauses: 60
}

interface Case {
  readonly library: LibraryName
  readonly format: Format
  readonly sample: (typeof samples)[number]
}

/** The library that plays every kind of stream of a format in each run. */
const thorough: Readonly<Record<Format, LibraryName>> = { hls: "hls.js", dash: "Shaka" }

const cases: ReadonlyArray<Case> = Object.entries(libraries)
  .flatMap(([library, { formats }]) =>
    formats.flatMap((format) => samples.map((sample) => ({ library: library as LibraryName, format, sample })))
  )
  .filter(({ format, library, sample }) => BrowserSetup.isWhole || sample === "plain" || library === thorough[format])

/** Pages that play at the same time. */
const pagesAtOnce = 4

/** Returns the page that plays a stream with a library. */
const pageOf = ({ format, library }: Case, source: string) => `<!doctype html><title>${library}</title>
  <link rel="icon" href="data:,"><video id="video" autoplay muted></video><script src="/${library}"></script><script>
    const [video, source, type] = [document.getElementById("video"), ${JSON.stringify(source)}, "${types[format]}"]
    const fail = (reason) => (document.title = "failed: " + reason)
    video.addEventListener("ended", () => (video.dataset.end = "reached"))
    ${libraries[library].play}
  </script>`

/** Serves the libraries and pages, on an origin of its own. */
const serveHost = async (pages: Map<string, string>): Promise<string> => {
  const scripts = new Map<string, Buffer>()
  for (const { library } of cases)
    scripts.set(`/${library}`, await Fs.readFile(fileURLToPath(libraries[library].script)))
  const host = createServer(({ url = "/" }, response) => {
    const script = scripts.get(url)
    response.setHeader("content-type", script === undefined ? "text/html" : "text/javascript")
    response.end(script ?? pages.get(url))
  })
  onTestFinished(() => void host.close())
  return (await PlayerServer.listen(host)).replace("127.0.0.1", "localhost")
}

Requires.requires(BrowserSetup.missing).describe("libraries of others", () => {
  it("each library and stream → plays from the beginning and to the end", { timeout: 480_000 }, async () => {
    const pages = new Map<string, string>()
    const origin = await serveHost(pages)
    const service = await ServiceBucket.start({
      env: { ...Process.converting, HOLDFAST_CORS_ORIGINS: origin, HOLDFAST_VIDEO_HEVC: "on" }
    })
    const { api, bucketId, tenantId } = service
    const client = createClient({ url: service.service.url, apiKey: service.key })
    for (const sample of samples) {
      const path = await ServiceBucket.uploadFile(service, sample, await SampleStreams.video(sample))
      const fileId = path.slice(path.lastIndexOf("/") + 1)
      for (const format of ["hls", "dash"] as const) {
        const answer = await api.post(`${path}/streams/${format}`, { headers: { prefer: "wait=60" } })
        if (sample === "hdr") {
          expect(await answer.json()).toMatchObject({ renditions: [{ name: "180p" }, { name: "hevc" }] })
        }
        const key = await client.streams.playbackKey({ tenantId, bucketId, fileId, format, expiresIn: 3600 })
        for (const one of cases.filter((one) => one.format === format && one.sample === sample)) {
          pages.set(`/${one.library}/${format}/${sample}`, pageOf(one, key.playlistUrl))
        }
      }
    }

    const chromium = await Browser.launch()
    onTestFinished(() => chromium.close())
    const play = async ({ format, library, sample }: Case) => {
      const context = await chromium.newContext()
      const page = await context.newPage()
      await page.goto(`${origin}/${library}/${format}/${sample}`)
      // Beyond the end of the sound, or its gap.
      const begun = sample === "pauses" ? 19 : sample.startsWith("quiet") ? 9 : 0.5
      await PlayerTab.until(page, `video.currentTime > ${begun} || document.title.startsWith('failed')`)
      const { duration, videoHeight } = await PlayerTab.video(page)
      const loadsHevc = "performance.getEntriesByType('resource').some(({ name }) => name.includes('/hevc/'))"
      const hasHevc = await page.evaluate(loadsHevc)
      const seek = "document.querySelector('video').currentTime = document.querySelector('video').duration - 0.5"
      if (Number.isFinite(duration)) await page.evaluate(seek)
      // Not `video.ended`: it becomes false again where a library pauses or seeks after the end. One that pauses at the end gets no event.
      const hasEnded = "video.dataset.end === 'reached' || video.currentTime >= video.duration"
      await PlayerTab.until(page, `${hasEnded} || document.title.startsWith('failed')`)
      const title = await page.title()
      await context.close()
      return { library, format, sample, title, seconds: Math.round(duration), hasPicture: videoHeight > 0, hasHevc }
    }
    const results = new Array<Awaited<ReturnType<typeof play>>>()
    const queue = [...cases]
    const playNext = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) results.push(await play(next))
    }
    await Promise.all(Array.from({ length: pagesAtOnce }, playNext))
    const expected = cases.map(({ format, library, sample }) => {
      return {
        library,
        format,
        sample,
        title: library,
        seconds: durations[sample] ?? 6,
        hasPicture: true,
        hasHevc: false
      }
    })
    expect(new Set(results)).toEqual(new Set(expected))
  })
})
