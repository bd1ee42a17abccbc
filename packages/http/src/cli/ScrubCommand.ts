import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Signals from "./Signals.ts"
import * as StoreFlags from "./StoreFlags.ts"

/** `holdfast scrub` */
export const command = Command.make(
  "scrub",
  {
    repair: Flag.Boolean("repair").pipe(
      Flag.withDescription("Replace damaged contents by their copies at mirrors"),
      Flag.withDefault(false)
    ),
    restart: Flag.Boolean("restart").pipe(
      Flag.withDescription("Begin anew instead of continuing an interrupted scrub"),
      Flag.withDefault(false)
    ),
    rate: Flag.Int("rate").pipe(
      Flag.withDescription("Bytes per second to read at most. By default the scrub reads as fast as it can"),
      Flag.filter(
        (rate) => rate > 0,
        (rate) => `Expected a number from 1, got ${rate}`
      ),
      Flag.optional
    ),
    ...StoreFlags.flags
  },
  Effect.fnUntraced(function* ({ rate, repair, restart, ...parsed }) {
    const config = yield* StoreFlags.loadConfig(parsed)
    const { run } = yield* Effect.promise(() => import("./operator/Scrub.ts"))
    yield* Signals.failOnSignal(run(config, { repair, restart, bytesPerSecond: Option.getOrUndefined(rate) }))
  })
).pipe(
  Command.withDescription(
    "Read all contents and compare them with their checksums. Works while a service runs; an interrupted scrub is continued"
  )
)
