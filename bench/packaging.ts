/**
 * Measures streams that are packaged when they are requested: `node bench/packaging.ts [--minutes LIST] [--rounds N] [--viewers N] [--first]`.
 *
 * Prints the processor time of a segment of 1.1 MB beside a view of a file of its size and beside nginx with such a file: of segments that
 * are requested repeatedly, which the service keeps in memory, and of those that are requested for the first time. Then how much the memory
 * of the service grows while many viewers read segments at once: those that it keeps, and more than it keeps. And for videos of several
 * durations how long a request takes until a player has the first segment of a stream, and the bytes that both formats store. The service's
 * ffmpeg only fails, so that neither posters nor lower renditions are included. It is the published program: the memory depends on that.
 */
import { createHash } from "node:crypto"
import { copyFile, mkdir, open, readdir, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Nginx from "./support/baselines/Nginx.ts"
import * as Conversions from "./support/fixtures/Conversions.ts"
import * as Database from "./support/fixtures/Database.ts"
import * as HoldfastService from "./support/fixtures/HoldfastService.ts"
import * as PublishedProgram from "./support/fixtures/PublishedProgram.ts"
import * as StubTranscoder from "./support/fixtures/StubTranscoder.ts"
import * as TemporaryDirectory from "./support/fixtures/TemporaryDirectory.ts"
import * as Tenancy from "./support/fixtures/Tenancy.ts"
import * as Videos from "./support/fixtures/Videos.ts"
import type { Outgoing } from "./support/load/LoadJob.ts"
import * as LoadProcess from "./support/load/LoadProcess.ts"
import * as LoadSubject from "./support/load/LoadSubject.ts"
import * as Requests from "./support/load/Requests.ts"
import { attempt } from "./support/run/BenchFailure.ts"
import * as CommonArguments from "./support/run/CommonArguments.ts"
import * as Main from "./support/run/Main.ts"
import * as CpuMeter from "./support/stats/CpuMeter.ts"
import * as MemoryMeter from "./support/stats/MemoryMeter.ts"
import type { Measurement } from "./support/stats/Measurement.ts"
import { interleave, type Subject } from "./support/stats/Rounds.ts"

interface Arguments {
  readonly minutes: ReadonlyArray<number>
  readonly rounds: number
  readonly viewers: number
  readonly isFirstOnly: boolean
  readonly directory: string | undefined
  readonly profile: string | undefined
}

const usage = [
  "node bench/packaging.ts [options]",
  "",
  "  --minutes LIST    durations of the videos that are requested; 1,5,60,180 when absent, none for 0",
  "  --rounds N        rounds of segments and views, in turns; 5 when absent",
  "  --viewers N       connections that read segments at once; 200 when absent",
  "  --first           only the segments that are requested for the first time",
  "  --directory DIR   for temporary files",
  "  --profile DIR     for a CPU profile of the service",
  "  --help",
  ""
].join("\n")

const parse = (args: ReadonlyArray<string>): Arguments | undefined => {
  const { directory, help, profile } = CommonArguments.options
  const { values } = parseArgs({
    args: [...args],
    options: {
      directory,
      profile,
      help,
      minutes: { type: "string", default: "1,5,60,180" },
      rounds: { type: "string", default: "5" },
      viewers: { type: "string", default: "200" },
      first: { type: "boolean", default: false }
    }
  })
  if (values.help) return undefined
  const minutes = values.minutes.split(",").map(Number)
  const [rounds, viewers] = [Number(values.rounds), Number(values.viewers)]
  const isRight = minutes.every((one) => one >= 0) && rounds >= 1 && viewers >= 1
  if (!isRight) throw new Error("--minutes must be numbers, --rounds and --viewers at least 1.")
  const durations = minutes.filter((one) => one > 0)
  const { directory: parent, first: isFirstOnly, profile: profiles } = values
  return { minutes: durations, rounds, viewers, isFirstOnly, directory: parent, profile: profiles }
}

type Service = HoldfastService.HoldfastService

const seconds = 60
/** Of the video whose segments are read. Those of four seconds have 1.1 MB. */
const kilobits = 1800
/** Of the videos each segment of which is requested once. */
const longMinutes = 10
/** Of such videos, that are read before the first round: the code has reached its full speed then. */
const warmUps = 3
const connections = 4
/** At the beginning of a segment, as a player requests them by an I-frame playlist. */
const keyframeBytes = 20_000
/** Of a round, and of the viewers each. */
const requestsOfRound = 200
const requestsOfViewer = 15
const requestsBeforeViewers = 600
const sampleInterval = "10 millis"

const mebibytes = (bytes: number): string => (bytes / 1024 ** 2).toFixed(1)

/** Returns the bytes of all files below a directory. */
const bytesBelow = (directory: string) =>
  attempt("The size of the contents", async () => {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile())
    const sizes = await Promise.all(
      files.map(async ({ name, parentPath }) => (await stat(join(parentPath, name))).size)
    )
    return sizes.reduce((sum, size) => sum + size, 0)
  })

/** Waits until the disk has a file, so that the syncs of the service do not wait for it. */
const writeBack = (path: string) =>
  attempt("Writing a video to the disk", async () => {
    const file = await open(path, "r+")
    await file.sync()
    await file.close()
  })

/** Requests a stream of a video in both formats. */
const measureRequest = (service: Service, blobs: string, path: string, minutes: number) =>
  Effect.gen(function* () {
    const before = yield* bytesBelow(blobs)
    const video = yield* Conversions.store(service, `minutes-${minutes}.mp4`, path)
    const stored = yield* bytesBelow(blobs)
    const cpuBefore = yield* CpuMeter.ofProcess(service.holdfast.pid)
    const start = performance.now()
    yield* Conversions.convert(video, "hls")
    const ready = performance.now() - start
    yield* Conversions.readFirstSegment(video)
    const playable = performance.now() - start
    const used = ((yield* CpuMeter.ofProcess(service.holdfast.pid)) - cpuBefore) * 1000
    const again = performance.now()
    yield* Conversions.convert(video, "dash")
    const dash = performance.now() - again
    const added = (yield* bytesBelow(blobs)) - stored
    const share = (stored - before + added) / (stored - before)
    yield* Main.print(
      `${String(minutes).padStart(4)} min: READY after ${ready.toFixed(0)} ms, first segment of HLS after ` +
        `${playable.toFixed(0)} ms (${used.toFixed(0)} ms of processor time), DASH READY after ${dash.toFixed(0)} ms; ` +
        `stores ${share.toFixed(4)} times the ${mebibytes(stored - before)} MiB of the video with both formats\n`
    )
  })

/** Returns the address of the segments of DASH, with the variables of the manifest. */
const dashTemplate = (service: Service, video: Conversions.Video) =>
  attempt("The manifest", async () => {
    const answer = await fetch(`http://127.0.0.1:${service.port}${video.streams("/dash/manifest.mpd")}`)
    const text = await answer.text()
    const template = /media="([^"]+)"/.exec(text)?.[1]
    if (!answer.ok || template === undefined) throw new Error(`${answer.status} ${text}`)
    return template.replaceAll("&amp;", "&")
  })

/** Returns the requests of a stream's segments. Those of the end are left out: they are shorter. */
const segmentsOf = (service: Service, video: Conversions.Video) =>
  Effect.gen(function* () {
    const hls = (yield* Conversions.hlsSegments(video)).slice(0, -1)
    const [name = "", query = ""] = (yield* dashTemplate(service, video)).split("?")
    const dash = hls.map((_, index) => {
      const file = name.replace("$RepresentationID$", "0").replace("$Number$", String(index + 1))
      return `${video.streams(`/dash/${file}`).split("?")[0]}?${query}`
    })
    const toRequests = (paths: ReadonlyArray<string>, headers = ""): ReadonlyArray<Outgoing> =>
      paths.map((path) => Requests.get(path, headers))
    const view = video.streams("").replace("/streams?", "/view?")
    const keyframes = toRequests(hls, `Range: bytes=0-${keyframeBytes - 1}\r\n`)
    return { path: hls.at(-1) ?? "", view, hls: toRequests(hls), dash: toRequests(dash), keyframes }
  })

/** Returns the bytes of a segment. */
const sizeOf = (service: Service, path: string) =>
  attempt("A segment", async () => {
    const answer = await fetch(`http://127.0.0.1:${service.port}${path}`)
    const { byteLength } = await answer.arrayBuffer()
    if (!answer.ok || byteLength === 0) throw new Error(`${answer.status}, ${byteLength} bytes`)
    return byteLength
  })

/** Of the rounds: the system counts processor time in steps of 10 ms, which are a fifth of a round of nginx. */
const meanCpuMs = ({ rounds }: Measurement): number => rounds.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / rounds.length

/** Measures subjects, and prints the processor time of a request beside those of the first subject, a view, and of nginx. */
const printRounds = (subjects: ReadonlyArray<Subject>, rounds: number, of: string) =>
  Effect.gen(function* () {
    const measured = yield* interleave(subjects, rounds)
    const times = measured.map(meanCpuMs)
    const [view = Number.NaN] = times
    const nginx = Nginx.isInstalled ? times.at(-1) : undefined
    for (const [index, { name }] of measured.entries()) {
      const time = times[index] ?? Number.NaN
      yield* Main.print(
        `${name.padEnd(16)} (${of}): ${time.toFixed(2)} ms of processor time, ${(time / view).toFixed(2)} × a view` +
          `${nginx === undefined ? "" : `, ${(time / nginx).toFixed(2)} × nginx`}\n`
      )
    }
  })

interface Measured {
  readonly directory: string
  readonly rounds: number
}

/** Compares segments with views, and with files of nginx. */
const compareSegments = (
  service: Service,
  segments: Effect.Success<ReturnType<typeof segmentsOf>>,
  { bytes, directory, rounds }: Measured & { readonly bytes: number }
) =>
  Effect.gen(function* () {
    const id = yield* Tenancy.store(service, bytes)
    const common = { ...service, connections, status: 200, count: requestsOfRound, unitsPerRequest: 1 }
    const subject = (name: string, requests: ReadonlyArray<Outgoing>, other: Partial<LoadSubject.Options> = {}) =>
      LoadSubject.make({ ...common, warmUp: requestsOfRound, name, requests, ...other })
    const subjects = [
      subject("view", [Requests.get(service.tenancy.files(`/${id}/view`))]),
      subject("segment of HLS", segments.hls),
      subject("segment of DASH", segments.dash)
    ]
    if (Nginx.isInstalled) {
      const files = join(directory, "nginx")
      yield* attempt("A file for nginx", async () => {
        await mkdir(files)
        await writeFile(join(files, "segment"), createHash("shake256", { outputLength: bytes }).digest())
      })
      const nginx = yield* Nginx.start(files)
      const server = { port: nginx.port, cpu: { server: CpuMeter.ofProcess(nginx.pid) } }
      subjects.push(subject("file of nginx", [Requests.get("/segment")], server))
    }
    yield* printRounds(subjects, rounds, `${bytes} bytes`)
  })

/** Waits until the service has done what it does after a stream is READY, such as comparing the content with its record. */
const untilIdle = ({ holdfast }: Service) =>
  Effect.gen(function* () {
    while (true) {
      const before = yield* CpuMeter.ofProcess(holdfast.pid)
      yield* Effect.sleep("1 second")
      if ((yield* CpuMeter.ofProcess(holdfast.pid)) - before < 0.05) return
    }
  })

/** Requests a stream of a video in both formats. Returns the requests of its segments. */
const prepare = (service: Service, name: string, path: string) =>
  Effect.gen(function* () {
    const video = yield* Conversions.store(service, name, path)
    yield* Conversions.convert(video, "hls")
    yield* Conversions.convert(video, "dash")
    return yield* segmentsOf(service, video)
  })

/** Returns a subject that makes the next one of several lists of requests in each round, each over one connection. */
const once = (
  server: LoadSubject.LoadedServer,
  name: string,
  status: number,
  lists: ReadonlyArray<ReadonlyArray<Outgoing>>
): Subject => {
  const queue = lists.values()
  const round = Effect.suspend(() => {
    const requests = queue.next().value ?? []
    const count = requests.length
    return LoadSubject.make({ ...server, name, requests, connections: 1, status, count, warmUp: 0, unitsPerRequest: 1 })
      .round
  })
  return { name, warmUp: Effect.replicateEffect(round, warmUps), round }
}

/**
 * Requests each segment of longer videos once, so that no segment is in the memory of the service, beside views of as many bytes of
 * the content.
 */
const measureFirstRequests = (service: Service, path: string, { directory, rounds }: Measured) =>
  Effect.gen(function* () {
    const bytes = yield* attempt("The size of a video", async () => (await stat(path)).size)
    const videos = yield* Effect.forEach(Array.from({ length: warmUps + rounds }).keys(), (index) =>
      prepare(service, `long-${index}.mp4`, path)
    )
    const count = videos[0]?.hls.length ?? 0
    const length = Math.floor(bytes / (count + 1))
    const parts = (address: string): ReadonlyArray<Outgoing> =>
      Array.from({ length: count }, (_, part) =>
        Requests.get(address, `Range: bytes=${part * length}-${(part + 1) * length - 1}\r\n`)
      )
    const subjects = [
      once(
        service,
        "view",
        206,
        videos.map(({ view }) => parts(view))
      ),
      once(
        service,
        "segment of HLS",
        200,
        videos.map(({ hls }) => hls)
      ),
      once(
        service,
        "segment of DASH",
        200,
        videos.map(({ dash }) => dash)
      ),
      once(
        service,
        "keyframe of HLS",
        206,
        videos.map(({ keyframes }) => keyframes)
      )
    ]
    if (Nginx.isInstalled) {
      const files = join(directory, "nginx-first")
      yield* attempt("A file for nginx", async () => {
        await mkdir(files)
        await copyFile(path, join(files, "video"))
      })
      const nginx = yield* Nginx.start(files)
      const server = { ...service, port: nginx.port, cpu: { server: CpuMeter.ofProcess(nginx.pid) } }
      subjects.push(
        once(
          server,
          "file of nginx",
          206,
          videos.map(() => parts("/video"))
        )
      )
    }
    yield* untilIdle(service)
    yield* printRounds(subjects, rounds, `first request, ${length} bytes`)
    return { hls: videos.flatMap(({ hls }) => hls), dash: videos.flatMap(({ dash }) => dash) }
  })

/** Reads segments over many connections at once, and observes the memory of the service. */
const measureViewers = (service: Service, name: string, requests: ReadonlyArray<Outgoing>, viewers: number) =>
  Effect.gen(function* () {
    const { holdfast, port, runLoad } = service
    const read = MemoryMeter.ofProcess(holdfast.pid)
    const load = (open: number, count: number) =>
      runLoad({ port, requests, connections: open, count, status: 200, firstNumber: 0 })
    yield* load(connections, requestsBeforeViewers)
    const before = yield* read
    let most = before
    const watch = yield* Effect.forkChild(
      Effect.forever(
        Effect.andThen(
          Effect.map(read, (bytes) => (most = Math.max(most, bytes))),
          Effect.sleep(sampleInterval)
        )
      )
    )
    const { medianMs, wallMs } = yield* load(viewers, viewers * requestsOfViewer)
    yield* Fiber.interrupt(watch)
    yield* Main.print(
      `${viewers} viewers at once, ${name}, ${viewers * requestsOfViewer} segments in ${(wallMs / 1000).toFixed(1)} s: ` +
        `${mebibytes(before)} MiB before, ${mebibytes(most - before)} MiB more at most, ` +
        `${mebibytes((most - before) / viewers)} MiB for each; median of a request ${medianMs.toFixed(0)} ms\n`
    )
  })

const measure = ({ directory: parent, isFirstOnly, minutes, profile, rounds, viewers }: Arguments) =>
  Effect.gen(function* () {
    yield* Videos.requireFfmpeg
    const directory = yield* TemporaryDirectory.make(parent, 2 ** 33)
    const runLoad = yield* LoadProcess.start({ log: join(directory, "load.log") })
    const script = yield* PublishedProgram.build(directory)
    const context = { database: Database.sqlite, directory, profile, runLoad, script }
    const environment = yield* StubTranscoder.make(join(directory, "programs"))
    const service = yield* HoldfastService.start(context, environment)
    const blobs = join(HoldfastService.dataDirectory(directory), "blobs")

    const path = join(directory, "segments.mp4")
    yield* Videos.generatePlayable(path, seconds, kilobits)
    const long = join(directory, "long.mp4")
    yield* Videos.repeat(path, long, longMinutes)
    if (isFirstOnly) return void (yield* measureFirstRequests(service, long, { directory, rounds }))
    const segments = yield* prepare(service, "segments.mp4", path)
    const bytes = yield* sizeOf(service, segments.path)
    yield* compareSegments(service, segments, { bytes, directory, rounds })
    const many = yield* measureFirstRequests(service, long, { directory, rounds })
    yield* measureViewers(service, "HLS", segments.hls, viewers)
    yield* measureViewers(service, "DASH", segments.dash, viewers)
    yield* measureViewers(service, "HLS not in memory", many.hls, viewers)
    yield* measureViewers(service, "DASH not in memory", many.dash, viewers)

    const minute = join(directory, "minute.mp4")
    yield* Videos.generatePlayable(minute, seconds)
    for (const duration of minutes) {
      const path = join(directory, "repeated.mp4")
      yield* Videos.repeat(minute, path, duration)
      yield* writeBack(path)
      yield* measureRequest(service, blobs, path, duration)
    }
  }).pipe(Effect.scoped)

Main.runMain(parse, usage, (args) => Effect.as(measure(args), 0))
