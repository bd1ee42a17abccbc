import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as ConfigFlags from "../server/config/ConfigFlags.ts"
import * as WorkerProcess from "../server/workers/WorkerProcess.ts"
import * as CommandConfig from "./CommandConfig.ts"
import * as Signals from "./Signals.ts"
import { version } from "./Version.ts"

/** `holdfast serve` */
export const command = Command.make(
  "serve",
  ConfigFlags.flags,
  Effect.fnUntraced(function* (parsed) {
    const config = yield* CommandConfig.load(parsed)
    const worker = WorkerProcess.fromEnvironment(process.env)
    if (worker === undefined && config.workers > 1) {
      const { run } = yield* Effect.promise(() => import("../server/startup/RunWorkers.ts"))
      return yield* Signals.runUntilSignal(run(config))
    }
    const { run } = yield* Effect.promise(() => import("../server/startup/RunService.ts"))
    if (worker === undefined) return yield* Signals.runUntilSignal(run(config, version))
    const { open } = yield* Effect.promise(() => import("../server/workers/WorkerChannel.ts"))
    const channel = open()
    yield* Signals.runUntilStopped(run(config, version, { worker, channel }), channel.stopped)
  })
).pipe(Command.withDescription("Run the service until SIGTERM or SIGINT. It finishes running requests before it exits"))
