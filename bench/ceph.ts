/**
 * Compares small uploads with 64 connections: the bare server, the service, and Ceph's gateway with its objects on the same disk. All
 * three sync what they have acknowledged, and one load generator sends the requests. For the table in docs/performance.md.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { createHmac } from "node:crypto"
import { join } from "node:path"
import * as CephRgw from "@holdfast/testing/servers/CephRgw"
import * as NodeServerProcess from "./support/baselines/NodeServerProcess.ts"
import * as Database from "./support/fixtures/Database.ts"
import * as HoldfastService from "./support/fixtures/HoldfastService.ts"
import { smallBytes } from "./support/fixtures/Sizes.ts"
import * as TemporaryDirectory from "./support/fixtures/TemporaryDirectory.ts"
import * as Tenancy from "./support/fixtures/Tenancy.ts"
import { type LoadJob, type LoadResult, type Outgoing, sequence } from "./support/load/LoadJob.ts"
import * as LoadProcess from "./support/load/LoadProcess.ts"
import * as Requests from "./support/load/Requests.ts"
import { attempt, BenchFailure } from "./support/run/BenchFailure.ts"
import * as CommonArguments from "./support/run/CommonArguments.ts"
import * as Main from "./support/run/Main.ts"

interface Arguments {
  readonly rounds: number
  readonly count: number
  readonly connections: number
  readonly directory: string | undefined
  readonly databases: CommonArguments.CommonArguments["databases"]
}

const usage = [
  "node bench/ceph.ts [options]",
  "",
  "  --rounds N        rounds of each server, in turns; 5 when absent",
  "  --count N         uploads of a round; 2000 when absent",
  "  --connections N   64 when absent",
  "  --database NAME   sqlite or postgres; without it both",
  "  --directory DIR   for temporary files; Ceph's are in that of TMPDIR, which should be on the same disk",
  "  --help",
  ""
].join("\n")

const parse = (args: ReadonlyArray<string>): Arguments | undefined =>
  CommonArguments.parse(args, {
    rounds: { default: 5, least: 1 },
    count: { default: 2000, least: 64 },
    connections: { default: 64, least: 1, most: 1000 }
  })

/** Bytes of the disk that Ceph may use. */
const capacity = 10 * 1024 ** 3

const bucket = "bench"

type Gateway = CephRgw.CephRgw["Service"]

/** Signs a text with version 2 of the signatures of AWS, which has no date in its key. */
const sign = ({ credentials }: Gateway, text: string): string =>
  createHmac("sha1", Redacted.value(credentials.secretAccessKey)).update(text).digest("base64")

const type = "application/octet-stream"

/** Returns a path with a query that permits one method, for an hour. */
const presign = (gateway: Gateway, method: string, path: string, contentType = ""): string => {
  const expires = Math.floor(Date.now() / 1000) + 3600
  const signature = sign(gateway, `${method}\n\n${contentType}\n${expires}\n${path}`)
  const { accessKeyId } = gateway.credentials
  return `${path}?AWSAccessKeyId=${accessKeyId}&Expires=${expires}&Signature=${encodeURIComponent(signature)}`
}

/** Returns a request for each connection that replaces an object of its own. */
const puts = (gateway: Gateway, connections: number): ReadonlyArray<Outgoing> =>
  Array.from({ length: connections }, (_, n) =>
    Requests.withBytes("PUT", presign(gateway, "PUT", `/${bucket}/small-${n}.bin`, type), smallBytes)
  )

/** Returns a request that creates an object by a form, with a policy that permits any key. */
const post = (gateway: Gateway): Outgoing => {
  const expiration = new Date(Date.now() + 3_600_000).toISOString()
  const conditions = [{ bucket }, ["starts-with", "$key", ""], ["starts-with", "$success_action_status", ""]]
  const policy = Buffer.from(JSON.stringify({ expiration, conditions })).toString("base64")
  const fields = {
    key: `form-${sequence}.bin`,
    AWSAccessKeyId: gateway.credentials.accessKeyId,
    policy,
    signature: sign(gateway, policy),
    success_action_status: "201"
  }
  return Requests.postFields(`/${bucket}`, fields, smallBytes)
}

const connect = Effect.gen(function* () {
  if (CephRgw.missing !== undefined) return yield* new BenchFailure({ message: CephRgw.missing })
  const gateway = yield* Layer.build(CephRgw.layerOnDisk(capacity)).pipe(
    Effect.flatMap((services) => Effect.provideContext(CephRgw.CephRgw, services)),
    Effect.mapError(({ message }) => new BenchFailure({ message }))
  )
  const { status } = yield* attempt("A bucket of Ceph's gateway", () =>
    fetch(`${gateway.endpoint}${presign(gateway, "PUT", `/${bucket}`)}`, { method: "PUT" })
  )
  return status === 200 ? gateway : yield* new BenchFailure({ message: `Ceph's gateway creates no bucket: ${status}` })
})

interface Server {
  readonly name: string
  readonly job: Pick<LoadJob, "port" | "requests" | "status">
}

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN

/** Puts the same load on all servers, in turns, and prints what each answers. */
const compare = (
  runLoad: LoadProcess.RunLoad,
  kind: string,
  servers: ReadonlyArray<Server>,
  { connections, count, rounds }: Arguments
) =>
  Effect.gen(function* () {
    const samples = servers.map((server) => ({ ...server, firstNumber: 0, results: new Array<LoadResult>() }))
    for (let round = 0; round <= rounds; round++) {
      for (const sample of round % 2 === 0 ? samples : samples.toReversed()) {
        const result = yield* runLoad({ ...sample.job, connections, count, firstNumber: sample.firstNumber })
        sample.firstNumber += count
        // The first round is for the code to reach its full speed.
        if (round > 0) sample.results.push(result)
      }
    }
    for (const { name, results } of samples) {
      const of = (key: keyof LoadResult) => median(results.map((result) => result[key]))
      const perSecond = Math.round((count / of("wallMs")) * 1000)
      yield* Main.print(
        `${kind.padEnd(6)} ${name.padEnd(22)} ${String(perSecond).padStart(6)} requests/s, ` +
          `median ${of("medianMs").toFixed(1)} ms, 99th percentile ${of("p99Ms").toFixed(1)} ms\n`
      )
    }
  })

const measure = (args: Arguments) =>
  Effect.gen(function* () {
    const root = yield* TemporaryDirectory.make(args.directory, 2 ** 32)
    const runLoad = yield* LoadProcess.start({ log: join(root, "load.log") })
    const gateway = yield* connect
    const bare = yield* NodeServerProcess.start(join(root, "bare"))
    const services = yield* Effect.forEach(args.databases, (name) =>
      Effect.gen(function* () {
        const database = yield* Database.open(name)
        const directory = yield* TemporaryDirectory.withPrefix(join(root, name))
        const service = yield* HoldfastService.start({ directory, database, runLoad, profile: undefined })
        return { name: `service, ${name}`, service }
      })
    )
    const port = Number(new URL(gateway.endpoint).port)
    const form = [Requests.postForm("/form", `form-${sequence}.bin`, smallBytes)]
    yield* compare(
      runLoad,
      "form",
      [
        { name: "bare server", job: { port: bare.port, requests: form, status: 201 } },
        ...services.map(({ name, service: { port, tenancy } }) => {
          const requests = [Requests.postForm(tenancy.files("/upload"), `form-${sequence}.bin`, smallBytes)]
          return { name, job: { port, requests, status: 201 } }
        }),
        { name: "Ceph RGW", job: { port, requests: [post(gateway)], status: 201 } }
      ],
      args
    )
    const reuploads = yield* Effect.forEach(services, ({ name, service: { port, tenancy } }) =>
      Effect.map(Tenancy.reuploads(tenancy, args.connections, smallBytes), (requests) => ({
        name,
        job: { port, requests, status: 200 }
      }))
    )
    yield* compare(
      runLoad,
      "raw",
      [
        {
          name: "bare server",
          job: { port: bare.port, requests: [Requests.postBytes("/raw", smallBytes)], status: 201 }
        },
        ...reuploads,
        { name: "Ceph RGW", job: { port, requests: puts(gateway, args.connections), status: 200 } }
      ],
      args
    )
  }).pipe(Effect.scoped)

Main.runMain(parse, usage, (args) => Effect.as(measure(args), 0))
