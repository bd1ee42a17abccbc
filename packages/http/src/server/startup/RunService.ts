/**
 * Runs the service and prints its URL, and at the first start its first key.
 */
import type { MetadataError } from "@holdfast/core/MetadataError"
import { StoreFailure } from "@holdfast/core/storage/StoreFailure"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as BlobStoreLayer from "../compose/BlobStoreLayer.ts"
import * as RootKey from "../compose/RootKey.ts"
import * as ServiceLayer from "../compose/ServiceLayer.ts"
import type { Config } from "../config/Config.ts"
import { ConfigError } from "../config/ConfigError.ts"
import { StandaloneServer } from "../listener/StandaloneServer.ts"
import { CurrentChannel, type WorkerChannel } from "../workers/WorkerChannel.ts"
import type { WorkerProcess } from "../workers/WorkerProcess.ts"
import * as HeapGrowth from "./HeapGrowth.ts"
import * as IdleCollection from "./IdleCollection.ts"
import * as Logging from "./Logging.ts"
import * as UnknownVariables from "./UnknownVariables.ts"
import * as WelcomeMessage from "./WelcomeMessage.ts"

/**
 * Prints to standard output and not to the log: the log's level may suppress the text, and a log may be stored where
 * others can read the key in the text.
 */
const print = (text: string): Effect.Effect<void> => Effect.sync(() => void process.stdout.write(`${text}\n`))

const readyMessage = (
  { logFormat }: Config,
  version: string,
  { operatorUrl, url }: StandaloneServer["Service"]
): string => {
  const message = `Holdfast ${version} listens on ${url}${operatorUrl === undefined ? "" : ` and for operators on ${operatorUrl}`}`
  return logFormat === "json"
    ? JSON.stringify({ time: new Date().toISOString(), type: "ready", message, url, operatorUrl, version })
    : message
}

/** Replaces the address of all interfaces by the loopback address, to which a client on this machine can connect. */
const toReachable = (url: string): string => url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")

/** A stateless node without a configured secret key would create another one at each start. */
const requireSecretKey = (config: Config): Effect.Effect<void, ConfigError> =>
  config.secretKey === undefined && BlobStoreLayer.isStateless(config)
    ? Effect.fail(
        new ConfigError({
          faults: [
            {
              source: "HOLDFAST_SECRET_KEY",
              problem:
                "must be set, since nothing is kept in the data directory: 32 random bytes in base64, the same for every node"
            }
          ]
        })
      )
    : Effect.void

/** Each node would encrypt with a key of its own, and no other node could decrypt. */
const warnOfLocalSecretKey = ({ databaseUrl, secretKey }: Config): Effect.Effect<void> =>
  databaseUrl !== undefined && secretKey === undefined
    ? Effect.logWarning(
        "secret key is in the data directory; nodes that share the database need the same HOLDFAST_SECRET_KEY"
      )
    : Effect.void

/** Creates and prints the first key if there is none. The server listens by then, so the printed URL works. */
const welcome = Effect.fnUntraced(function* (config: Config, server: StandaloneServer["Service"]) {
  const key = yield* RootKey.createFirst(config)
  if (key === undefined) return
  const url = config.publicUrl ?? toReachable(server.url)
  const referenceUrl = server.operatorUrl === undefined ? url : toReachable(server.operatorUrl)
  yield* print(WelcomeMessage.render({ url, referenceUrl, email: config.rootEmail, key: Redacted.value(key) }))
})

/** What a process has in a service of several ones. */
export interface Membership {
  readonly worker: WorkerProcess
  readonly channel: WorkerChannel
}

/** Returns when this process has to print that the service is ready: never if another one does, or did. */
const untilReady = ({ channel, worker }: Membership) =>
  Effect.andThen(channel.send({ type: "listening" }), worker.isFirst ? channel.started : Effect.never)

const serve = Effect.fnUntraced(function* (
  config: Config,
  version: string,
  storeFailure: Effect.Effect<never, MetadataError>,
  membership: Membership | undefined
) {
  const server = yield* StandaloneServer
  if (membership !== undefined) yield* Effect.raceFirst(untilReady(membership), storeFailure)
  yield* print(readyMessage(config, version, server))
  yield* warnOfLocalSecretKey(config)
  yield* welcome(config, server)
  return yield* storeFailure
})

const limitHeap = Effect.forEach(
  [HeapGrowth.enforce, IdleCollection.begin],
  (begin) => Effect.acquireRelease(Effect.sync(begin), (end) => Effect.sync(end)),
  { discard: true }
)

/** Runs until interrupted. Fails when a store has to be opened again. `membership` is that of a worker process. */
export const run = (config: Config, version: string, membership?: Membership) =>
  Effect.gen(function* () {
    yield* limitHeap
    if (membership === undefined) yield* UnknownVariables.warn(process.env)
    const failed = yield* Deferred.make<never, MetadataError>()
    const report = (error: MetadataError) =>
      Effect.logFatal(
        "the disk failed to sync the database; the service ends, so that a supervisor starts it again",
        error
      ).pipe(
        Effect.andThen(membership === undefined ? Effect.void : membership.channel.send({ type: "storeFailed" })),
        Effect.andThen(Deferred.fail(failed, error)),
        Effect.asVoid
      )
    return yield* serve(config, version, Deferred.await(failed), membership).pipe(
      Effect.provide(ServiceLayer.layer(config, version, membership?.worker)),
      (service) => Effect.andThen(requireSecretKey(config), service),
      Effect.provideService(StoreFailure, report),
      Effect.provideService(CurrentChannel, membership?.channel)
    )
  }).pipe(Effect.provide(Logging.layer(config, membership?.worker)), Effect.scoped)
