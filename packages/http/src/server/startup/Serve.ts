/**
 * Runs the service, and tells where it is.
 */
import * as Effect from "effect/Effect"
import * as Blobs from "../compose/Blobs.ts"
import type { Config } from "../config/Config.ts"
import { ConfigError } from "../config/ConfigError.ts"
import * as FirstRun from "./FirstRun.ts"
import { HttpService } from "../listener/HttpService.ts"
import * as Logging from "./Logging.ts"
import * as Service from "../compose/Service.ts"

/** Straight to standard output, past the log: that may be turned down, and may be kept where others read it. */
const print = (text: string): Effect.Effect<void> => Effect.sync(() => void process.stdout.write(`${text}\n`))

const ready = ({ logFormat }: Config, version: string, url: string): string => {
  const message = `Holdfast ${version} listens on ${url}`
  return logFormat === "json"
    ? JSON.stringify({ time: new Date().toISOString(), type: "ready", message, url, version })
    : message
}

/** Every address of this machine is no address to go to. */
const reachable = (url: string): string => url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")

/** Without a key of their own, nodes that keep nothing on a disk would have another one with each start. */
const requireKey = (config: Config): Effect.Effect<void, ConfigError> =>
  config.secretKey === undefined && Blobs.isStateless(config)
    ? Effect.fail(
        new ConfigError({
          faults: [
            {
              where: "HOLDFAST_SECRET_KEY",
              what: "must be set, since nothing is kept in the data directory: 32 random bytes in base64, the same for every node"
            }
          ]
        })
      )
    : Effect.void

/** Each node would seal by a key of its own, and none could open what another sealed. */
const warnOfKeys = ({ databaseUrl, secretKey }: Config): Effect.Effect<void> =>
  databaseUrl !== undefined && secretKey === undefined
    ? Effect.logWarning(
        "The key that seals secrets is in the data directory. Nodes that share the database need one HOLDFAST_SECRET_KEY."
      )
    : Effect.void

/** Never ends by itself. */
export const run = (config: Config, version: string) =>
  Effect.gen(function* () {
    const { url } = yield* HttpService
    yield* print(ready(config, version, url))
    yield* warnOfKeys(config)
    const welcome = yield* FirstRun.welcome(config, config.publicUrl ?? reachable(url))
    if (welcome !== undefined) yield* print(welcome)
    return yield* Effect.never
  }).pipe(
    Effect.provide(Service.layer(config, version)),
    (service) => Effect.andThen(requireKey(config), service),
    Effect.provide(Logging.layer(config)),
    Effect.scoped
  )
