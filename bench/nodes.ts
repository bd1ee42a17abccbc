/**
 * Measures new contents of one file that clients of two nodes upload at the same time, on PostgreSQL:
 * `node bench/nodes.ts [--rounds N] [--count N]`.
 *
 * Prints for each number of connections the processor time of PostgreSQL for one upload, and how many of its connections waited for a
 * lock. Each node lets one replacement of a file wait in the database, so that neither grows with the connections.
 */
import { randomBytes } from "node:crypto"
import { mkdir, symlink } from "node:fs/promises"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Database from "./support/fixtures/Database.ts"
import * as HoldfastProcess from "./support/fixtures/HoldfastProcess.ts"
import { smallBytes } from "./support/fixtures/Sizes.ts"
import * as TemporaryDirectory from "./support/fixtures/TemporaryDirectory.ts"
import * as Tenancy from "./support/fixtures/Tenancy.ts"
import * as LoadProcess from "./support/load/LoadProcess.ts"
import * as Requests from "./support/load/Requests.ts"
import { attempt } from "./support/run/BenchFailure.ts"
import * as CommonArguments from "./support/run/CommonArguments.ts"
import * as Main from "./support/run/Main.ts"

interface Arguments {
  readonly rounds: number
  readonly count: number
  readonly directory: string | undefined
}

const usage = [
  "node bench/nodes.ts [options]",
  "",
  "  --rounds N        rounds of each number of connections, in turns; 5 when absent",
  "  --count N         uploads of a round; 800 when absent",
  "  --directory DIR   for temporary files",
  "  --help",
  ""
].join("\n")

const parse = (args: ReadonlyArray<string>): Arguments | undefined => {
  const { directory, help } = CommonArguments.options
  const { values } = parseArgs({
    args: [...args],
    options: {
      directory,
      help,
      rounds: { type: "string", default: "5" },
      count: { type: "string", default: "800" }
    }
  })
  if (values.help) return undefined
  return { ...CommonArguments.numbers(values, { rounds: [1], count: [64] }), directory: values.directory }
}

/** Of both nodes together. */
const connectionCounts = [2, 16, 64] as const

const sampleInterval = Duration.millis(20)

interface Sample {
  /** Milliseconds of processor time of PostgreSQL for one upload. */
  readonly millis: number
  /** Connections of PostgreSQL that waited for a lock: on average, and at most. */
  readonly waiting: number
  readonly mostWaiting: number
}

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN

/** Counts the connections that wait for a lock, until interrupted. */
const observeLocks = (seen: Array<number>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    while (true) {
      const rows = yield* sql`SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'`
      seen.push(rows.length)
      yield* Effect.sleep(sampleInterval)
    }
  })

const measure = ({ count, directory: parent, rounds }: Arguments) =>
  Effect.gen(function* () {
    const root = yield* TemporaryDirectory.make(parent, 2 ** 30)
    const databases = yield* Database.open("postgres")
    const database = yield* databases.create(root)
    const secretKey = randomBytes(32).toString("base64")
    const rootKey = yield* HoldfastProcess.mintRootKey
    const nodes = yield* Effect.forEach([1, 2], (number) =>
      Effect.gen(function* () {
        const directory = join(root, `data-${number}`)
        // Nodes share an object store; here they share the directory of contents, so that there is none to be measured.
        yield* attempt("Sharing the contents", async () => {
          await mkdir(directory, { mode: 0o700 })
          await mkdir(join(root, "blobs"), { mode: 0o700, recursive: true })
          await symlink(join(root, "blobs"), join(directory, "blobs"))
        })
        const holdfast = yield* HoldfastProcess.start({
          directory,
          database,
          rootKey,
          environment: { HOLDFAST_SECRET_KEY: secretKey }
        })
        return { holdfast, runLoad: yield* LoadProcess.start({ log: join(root, `load-${number}.log`) }) }
      })
    )
    const [first] = nodes
    if (first === undefined) return
    const tenancy = yield* Tenancy.make(first.holdfast, "nodes")
    const id = yield* tenancy.reserve("hot.bin")
    const requests = [Requests.postBytes(tenancy.files(`/${id}/reupload`), smallBytes)]

    const load = (connections: number) =>
      Effect.forEach(
        nodes,
        ({ holdfast: { port }, runLoad }) =>
          runLoad({
            port,
            requests,
            connections: connections / nodes.length,
            count: count / nodes.length,
            status: 200,
            firstNumber: 0
          }),
        { concurrency: "unbounded", discard: true }
      )

    const cpu = database.cpu ?? Effect.succeed(0)
    const round = (connections: number) =>
      Effect.gen(function* () {
        const seen: Array<number> = []
        const before = yield* cpu
        yield* Database.query(database, Effect.raceFirst(Effect.orDie(load(connections)), observeLocks(seen)))
        const after = yield* cpu
        return {
          millis: ((after - before) * 1000) / count,
          waiting: seen.reduce((sum, number) => sum + number, 0) / Math.max(1, seen.length),
          mostWaiting: Math.max(0, ...seen)
        } satisfies Sample
      })

    const results = connectionCounts.map((connections) => ({ connections, samples: new Array<Sample>() }))
    for (const { connections } of results) yield* round(connections)
    for (let index = 0; index < rounds; index++) {
      for (const { connections, samples } of index % 2 === 0 ? results : results.toReversed()) {
        samples.push(yield* round(connections))
      }
    }
    for (const { connections, samples } of results) {
      const of = (key: keyof Sample) => median(samples.map((sample) => sample[key]))
      yield* Main.print(
        `${String(connections).padStart(2)} connections: ${of("millis").toFixed(2)} ms of PostgreSQL for each upload, ` +
          `${of("waiting").toFixed(1)} of its connections wait for a lock, ` +
          `${Math.max(...samples.map(({ mostWaiting }) => mostWaiting))} at most\n`
      )
    }
  }).pipe(Effect.scoped)

Main.runMain(parse, usage, (args) => Effect.as(measure(args), 0))
