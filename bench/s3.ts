/**
 * Compares the S3 API with Ceph's gateway, by one client that uses the SDK: `node bench/s3.ts [--rounds N] [--files N] [--lists]
 * [--database sqlite|postgres]`.
 *
 * Three servers get the same requests in turns: the gateway, which keeps its objects in memory and syncs nothing; the service with its
 * contents on a local disk; and the service with its contents in that gateway, which shows what the service adds to the bare SDK.
 * Then lists of a bucket of so many files, a million when absent, beside those of one of 10,000.
 */
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { protocol, type S3Job } from "./support/baselines/S3Job.ts"
import type { Gateway } from "./support/baselines/SdkUploadJob.ts"
import * as SdkUploadsProcess from "./support/baselines/SdkUploadsProcess.ts"
import * as Api from "./support/fixtures/Api.ts"
import * as Database from "./support/fixtures/Database.ts"
import * as HoldfastProcess from "./support/fixtures/HoldfastProcess.ts"
import * as Seed from "./support/fixtures/Seed.ts"
import * as TemporaryDirectory from "./support/fixtures/TemporaryDirectory.ts"
import * as Tenancy from "./support/fixtures/Tenancy.ts"
import * as ChildProcess from "./support/processes/ChildProcess.ts"
import * as Jobs from "./support/processes/Jobs.ts"
import * as CommonArguments from "./support/run/CommonArguments.ts"
import * as Main from "./support/run/Main.ts"
import * as CpuMeter from "./support/stats/CpuMeter.ts"

interface Arguments {
  readonly rounds: number
  readonly files: number
  /** Whether lists alone are measured. */
  readonly onlyLists: boolean
  readonly database: Database.Database["name"]
}

const usage = [
  "node bench/s3.ts [options]",
  "",
  "  --rounds N   rounds of each server, in turns, except for 1 GiB; 3 when absent",
  "  --files N    files of the large bucket; 1000000 when absent",
  "  --lists      measures the lists alone, without Ceph",
  "  --database   sqlite or postgres; sqlite when absent",
  "  --help",
  ""
].join("\n")

const parse = (args: ReadonlyArray<string>): Arguments | undefined => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: "3" },
      files: { type: "string", default: "1000000" },
      lists: { type: "boolean", default: false },
      database: { type: "string", default: "sqlite" },
      help: { type: "boolean", default: false }
    }
  })
  if (values.help) return undefined
  const { files, rounds } = CommonArguments.numbers(values, { rounds: [1], files: [1000] })
  const { database } = values
  if (database !== "sqlite" && database !== "postgres") throw new Error("--database must be sqlite or postgres.")
  return { rounds, files, onlyLists: values.lists, database }
}

interface Server {
  readonly name: string
  readonly gateway: Gateway
  /** The id of the service's process; undefined for the gateway, which has several. */
  readonly pid: number | undefined
  readonly database: Database.DatabaseInstance | undefined
}

const [kibibyte, mebibyte] = [1024, 1024 * 1024]

const kinds = [
  { name: "PUT 4 KiB", kind: "put", prefix: "small/", bytes: 4 * kibibyte, count: 300, concurrency: 8 },
  { name: "GET 4 KiB", kind: "get", prefix: "small/", bytes: 4 * kibibyte, count: 300, concurrency: 8 },
  { name: "PUT 1 MiB", kind: "put", prefix: "large/", bytes: mebibyte, count: 60, concurrency: 4 },
  { name: "GET 1 MiB", kind: "get", prefix: "large/", bytes: mebibyte, count: 60, concurrency: 4 },
  { name: "multipart 1 GiB", kind: "parts", prefix: "huge/", bytes: 1024 * mebibyte, count: 1, concurrency: 1 },
  { name: "GET 1 GiB", kind: "get", prefix: "huge/", bytes: 1024 * mebibyte, count: 1, concurrency: 1 }
] as const

const lists = [
  { name: "1,000 keys", prefix: "", delimiter: "" },
  { name: "the prefixes at the root, 2", prefix: "", delimiter: "/" },
  { name: "the prefixes below tree/, 100", prefix: "tree/", delimiter: "/" }
] as const

const listsOfRound = 200

const bucket = "bench"

const Credentials = Schema.Struct({ accessKeyId: Schema.String, secretAccessKey: Schema.String })
const Created = Schema.Struct({ id: Schema.String })

/** Makes S3 credentials for the administrator of a tenant. */
const makeGateway = ({ port }: HoldfastProcess.HoldfastProcess, { memberId, path }: Tenancy.Tenancy) =>
  Effect.gen(function* () {
    const url = (below: string) => `http://127.0.0.1:${port}${path(below)}`
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const input = { name: "s3", member: { id: memberId }, expiresAt }
    const { id } = yield* Api.requestAs(Created, "POST", url("tokens"), input)
    const credentials = yield* Api.requestAs(Credentials, "POST", url(`tokens/${id}/s3-credentials`))
    return { endpoint: `http://127.0.0.1:${port}/s3`, ...credentials }
  })

const startService = (databases: Database.Database, directory: string, environment: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const database = yield* databases.create(directory)
    const rootKey = yield* HoldfastProcess.mintRootKey
    const settings = { HOLDFAST_SECRET_KEY: randomBytes(32).toString("base64"), ...environment }
    const holdfast = yield* HoldfastProcess.start({ directory, database, rootKey, environment: settings })
    const tenancy = yield* Tenancy.make(holdfast, "bench")
    return { database, tenancy, pid: holdfast.pid, gateway: yield* makeGateway(holdfast, tenancy) }
  })

/** Starts the process that sends the requests. */
const startClient = (log: string) =>
  Effect.gen(function* () {
    const script = fileURLToPath(new URL("support/baselines/S3Clients.ts", import.meta.url))
    const child = yield* ChildProcess.spawnNode({ script, arguments: [], log })
    yield* ChildProcess.nextMessage(child)
    return Jobs.makeSend(protocol, child)
  })

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN

const figure = (value: number): string => (Number.isNaN(value) ? "–" : value.toPrecision(3)).padStart(9)

const common = { bucket, prefix: "", delimiter: "", bytes: 0, count: 1, concurrency: 1 }

type Send = Effect.Success<ReturnType<typeof startClient>>

/** Sends the requests of a job. Returns milliseconds of each. */
const run = (send: Send, { database, gateway, pid }: Omit<Server, "name">, job: Omit<S3Job, "gateway">) =>
  Effect.gen(function* () {
    const unknown = Effect.succeed(Number.NaN)
    const read = Effect.all([pid === undefined ? unknown : CpuMeter.ofProcess(pid), database?.cpu ?? unknown])
    const [before, databaseBefore] = yield* read
    const { cpuMs, wallMs } = yield* send({ ...job, gateway })
    const [after, databaseAfter] = yield* read
    const perRequest = (seconds: number) => (seconds * 1000) / job.count
    return {
      wall: wallMs / job.count,
      client: cpuMs / job.count,
      service: perRequest(after - before),
      database: perRequest(databaseAfter - databaseBefore)
    }
  })

/** What `run` measures, in the order of the columns. */
const measured = ["wall", "client", "service", "database"] as const

const measureObjects = (
  databases: Database.Database,
  root: string,
  send: Send,
  local: Omit<Server, "name">,
  rounds: number
) =>
  Effect.gen(function* () {
    const sdk = yield* SdkUploadsProcess.start(join(root, "sdk.log"))
    yield* SdkUploadsProcess.createBucket(sdk, "contents")
    const { gateway } = sdk
    const remote = yield* startService(databases, join(root, "remote"), {
      HOLDFAST_BLOBS: "s3",
      HOLDFAST_S3_BUCKET: "contents",
      HOLDFAST_S3_ENDPOINT: gateway.endpoint,
      HOLDFAST_S3_FORCE_PATH_STYLE: "on",
      HOLDFAST_S3_ACCESS_KEY_ID: gateway.accessKeyId,
      HOLDFAST_S3_SECRET_ACCESS_KEY: gateway.secretAccessKey
    })
    yield* send({ ...common, gateway, kind: "bucket" })
    const servers: ReadonlyArray<Server> = [
      { name: "Ceph RGW", gateway, pid: undefined, database: undefined },
      { ...local, name: "local disk" },
      { ...remote, name: "in Ceph RGW" }
    ]
    for (const { name, ...kind } of kinds) {
      const job = { ...common, ...kind }
      const samples = servers.map((server) => ({ server, rounds: new Array<Effect.Success<ReturnType<typeof run>>>() }))
      const isHuge = kind.bytes > mebibyte
      if (!isHuge) for (const server of servers) yield* run(send, server, job)
      for (let index = 0; index < (isHuge ? 1 : rounds); index++) {
        for (const { rounds, server } of index % 2 === 0 ? samples : samples.toReversed()) {
          rounds.push(yield* run(send, server, job))
        }
      }
      for (const { rounds, server } of samples) {
        const figures = measured.map((key) => median(rounds.map((round) => round[key])))
        yield* Main.print(`${name.padEnd(16)} ${server.name.padEnd(12)} ${figures.map(figure).join(" ")}\n`)
      }
    }
  })

const measureLists = (send: Send, service: Effect.Success<ReturnType<typeof startService>>, files: number) =>
  Effect.gen(function* () {
    const { database, tenancy } = service
    const { tenantId } = tenancy
    const sizes = [
      { name: "few", files: 10_000, ordinal: 1 },
      { name: "many", files, ordinal: 2 }
    ]
    for (const { name, ...size } of sizes) {
      const bucketId = yield* tenancy.createBucket(name)
      yield* Database.query(database, Seed.seed([{ tenantId, bucketId, ...size }]))
    }
    for (const { name, ...list } of lists) {
      for (const size of sizes) {
        const job = { ...common, ...list, bucket: size.name, kind: "list", count: listsOfRound } as const
        yield* run(send, service, job)
        const result = yield* run(send, service, job)
        const of = `list of ${name.padEnd(30)} in ${String(size.files).padEnd(8)}`
        yield* Main.print(`${of} ${measured.map((key) => figure(result[key])).join(" ")}\n`)
      }
    }
  })

const measure = ({ database, files, onlyLists, rounds }: Arguments) =>
  Effect.gen(function* () {
    const root = yield* TemporaryDirectory.make(undefined, 2 ** 33)
    const databases = yield* Database.open(database)
    const local = yield* startService(databases, join(root, "local"), {})
    const send = yield* startClient(join(root, "client.log"))
    yield* Main.print("ms of each request: passed, of the client's processor, of the service's, of PostgreSQL's\n")
    if (!onlyLists) yield* measureObjects(databases, root, send, local, rounds)
    yield* measureLists(send, local, files)
  }).pipe(Effect.scoped)

Main.runMain(parse, usage, (args) => Effect.as(measure(args), 0))
