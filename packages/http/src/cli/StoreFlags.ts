/**
 * Where the stores are, for commands that open them without a service.
 */
import type * as Option from "effect/Option"
import * as BlobStoreSettings from "../server/config/BlobStoreSettings.ts"
import * as ConfigFlags from "../server/config/ConfigFlags.ts"
import { load } from "./CommandConfig.ts"

const wanted: ReadonlySet<string> = new Set([
  "config",
  "dataDir",
  "databasePool",
  "databaseUrl",
  ...Object.keys(BlobStoreSettings.settings)
])

/** Those of the service's options that say where its stores are. */
export const flags = Object.fromEntries(Object.entries(ConfigFlags.flags).filter(([name]) => wanted.has(name)))

/** The configuration, from the same options, environment and file as that of the service. */
export const loadConfig = (given: Readonly<Record<string, Option.Option<string>>>) => load(given)
