/**
 * The configuration of a command: from its options, the process's environment and the file that they name.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Option from "effect/Option"
import * as Config from "../server/config/Config.ts"
import type { ConfigError } from "../server/config/ConfigError.ts"
import * as ConfigFlags from "../server/config/ConfigFlags.ts"
import * as NodeDigest from "../server/compose/NodeDigest.ts"

/** Fails with every fault at once. */
export const load = (
  given: Readonly<Record<string, Option.Option<string>>>
): Effect.Effect<Config.Config, ConfigError, FileSystem.FileSystem> =>
  Config.load({
    options: ConfigFlags.toOptions(given),
    environment: process.env,
    isTerminal: process.stdout.isTTY
  }).pipe(Effect.provide(NodeDigest.layer))
