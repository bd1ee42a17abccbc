/**
 * Measures the published command line: the processor time of a start, and the memory of the service when it is idle and under load.
 */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as HoldfastProcess from "../support/fixtures/HoldfastProcess.ts"
import * as PublishedProgram from "../support/fixtures/PublishedProgram.ts"
import { smallBytes } from "../support/fixtures/Sizes.ts"
import * as Tenancy from "../support/fixtures/Tenancy.ts"
import * as Requests from "../support/load/Requests.ts"
import { sequence } from "../support/load/LoadJob.ts"
import type { BenchFailure } from "../support/run/BenchFailure.ts"
import type { Scenario } from "../support/run/Scenario.ts"
import * as Comparison from "../support/stats/Comparison.ts"
import * as CpuMeter from "../support/stats/CpuMeter.ts"
import * as Measurement from "../support/stats/Measurement.ts"
import * as MemoryMeter from "../support/stats/MemoryMeter.ts"
import * as Rounds from "../support/stats/Rounds.ts"

/** Until then the threads of the database that the start needed have ended. */
const untilIdle = "15 seconds"

/** Connections of the load: as many as clients of a busy node. */
const connections = 64

/** This scenario has MiB in the place of wall times. */
const mebibytes = (bytes: number): Measurement.Sample => ({ cpuMs: 0, databaseMs: 0, wallMs: bytes / 1024 ** 2 })

export const published: Scenario = {
  name: "published",
  description: "the start of the published program, and its memory when idle and under load",
  run: Effect.fnUntraced(function* ({ database, directory, profile, runLoad, sizes }) {
    const data = join(directory, "holdfast")
    const instance = yield* database.create(data)
    const rootKey = yield* HoldfastProcess.mintRootKey
    const script = yield* PublishedProgram.build(directory)
    const start = HoldfastProcess.start({ directory: data, database: instance, profile, rootKey, script })

    const round = Effect.scoped(
      Effect.gen(function* (): Effect.fn.Return<Measurement.Sample, BenchFailure, Scope.Scope> {
        const begin = performance.now()
        const { pid } = yield* start
        const wallMs = performance.now() - begin
        return { cpuMs: (yield* CpuMeter.ofProcess(pid)) * 1000, databaseMs: 0, wallMs }
      })
    )
    const starts = yield* Rounds.interleave([{ name: "serve", warmUp: round, round }], sizes.starts)

    const holdfast = yield* start
    const { pid, port } = holdfast
    yield* Effect.sleep(untilIdle)
    const idle = yield* MemoryMeter.ofProcess(pid)
    const tenancy = yield* Tenancy.make(holdfast, "bench")
    const server = { port, runLoad, tenancy, cpu: { server: CpuMeter.ofProcess(pid) } }
    const id = yield* Tenancy.store(server, smallBytes)
    const load = { port, connections, firstNumber: 0 }
    const forms = [Requests.postForm(tenancy.files("/upload"), `form-${sequence}.bin`, smallBytes)]
    yield* runLoad({ ...load, requests: forms, count: 2 * sizes.writes, status: 201 })
    const views = [Requests.get(tenancy.files(`/${id}/view`))]
    yield* runLoad({ ...load, requests: views, count: 2 * sizes.requests, status: 200 })
    const pages = [Requests.get(tenancy.path(`buckets/${tenancy.bucketId}/files`, "limit=100"))]
    yield* runLoad({ ...load, requests: pages, count: sizes.pages, status: 200 })
    const loaded = yield* MemoryMeter.peakOfProcess(pid)

    const about = { database: database.name, goal: 1 } as const
    const memory = (title: string, limit: number, bytes: number) =>
      Comparison.make({
        ...about,
        scenario: `memory, ${title}`,
        unit: "MiB",
        by: "wall",
        base: Measurement.fixedLimit(`${limit} MiB`, limit),
        subject: Measurement.make("serve", [mebibytes(bytes)])
      })
    return [
      ...starts.map((subject) =>
        Comparison.make({
          ...about,
          scenario: "start of the published program",
          unit: "start",
          base: Measurement.make("0.6 s", [{ cpuMs: 600, databaseMs: 0, wallMs: 0 }]),
          subject
        })
      ),
      memory("idle", 120, idle),
      memory(`${connections} connections`, 250, loaded)
    ]
  })
}
