/**
 * The service's process, as its operator starts it.
 */
import { fileURLToPath } from "node:url"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as ApiKey from "@holdfast/core/access/ApiKey"
import type { Server } from "./BareProcess.ts"
import { BenchFailure } from "./BenchFailure.ts"
import * as Child from "./Child.ts"
import type { Instance } from "./Database.ts"

const script = fileURLToPath(import.meta.resolve("@holdfast/http/main"))

const Crypto = Layer.mergeAll(Digest.layerWebCrypto, SecureRandom.layerWebCrypto)

export interface Holdfast extends Server {
  /** The account key that it was started with. */
  readonly rootKey: string
}

/** Settings of whoever runs this: the service is measured with its defaults. An empty variable counts as absent. */
const unset: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(process.env)
    .filter((name) => name === "DATABASE_URL" || /^(?:HOLDFAST|OTEL)_/.test(name))
    .map((name) => [name, ""])
)

/** How the service tells that it listens. */
const listening = /http:\/\/127\.0\.0\.1:(\d+)/

const pause = "5 millis"
const attempts = 12_000

/** The port, once the service has told it. */
const awaitPort = (child: Child.Child): Effect.Effect<number, BenchFailure> =>
  Effect.gen(function* () {
    for (let attempt = 0; attempt < attempts && !child.hasExited(); attempt++) {
      const port = listening.exec(child.said())?.[1]
      if (port !== undefined) return Number(port)
      yield* Effect.sleep(pause)
    }
    return yield* new BenchFailure({ message: `The service did not start. ${child.said()}` })
  })

/** A key to start it with. */
export const mintRootKey: Effect.Effect<string> = ApiKey.mint.pipe(
  Effect.map(({ key }) => Redacted.value(key)),
  Effect.provide(Crypto)
)

export interface Options {
  /** For its data. */
  readonly directory: string
  readonly database: Instance
  readonly rootKey: string
  /** Where it leaves a profile of its processor time. */
  readonly profile?: string | undefined
}

/** Starts it; succeeds when it listens. */
export const start = ({
  database,
  directory,
  profile,
  rootKey
}: Options): Effect.Effect<Holdfast, BenchFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* Child.spawnNode({
      script,
      arguments: ["serve", "--port", "0"],
      nodeArguments: profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`],
      log: `${directory}.log`,
      environment: { ...unset, HOLDFAST_ROOT_KEY: rootKey, HOLDFAST_DATA_DIR: directory, ...database.environment }
    })
    return { pid: child.pid, port: yield* awaitPort(child), rootKey }
  })
