import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as ConfigFlags from "../server/config/ConfigFlags.ts"
import * as CommandConfig from "./CommandConfig.ts"
import * as Signals from "./Signals.ts"
import { version } from "./Version.ts"

/** `holdfast serve` */
export const command = Command.make(
  "serve",
  ConfigFlags.flags,
  Effect.fnUntraced(function* (parsed) {
    const config = yield* CommandConfig.load(parsed)
    const { run } = yield* Effect.promise(() => import("../server/startup/RunService.ts"))
    yield* Signals.runUntilSignal(run(config, version))
  })
).pipe(Command.withDescription("Run the service until SIGTERM or SIGINT. It finishes running requests before it exits"))
