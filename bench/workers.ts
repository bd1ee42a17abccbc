/**
 * Compares a service of one process with one of several (`HOLDFAST_WORKERS`), under the same load in turns:
 * `node bench/workers.ts [--processes N] [--rounds N] [--database sqlite|postgres]`.
 *
 * Prints for views and uploads of 4 KiB: requests per second, the processor time of a request in all processes, in the main thread of
 * each, and in the load generator. As long as processors are free, the busiest main thread limits the requests per second: from it
 * follows how many times as many requests the processes can answer where each has a processor. The load generator takes one
 * itself. So where it shares the processors with the service, the measured requests per second are worse than that.
 *
 * Requests are pipelined, so that a process always has some to do: one that waits for requests finds fewer at once, and takes more
 * processor time for each. All connections send equally many, because otherwise a process gets more of them while it runs alone.
 */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Database from "./support/fixtures/Database.ts"
import * as HoldfastProcess from "./support/fixtures/HoldfastProcess.ts"
import { smallBytes } from "./support/fixtures/Sizes.ts"
import * as TemporaryDirectory from "./support/fixtures/TemporaryDirectory.ts"
import * as Tenancy from "./support/fixtures/Tenancy.ts"
import type { Outgoing } from "./support/load/LoadJob.ts"
import * as LoadProcess from "./support/load/LoadProcess.ts"
import * as Requests from "./support/load/Requests.ts"
import * as CommonArguments from "./support/run/CommonArguments.ts"
import * as Main from "./support/run/Main.ts"
import * as CpuMeter from "./support/stats/CpuMeter.ts"

interface Arguments extends CommonArguments.CommonArguments {
  readonly processes: number
  readonly rounds: number
}

const usage = [
  "node bench/workers.ts [options]",
  "",
  "  --processes N     worker processes of the second service; 2 when absent",
  "  --rounds N        rounds of each service, in turns; 5 when absent",
  "  --database NAME   sqlite or postgres; without it both",
  "  --directory DIR   for temporary files",
  "  --help",
  ""
].join("\n")

const parse = (args: ReadonlyArray<string>): Arguments | undefined =>
  CommonArguments.parse(args, { processes: { default: 2, least: 2 }, rounds: { default: 5, least: 1 } })

/** Enough that each process gets about the same number: of 16 connections at once, `node:cluster` gives one process up to ten. */
const connections = 64

/** Pipelined requests of each connection. */
const depth = 2

interface Service {
  readonly processes: number
  readonly pid: number
  readonly port: number
  readonly view: ReadonlyArray<Outgoing>
  readonly upload: ReadonlyArray<Outgoing>
}

interface Sample {
  readonly perSecond: number
  /** Microseconds of processor time of one request: in all processes, in their main threads, in the busiest one of these. */
  readonly total: number
  readonly mainThreads: number
  readonly busiest: number
  /** In the load generator. */
  readonly generator: number
}

const kinds = [
  { name: "view", count: 20_000 },
  { name: "upload", count: 1500 }
] as const

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN

const measure = (name: "sqlite" | "postgres", args: Arguments) =>
  Effect.gen(function* () {
    const root = yield* TemporaryDirectory.make(args.directory, 2 ** 30)
    const databases = yield* Database.open(name)
    const runLoad = yield* LoadProcess.start({ log: join(root, "load.log") })
    const start = (processes: number) =>
      Effect.gen(function* () {
        const directory = join(root, `data-${processes}`)
        const holdfast = yield* HoldfastProcess.start({
          directory,
          database: yield* databases.create(directory),
          rootKey: yield* HoldfastProcess.mintRootKey,
          environment: { HOLDFAST_WORKERS: String(processes) }
        })
        const tenancy = yield* Tenancy.make(holdfast, "workers")
        const { pid, port } = holdfast
        const id = yield* Tenancy.store({ port, runLoad, cpu: { server: CpuMeter.ofFamily(pid) }, tenancy }, smallBytes)
        const view = [Requests.get(tenancy.files(`/${id}/view`))]
        const upload = yield* Tenancy.reuploads(tenancy, connections, smallBytes)
        return { processes, pid, port, view, upload } satisfies Service
      })
    const services = [yield* start(1), yield* start(args.processes)]

    const round = (service: Service, { count, name }: (typeof kinds)[number]) =>
      Effect.gen(function* () {
        const before = yield* CpuMeter.ofEach(service.pid)
        const { cpuMs, wallMs } = yield* runLoad({
          port: service.port,
          requests: service[name],
          connections,
          depth,
          isEqual: true,
          count,
          status: 200,
          firstNumber: 0
        })
        const after = yield* CpuMeter.ofEach(service.pid)
        const used = (thread: keyof CpuMeter.ProcessTimes) =>
          after.map((times, index) => ((times[thread] - (before[index]?.[thread] ?? 0)) * 1e6) / count)
        const mainThreads = used("mainThread")
        return {
          perSecond: (count / wallMs) * 1000,
          total: sum(used("allThreads")),
          mainThreads: sum(mainThreads),
          busiest: Math.max(...mainThreads),
          generator: (cpuMs * 1000) / count
        } satisfies Sample
      })

    for (const kind of kinds) {
      const samples = services.map((service) => ({ service, rounds: new Array<Sample>() }))
      for (const { service } of samples) yield* round(service, kind)
      for (let index = 0; index < args.rounds; index++) {
        for (const { rounds, service } of index % 2 === 0 ? samples : samples.toReversed()) {
          rounds.push(yield* round(service, kind))
        }
      }
      const medians = samples.map(({ rounds, service }) => {
        const of = (key: keyof Sample) => median(rounds.map((sample) => sample[key]))
        return { service, of }
      })
      for (const { of, service } of medians) {
        yield* Main.print(
          `${name.padEnd(8)} ${kind.name.padEnd(6)} ${service.processes} process(es): ` +
            `${Math.round(of("perSecond"))} requests/s; µs of processor time each: ${Math.round(of("total"))} in all, ` +
            `${Math.round(of("mainThreads"))} in main threads, ${Math.round(of("busiest"))} in the busiest of them, ` +
            `${Math.round(of("generator"))} in the load generator\n`
        )
      }
      const [one, several] = medians
      if (one === undefined || several === undefined) continue
      const ratio = (key: keyof Sample) => several.of(key) / one.of(key)
      yield* Main.print(
        `${name.padEnd(8)} ${kind.name.padEnd(6)} ratio: ${(1 / ratio("busiest")).toFixed(2)} times as many requests by the ` +
          `busiest main thread, ${ratio("perSecond").toFixed(2)} measured, at ${ratio("total").toFixed(2)} of the processor time\n`
      )
    }
  }).pipe(Effect.scoped)

Main.runMain(parse, usage, (args) =>
  Effect.as(
    Effect.forEach(args.databases, (name) => measure(name, args), { discard: true }),
    0
  )
)
