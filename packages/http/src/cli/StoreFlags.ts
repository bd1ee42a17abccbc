/**
 * The options of the metadata store and the blob store, for commands that open the stores without a service.
 */
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as BlobStores from "../server/config/blobs/BlobStores.ts"
import * as ConfigFlags from "../server/config/ConfigFlags.ts"
import * as CommandConfig from "./CommandConfig.ts"

const names: ReadonlySet<string> = new Set([
  "config",
  "dataDir",
  "databasePool",
  "databaseUrl",
  ...Object.keys(BlobStores.settings)
])

/** The options of `serve` that concern its stores. */
export const flags = Object.fromEntries(Object.entries(ConfigFlags.flags).filter(([name]) => names.has(name)))

/** Loads the configuration from the same options, environment and file as the service does. */
export const loadConfig = (parsed: Readonly<Record<string, Option.Option<string>>>) => CommandConfig.load(parsed)

/** As `loadConfig`, for a command that must not create or migrate a database. Fails with `NoDatabase` where there is none of this version. */
export const loadDeployment = (parsed: Readonly<Record<string, Option.Option<string>>>) =>
  Effect.tap(loadConfig(parsed), (config) =>
    Effect.flatMap(
      Effect.promise(() => import("../server/startup/ExistingDatabase.ts")),
      ({ check }) => check(config)
    )
  )
