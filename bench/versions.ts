/**
 * Compares the service with another version of it, under the same load in turns:
 * `node bench/versions.ts --other DIR [request…] [--starts N] [--rounds N] [--database sqlite|postgres]`.
 *
 * Both programs are built as they are published. The times of two runs on one machine often differ more than two versions do, and
 * the ratios of many short rounds in turns do not, but those of different processes do: of uploads, by a tenth. So the processes are started
 * several times. Prints the medians of all ratios, this version to the other one, with their quartiles.
 */
import { mkdir } from "node:fs/promises"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import * as HoldfastService from "./support/fixtures/HoldfastService.ts"
import * as Database from "./support/fixtures/Database.ts"
import * as PublishedProgram from "./support/fixtures/PublishedProgram.ts"
import * as Seed from "./support/fixtures/Seed.ts"
import { smallBytes } from "./support/fixtures/Sizes.ts"
import * as TemporaryDirectory from "./support/fixtures/TemporaryDirectory.ts"
import * as Tenancy from "./support/fixtures/Tenancy.ts"
import { type Outgoing, sequence } from "./support/load/LoadJob.ts"
import * as LoadProcess from "./support/load/LoadProcess.ts"
import * as LoadSubject from "./support/load/LoadSubject.ts"
import * as Requests from "./support/load/Requests.ts"
import { attempt } from "./support/run/BenchFailure.ts"
import * as CommonArguments from "./support/run/CommonArguments.ts"
import * as Main from "./support/run/Main.ts"
import type * as Measurement from "./support/stats/Measurement.ts"
import * as Rounds from "./support/stats/Rounds.ts"

const connections = 16

/** The files of the bucket that is listed. */
const listedFiles = 10_000

interface Kind {
  readonly name: "view" | "record" | "list" | "raw" | "form"
  readonly count: number
  readonly status: number
}

const kinds: ReadonlyArray<Kind> = [
  { name: "view", count: 4000, status: 200 },
  { name: "record", count: 4000, status: 200 },
  { name: "list", count: 250, status: 200 },
  { name: "raw", count: 600, status: 200 },
  { name: "form", count: 600, status: 201 }
]

interface Arguments extends CommonArguments.CommonArguments {
  /** The directory of the other version's sources. */
  readonly other: string
  /** How often the processes are started. */
  readonly starts: number
  readonly rounds: number
  readonly kinds: ReadonlyArray<Kind>
}

const usage = [
  "node bench/versions.ts --other DIR [request…] [options]",
  "",
  "Requests: view, record, list, raw, form; all without any.",
  "",
  "  --other DIR       the sources of the other version, with their dependencies installed (`git worktree add DIR COMMIT`)",
  "  --starts N        how often the processes of both versions are started; 6 when absent",
  "  --rounds N        rounds of each version after each start, in turns; 4 when absent",
  "  --database NAME   sqlite or postgres; without it both",
  "  --directory DIR   for temporary files",
  "  --help",
  ""
].join("\n")

const parse = (args: ReadonlyArray<string>): Arguments | undefined => {
  const { database, directory, help } = CommonArguments.options
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      database,
      directory,
      help,
      other: { type: "string" },
      starts: { type: "string", default: "6" },
      rounds: { type: "string", default: "4" }
    }
  })
  if (values.help) return undefined
  if (values.other === undefined) throw new Error("--other is required. See --help.")
  return {
    ...CommonArguments.of(values),
    ...CommonArguments.numbers(values, { rounds: [3], starts: [1] }),
    other: resolve(values.other),
    kinds: CommonArguments.select("request", positionals, kinds)
  }
}

interface Service extends HoldfastService.HoldfastService {
  readonly requests: Readonly<Record<Kind["name"], ReadonlyArray<Outgoing>>>
}

const quantile = (values: ReadonlyArray<number>, part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)] ?? NaN

const describe = (ratios: ReadonlyArray<number>): string => {
  const [low, median, high] = [0.25, 0.5, 0.75].map((part) => quantile(ratios, part).toFixed(2))
  return `${median} (${low} to ${high})`
}

const prepare = Effect.fnUntraced(function* (service: HoldfastService.HoldfastService) {
  const { tenancy } = service
  const bucketId = yield* tenancy.createBucket("listed")
  yield* Database.query(
    service.database,
    Seed.seed([{ tenantId: tenancy.tenantId, bucketId, files: listedFiles, ordinal: 0 }])
  )
  const id = yield* Tenancy.store(service, smallBytes)
  const prepared: Service = {
    ...service,
    requests: {
      view: [Requests.get(tenancy.files(`/${id}/view`))],
      record: [Requests.get(tenancy.files(`/${id}`))],
      list: [Requests.get(tenancy.path(`buckets/${bucketId}/files`, "limit=100&path=/flat/"))],
      raw: yield* Tenancy.reuploads(tenancy, connections, smallBytes),
      form: [Requests.postForm(tenancy.files("/upload"), `form-${sequence}.bin`, smallBytes)]
    }
  }
  return prepared
})

/** What a round took: both processes of a version together. */
interface RoundTimes {
  readonly cpuMs: number
  readonly wallMs: number
}

interface Programs {
  readonly own: string
  readonly other: string
}

/** Starts both versions, and returns the rounds of each kind of request: those of this version, and of the other one. */
const measureStart = (
  name: "sqlite" | "postgres",
  start: number,
  root: string,
  programs: Programs,
  { kinds, rounds }: Pick<Arguments, "kinds" | "rounds">
) =>
  Effect.gen(function* () {
    const directory = join(root, `${start}`)
    yield* attempt("Creating a directory", () => mkdir(directory))
    const database = yield* Database.open(name)
    const runLoad = yield* LoadProcess.start({ log: join(directory, "load.log") })
    const startService = Effect.fnUntraced(function* (version: string, script: string) {
      const own = join(directory, version)
      yield* attempt("Creating a directory", () => mkdir(own))
      return yield* prepare(
        yield* HoldfastService.start({ database, directory: own, runLoad, profile: undefined, script })
      )
    })
    // Each version has two processes. Those that are started first and last differ from the others, whatever runs in them.
    const outer = start % 2 === 0 ? "own" : "other"
    const inner = outer === "own" ? "other" : "own"
    const versions = [outer, inner, inner, outer] as const
    const services = yield* Effect.forEach(versions, (version, index) =>
      startService(`${version}-${index}`, programs[version])
    )
    const indexesOf = (version: keyof Programs) => versions.flatMap((one, index) => (one === version ? index : []))
    return yield* Effect.forEach(kinds, (kind) => {
      const subjects = services.map((service) =>
        LoadSubject.make({
          ...service,
          ...kind,
          requests: service.requests[kind.name],
          connections,
          warmUp: kind.count * 4,
          unitsPerRequest: 1
        })
      )
      return Effect.map(Rounds.interleave(subjects, rounds), (measured) => {
        const timesOf = (processes: ReadonlyArray<number>): ReadonlyArray<RoundTimes> =>
          Array.from({ length: rounds }, (_, round) => {
            const samples = processes.flatMap((index) => measured[index]?.rounds[round] ?? [])
            const sum = (of: (sample: Measurement.Sample) => number) =>
              samples.reduce((total, sample) => total + of(sample), 0)
            return { cpuMs: sum((one) => one.cpuMs + one.databaseMs), wallMs: sum(({ wallMs }) => wallMs) }
          })
        return { own: timesOf(indexesOf("own")), other: timesOf(indexesOf("other")) }
      })
    })
  }).pipe(Effect.scoped)

const measure = (name: "sqlite" | "postgres", { directory, kinds, other, rounds, starts }: Arguments) =>
  Effect.gen(function* () {
    const root = yield* TemporaryDirectory.make(directory, 2 ** 30)
    const programs = {
      own: yield* PublishedProgram.build(join(root, "own")),
      other: yield* PublishedProgram.build(join(root, "other"), other)
    }
    const measured = yield* Effect.forEach(Array.from({ length: starts }).keys(), (start) =>
      measureStart(name, start, root, programs, { kinds, rounds })
    )
    for (const [index, kind] of kinds.entries()) {
      const all = measured.flatMap((one) => one[index] ?? [])
      const ratiosOf = (of: (times: RoundTimes) => number): ReadonlyArray<number> =>
        all.flatMap(({ other, own }) => own.map((times, round) => of(times) / of(other[round] ?? times)))
      const own = all.flatMap(({ own }) => own.map(({ cpuMs }) => cpuMs / 2))
      yield* Main.print(
        `${name.padEnd(8)} ${kind.name.padEnd(6)} processor time ${describe(ratiosOf(({ cpuMs }) => cpuMs))}, ` +
          `wall time ${describe(ratiosOf(({ wallMs }) => wallMs))}; ${quantile(own, 0.5).toFixed(3)} ms each\n`
      )
    }
  }).pipe(Effect.scoped)

Main.runMain(parse, usage, (args) =>
  Effect.as(
    Effect.forEach(args.databases, (name) => measure(name, args), { discard: true }),
    0
  )
)
