/**
 * Measures the deliveries of webhooks: `node bench/webhooks.ts [--endpoints N] [--events N] [--database sqlite|postgres]`.
 *
 * A service that sends nothing stores the events; then one with the default settings delivers them to endpoints in this process.
 * Prints deliveries per second, beside those of a bare Node client that signs and posts bodies of the same size to the same
 * endpoints, also one request to each at a time.
 */
import { createHmac } from "node:crypto"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Api from "./support/fixtures/Api.ts"
import * as Database from "./support/fixtures/Database.ts"
import * as HoldfastProcess from "./support/fixtures/HoldfastProcess.ts"
import * as TemporaryDirectory from "./support/fixtures/TemporaryDirectory.ts"
import * as Tenancy from "./support/fixtures/Tenancy.ts"
import { attempt, BenchFailure } from "./support/run/BenchFailure.ts"
import * as CommonArguments from "./support/run/CommonArguments.ts"
import * as Main from "./support/run/Main.ts"
import * as CpuMeter from "./support/stats/CpuMeter.ts"

interface Arguments extends CommonArguments.CommonArguments {
  readonly endpoints: number
  readonly events: number
}

const usage = [
  "node bench/webhooks.ts [options]",
  "",
  "  --endpoints N     webhooks of the tenant, at most 20; 10 when absent",
  "  --events N        events, each of which goes to all webhooks; 1,000 when absent",
  "  --database NAME   sqlite or postgres; without it both",
  "  --directory DIR   for temporary files",
  "  --help",
  ""
].join("\n")

const parse = (args: ReadonlyArray<string>): Arguments | undefined =>
  CommonArguments.parse(args, {
    endpoints: { default: 10, least: 1, most: 20 },
    events: { default: 1000, least: 1 }
  })

/** Bytes of a body that names a new file. */
const bodySize = 330

/** The endpoints, as paths of one server, which counts requests. */
const receiver = Effect.acquireRelease(
  attempt("The receiver", async () => {
    const counter = { received: 0 }
    const server = Http.createServer((request, response) => {
      request.resume().once("end", () => {
        counter.received++
        response.writeHead(204).end()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return { counter, server, port: (server.address() as AddressInfo).port }
  }),
  ({ server }) => Effect.sync(() => server.close().closeAllConnections())
)

/** Posts signed bodies, one after the other. */
const post = async (port: number, path: string, count: number): Promise<void> => {
  const agent = new Http.Agent({ keepAlive: true, maxSockets: 1 })
  const body = "x".repeat(bodySize)
  for (let index = 0; index < count; index++) {
    const headers = {
      "content-type": "application/json",
      "webhook-id": `evt_${index}`,
      "webhook-timestamp": "1700000000",
      "webhook-signature": `v1,${createHmac("sha256", "secret").update(`evt_${index}.1700000000.${body}`).digest("base64")}`
    }
    await new Promise<void>((resolve, reject) => {
      const request = Http.request({ agent, port, host: "127.0.0.1", method: "POST", path, headers }, (response) => {
        response.resume().once("end", resolve)
      })
      request.once("error", reject).end(body)
    })
  }
  agent.destroy()
}

const timed = <A, E>(self: Effect.Effect<A, E>) =>
  Effect.suspend(() => {
    const begun = performance.now()
    return Effect.map(self, () => (performance.now() - begun) / 1000)
  })

/** Stores events, whose deliveries wait. */
const storeEvents = (options: HoldfastProcess.Options, port: number, { endpoints, events }: Arguments) =>
  Effect.gen(function* () {
    const environment = { HOLDFAST_WEBHOOKS: "0", HOLDFAST_WEBHOOKS_ALLOW_PRIVATE: "on" }
    const holdfast = yield* HoldfastProcess.start({ ...options, environment })
    const tenancy = yield* Tenancy.make(holdfast, "hooks")
    const url = `http://127.0.0.1:${holdfast.port}${tenancy.path("webhooks")}`
    for (let index = 0; index < endpoints; index++) {
      const input = { name: `w${index}`, url: `http://127.0.0.1:${port}/${index}`, eventTypes: ["file."] }
      yield* Api.request("POST", url, input)
    }
    const names = Array.from({ length: events }, (_, index) => `file-${index}`)
    yield* Effect.forEach(names, tenancy.reserve, { concurrency: 16, discard: true })
  }).pipe(Effect.scoped)

const pollSchedule = Schedule.spaced("5 millis")

const measure = (name: "sqlite" | "postgres", args: Arguments) =>
  Effect.gen(function* () {
    const root = yield* TemporaryDirectory.make(args.directory, 2 ** 30)
    const directory = join(root, "data")
    const database = yield* (yield* Database.open(name)).create(directory)
    const { counter, port } = yield* receiver
    const options = { directory, database, rootKey: yield* HoldfastProcess.mintRootKey }
    const total = args.endpoints * args.events
    yield* Main.printProgress(`${name}: storing ${args.events} events…`)
    yield* storeEvents(options, port, args)

    const environment = { HOLDFAST_WEBHOOKS_ALLOW_PRIVATE: "on" }
    const holdfast = yield* HoldfastProcess.start({ ...options, environment })
    const cpu = yield* CpuMeter.ofProcess(holdfast.pid)
    const untilAll = Effect.suspend(() => Effect.succeed(counter.received >= total)).pipe(
      Effect.repeat({ until: (isComplete) => isComplete, schedule: pollSchedule }),
      Effect.timeoutOrElse({
        duration: "5 minutes",
        orElse: () => Effect.fail(new BenchFailure({ message: `${counter.received} of ${total} deliveries arrived.` }))
      })
    )
    const seconds = yield* timed(untilAll)
    const cpuMicros = (((yield* CpuMeter.ofProcess(holdfast.pid)) - cpu) * 1e6) / total
    const paths = Array.from({ length: args.endpoints }, (_, index) => `/bare/${index}`)
    const bare = yield* timed(
      attempt("The bare client", () => Promise.all(paths.map((path) => post(port, path, args.events))))
    )
    const perSecond = (time: number) => Math.round(total / time)
    yield* Main.print(
      `${name.padEnd(8)} ${args.endpoints} endpoints: ${perSecond(seconds)} deliveries/s, ${Math.round(cpuMicros)} µs of ` +
        `processor time each; bare ${perSecond(bare)}/s, ratio ${(seconds / bare).toFixed(2)}\n`
    )
  }).pipe(Effect.scoped)

Main.runMain(parse, usage, (args) =>
  Effect.as(
    Effect.forEach(args.databases, (name) => measure(name, args), { discard: true }),
    0
  )
)
