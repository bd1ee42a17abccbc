/**
 * Measures how soon a video plays in Chromium: `node bench/playback.ts [--rounds N] [--seconds N] [--kbits N]`.
 *
 * A 1080p video of 6 Mbit/s is played as it was uploaded, with the ladder below it, and encoded as a whole. For each, and for HLS and DASH:
 * the time from the navigation to the first frame over a slow line, and how long the player then takes to show 1080 lines over a fast one.
 * The service runs on SQLite, on the same machine as the browser.
 */
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Browser from "@holdfast/testing/Browser"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Api from "./support/fixtures/Api.ts"
import * as Conversions from "./support/fixtures/Conversions.ts"
import * as Database from "./support/fixtures/Database.ts"
import * as HoldfastProcess from "./support/fixtures/HoldfastProcess.ts"
import * as TemporaryDirectory from "./support/fixtures/TemporaryDirectory.ts"
import * as Tenancy from "./support/fixtures/Tenancy.ts"
import * as Videos from "./support/fixtures/Videos.ts"
import { attempt, BenchFailure } from "./support/run/BenchFailure.ts"
import * as CommonArguments from "./support/run/CommonArguments.ts"
import * as Main from "./support/run/Main.ts"

interface Arguments {
  readonly rounds: number
  readonly seconds: number
  readonly kbits: number
}

type Chromium = Awaited<ReturnType<typeof Browser.launch>>

const defaults = { rounds: "3", seconds: "60", kbits: "1100" }

const usage = [
  "node bench/playback.ts [options]",
  "",
  `  --rounds N    times that each player page is opened; ${defaults.rounds} when absent`,
  `  --seconds N   seconds of the video; ${defaults.seconds} when absent`,
  `  --kbits N     kbit/s of the slow line; ${defaults.kbits} when absent`,
  "  --help",
  ""
].join("\n")

const parse = (args: ReadonlyArray<string>): Arguments | undefined => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: defaults.rounds },
      seconds: { type: "string", default: defaults.seconds },
      kbits: { type: "string", default: defaults.kbits },
      help: { type: "boolean", default: false }
    }
  })
  if (values.help) return undefined
  return CommonArguments.numbers(values, { rounds: [1], seconds: [20], kbits: [100] })
}

/** Lines of the uploaded video. */
const lines = 1080

/** Milliseconds of the line in each direction. */
const latency = 40

/** How long a page may take. */
const timeout = 60_000

const Stream = Schema.Struct({ renditions: Schema.Array(Schema.Struct({ name: Schema.String })) })

/** Resolves with the milliseconds from the navigation to the first frame, and its lines. */
const readFirstFrame = `new Promise((resolve) => {
  const video = document.querySelector("video")
  const frame = () => resolve({ after: performance.now(), lines: video.videoHeight })
  if (video.readyState >= 2) frame()
  else video.addEventListener("loadeddata", frame, { once: true })
})`

/** Resolves with the milliseconds until the video has as many lines; with null if it ends before. */
const readLines = `new Promise((resolve) => {
  const video = document.querySelector("video")
  const start = performance.now()
  const check = () => {
    if (video.videoHeight >= ${lines}) resolve(performance.now() - start)
    else if (video.ended) resolve(null)
    else setTimeout(check, 20)
  }
  check()
})`

interface FirstFrame {
  readonly after: number
  readonly lines: number
}

/** Opens a player over a slow line, which becomes fast with the first frame. */
const play = async (chromium: Chromium, url: string, kbits: number) => {
  const context = await chromium.newContext({ viewport: { width: 1920, height: lines } })
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(timeout)
    const session = await context.newCDPSession(page)
    const limit = (downloadThroughput: number) =>
      session.send("Network.emulateNetworkConditions", {
        offline: false,
        latency,
        downloadThroughput,
        uploadThroughput: -1
      })
    await session.send("Network.enable")
    await limit((kbits * 1000) / 8)
    await page.goto(url, { waitUntil: "commit" })
    await page.locator("video").waitFor({ state: "attached" })
    const first = await page.evaluate<FirstFrame>(readFirstFrame)
    await limit(-1)
    return { first, best: await page.evaluate<number | null>(readLines) }
  } finally {
    await context.close()
  }
}

const run = ({ kbits, rounds, seconds }: Arguments): Effect.Effect<number, BenchFailure> =>
  Effect.gen(function* () {
    if (Browser.missing !== undefined) return yield* new BenchFailure({ message: Browser.missing })
    yield* Videos.requireFfmpeg
    const parent = yield* TemporaryDirectory.make(undefined, 2 * 1024 * 1024 * 1024)
    const path = join(parent, "video.mp4")
    yield* Videos.generateFullHd(path, seconds)
    const directory = join(parent, "holdfast")
    const database = yield* Database.sqlite.create(directory)
    const rootKey = yield* HoldfastProcess.mintRootKey
    const holdfast = yield* HoldfastProcess.start({ directory, database, rootKey })
    const tenancy = yield* Tenancy.make(holdfast, "playback")
    const launched = attempt("Chromium", () => Browser.launch("--autoplay-policy=no-user-gesture-required"))
    const chromium = yield* Effect.acquireRelease(launched, (browser) => Effect.promise(() => browser.close()))

    yield* Main.print(
      `${seconds} s of ${lines}p, over a line of ${kbits} kbit/s that becomes fast with the first frame:\n`
    )
    for (const format of ["hls", "dash"] as const) {
      for (const mode of ["auto", "transcode"] as const) {
        const video = yield* Conversions.store({ holdfast, tenancy }, `${format}-${mode}.mp4`, path)
        yield* Conversions.convert(video, format, mode)
        const url = `http://127.0.0.1:${holdfast.port}${video.streams(`/${format}`)}`
        const measure = (name: string) =>
          Effect.gen(function* () {
            for (let round = 0; round < rounds; round++) {
              const opened = attempt("The player", () => play(chromium, `${url}&autoplay&muted`, kbits))
              const { best, first } = yield* opened
              const climbed =
                best === null ? `no ${lines} lines to the end` : `${lines} lines ${(best / 1000).toFixed(1)} s later`
              yield* Main.print(
                `${format}, ${name}: first frame after ${(first.after / 1000).toFixed(1)} s with ${first.lines} lines, ${climbed}\n`
              )
            }
          })
        if (mode === "auto") {
          yield* measure("at once")
          const renditions = Api.requestAs(Stream, "POST", url)
          yield* Effect.repeat(Effect.delay(renditions, "1 second"), {
            until: (stream) => stream.renditions.length > 1
          })
        }
        yield* measure(mode === "auto" ? "with its ladder" : "encoded")
      }
    }
    return 0
  }).pipe(Effect.scoped)

Main.runMain(parse, usage, run)
