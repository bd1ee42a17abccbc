/**
 * Loads the configuration of a command from its options, the environment of the process, and the configuration file.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Option from "effect/Option"
import * as NodeDigest from "../server/compose/NodeDigest.ts"
import * as Config from "../server/config/Config.ts"
import type { ConfigError } from "../server/config/ConfigError.ts"
import * as ConfigFlags from "../server/config/ConfigFlags.ts"

/** Fails with all faults of the configuration. */
export const load = (
  parsed: Readonly<Record<string, Option.Option<string>>>
): Effect.Effect<Config.Config, ConfigError, FileSystem.FileSystem> =>
  Config.load({
    options: ConfigFlags.toOptions(parsed),
    environment: process.env,
    isTerminal: process.stdout.isTTY
  }).pipe(Effect.provide(NodeDigest.layer))
