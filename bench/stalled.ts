/**
 * Measures the memory of clients that stop in the middle: `node bench/stalled.ts [request…] [--connections N]`.
 *
 * For each kind of request, opens that many connections to a service that has just started. Each sends a request and reads nothing of the
 * response, or sends a body without its end. Prints how much the resident memory of the service grows. The buffers of sockets do not count,
 * and those of the loopback interface hold most responses. As root on Linux, run it where they have 128 KiB at most, as on a slow line:
 *
 *     unshare --net sh -c 'ip link set lo up && sysctl -q -w net.ipv4.tcp_wmem="4096 16384 131072" net.ipv4.tcp_rmem="4096 65536 131072" &&
 *       node bench/stalled.ts'
 */
import { mkdir } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import * as Api from "./support/fixtures/Api.ts"
import * as Conversions from "./support/fixtures/Conversions.ts"
import * as Database from "./support/fixtures/Database.ts"
import * as HoldfastService from "./support/fixtures/HoldfastService.ts"
import * as PublishedProgram from "./support/fixtures/PublishedProgram.ts"
import * as StubTranscoder from "./support/fixtures/StubTranscoder.ts"
import * as TemporaryDirectory from "./support/fixtures/TemporaryDirectory.ts"
import * as Tenancy from "./support/fixtures/Tenancy.ts"
import * as Videos from "./support/fixtures/Videos.ts"
import * as LoadProcess from "./support/load/LoadProcess.ts"
import * as Requests from "./support/load/Requests.ts"
import { attempt, type BenchFailure } from "./support/run/BenchFailure.ts"
import * as CommonArguments from "./support/run/CommonArguments.ts"
import * as Main from "./support/run/Main.ts"
import * as MemoryMeter from "./support/stats/MemoryMeter.ts"

interface Kind {
  readonly name: "view" | "records" | "segment" | "playlist" | "json" | "upload"
}

const kinds: ReadonlyArray<Kind> = [
  { name: "view" },
  { name: "records" },
  { name: "segment" },
  { name: "playlist" },
  { name: "json" },
  { name: "upload" }
]

interface Arguments {
  readonly connections: number
  readonly kinds: ReadonlyArray<Kind>
  readonly directory: string | undefined
}

const usage = [
  "node bench/stalled.ts [request…] [options]",
  "",
  `Requests: ${kinds.map(({ name }) => name).join(", ")}; all without any.`,
  "",
  "  --connections N   connections of each kind of request; 200 when absent",
  "  --directory DIR   for temporary files",
  "  --help",
  ""
].join("\n")

const parse = (args: ReadonlyArray<string>): Arguments | undefined => {
  const { directory, help } = CommonArguments.options
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { directory, help, connections: { type: "string", default: "200" } }
  })
  if (values.help) return undefined
  return {
    ...CommonArguments.numbers(values, { connections: [1] }),
    kinds: CommonArguments.select("request", positionals, kinds),
    directory: values.directory
  }
}

/** Minutes of the video. */
const minutes = 180
const records = 1000
const bodyBytes = 1024 * 1024
/** Samples of the memory, a tenth of a second apart, in which it does not grow any more. */
const quietSamples = 50

const mebibytes = (bytes: number): string => (bytes / 1024 ** 2).toFixed(1)

type Service = HoldfastService.HoldfastService

/** Returns a request whose body lacks its last byte. */
const incomplete = (path: string, type: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${type}\r\nContent-Length: ${bodyBytes}\r\n\r\n`.padEnd(
    bodyBytes,
    " "
  )

/** Packages a video. */
const prepareVideo = (service: Service, path: string) =>
  Effect.flatMap(Conversions.store(service, "video.mp4", path), (video) =>
    Effect.as(Conversions.convert(video, "hls"), video)
  )

/** Prepares what is requested, and returns the requests as texts. */
const prepare = ({ name }: Kind, service: Service, video: string): Effect.Effect<ReadonlyArray<string>, BenchFailure> =>
  Effect.gen(function* () {
    const { port, tenancy } = service
    const files = tenancy.files("")
    const get = (path: string): string => Requests.get(path).head
    switch (name) {
      case "view":
        return [get(tenancy.files(`/${yield* Tenancy.store(service, bodyBytes)}/view`))]
      case "records": {
        const metadata = { text: "x".repeat(900) }
        yield* Effect.forEach(
          Array.from({ length: records }).keys(),
          (n) => Api.request("POST", `http://127.0.0.1:${port}${files}`, { name: `${n}.txt`, path: "/", metadata }),
          { discard: true }
        )
        return [get(tenancy.path(`buckets/${tenancy.bucketId}/files`, `limit=${records}`))]
      }
      case "segment":
        return (yield* Conversions.hlsSegments(yield* prepareVideo(service, video))).map(get)
      case "playlist":
        return [get((yield* prepareVideo(service, video)).streams("/hls/playlist.m3u8"))]
      case "json":
        return [incomplete(files, "application/json")]
      case "upload": {
        const id = yield* tenancy.reserve("upload.bin")
        return [incomplete(tenancy.files(`/${id}/reupload`), "application/octet-stream")]
      }
    }
  })

const stall = (port: number, request: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const socket = connect(port, "127.0.0.1").pause()
      // The service closes connections when too many bytes wait for them.
      socket.on("error", () => undefined).write(request)
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** Opens the connections, and waits until the memory of the service does not grow any more. */
const measure = ({ holdfast, port }: Service, { name }: Kind, requests: ReadonlyArray<string>, connections: number) =>
  Effect.gen(function* () {
    const read = MemoryMeter.ofProcess(holdfast.pid)
    const before = yield* read
    for (let index = 0; index < connections; index++) yield* stall(port, requests[index % requests.length] ?? "")
    let [most, quiet] = [before, 0]
    while (quiet < quietSamples) {
      yield* Effect.sleep("100 millis")
      const bytes = yield* read
      quiet = bytes > most + 1024 ** 2 ? 0 : quiet + 1
      most = Math.max(most, bytes)
    }
    const growth = most - before
    yield* Main.print(
      `${name.padEnd(8)} ${connections} connections: ${mebibytes(before)} MiB before, ${mebibytes(growth)} MiB more at most, ` +
        `${(growth / connections / 1024).toFixed(0)} KiB for each\n`
    )
  }).pipe(Effect.scoped)

const run = ({ connections, directory: parent, kinds: wanted }: Arguments) =>
  Effect.gen(function* () {
    yield* Videos.requireFfmpeg
    const directory = yield* TemporaryDirectory.make(parent, 2 ** 33)
    const runLoad = yield* LoadProcess.start({ log: join(directory, "load.log") })
    const script = yield* PublishedProgram.build(directory)
    const environment = yield* StubTranscoder.make(join(directory, "programs"))
    const minute = join(directory, "minute.mp4")
    const video = join(directory, "video.mp4")
    yield* Videos.generatePlayable(minute, 60, 1800)
    yield* Videos.repeat(minute, video, minutes)
    for (const kind of wanted) {
      const own = join(directory, kind.name)
      yield* attempt("A directory for the service", () => mkdir(own))
      const context = { database: Database.sqlite, directory: own, profile: undefined, runLoad, script }
      const one = Effect.flatMap(HoldfastService.start(context, environment), (service) =>
        Effect.flatMap(prepare(kind, service, video), (requests) => measure(service, kind, requests, connections))
      )
      yield* Effect.scoped(one)
    }
  }).pipe(Effect.scoped)

Main.runMain(parse, usage, (args) => Effect.as(run(args), 0))
