import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Signals from "./Signals.ts"
import * as StoreFlags from "./StoreFlags.ts"

/** `holdfast fsck` */
export const command = Command.make(
  "fsck",
  {
    repair: Flag.Boolean("repair").pipe(
      Flag.withDescription("Remove contents that have no record, and give up records of contents that no file has"),
      Flag.withDefault(false)
    ),
    ...StoreFlags.flags
  },
  Effect.fnUntraced(function* ({ repair, ...given }) {
    const places = yield* StoreFlags.loadConfig(given)
    const { run } = yield* Effect.promise(() => import("./operator/Fsck.ts"))
    yield* Signals.failOnSignal(run(places, repair))
  })
).pipe(
  Command.withDescription(
    "Compare records and contents in both directions. Works beside a running service: nothing that an upload or a reader needs is touched."
  )
)
