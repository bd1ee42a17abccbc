import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CommandFlags from "./CommandFlags.ts"
import * as Signals from "./Signals.ts"
import * as StoreFlags from "./StoreFlags.ts"

/** `holdfast scrub` */
export const command = Command.make(
  "scrub",
  {
    repair: CommandFlags.toggle("repair", "Replace damaged contents by their copies at mirrors"),
    restart: CommandFlags.toggle("restart", "Begin anew instead of continuing an interrupted scrub"),
    rate: CommandFlags.count("rate", "Bytes per second to read at most. By default the scrub reads as fast as it can"),
    ...StoreFlags.flags
  },
  Effect.fnUntraced(function* ({ rate, repair, restart, ...parsed }) {
    const config = yield* StoreFlags.loadDeployment(parsed)
    const { run } = yield* Effect.promise(() => import("./operator/Scrub.ts"))
    yield* Signals.failOnSignal(run(config, { repair, restart, bytesPerSecond: Option.getOrUndefined(rate) }))
  })
).pipe(
  Command.withDescription(
    "Read all contents and compare them with their checksums. Works while a service runs; an interrupted scrub is continued"
  )
)
