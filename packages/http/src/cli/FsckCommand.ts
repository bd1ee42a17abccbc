import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as CommandFlags from "./CommandFlags.ts"
import * as Signals from "./Signals.ts"
import * as StoreFlags from "./StoreFlags.ts"

/** `holdfast fsck` */
export const command = Command.make(
  "fsck",
  {
    repair: CommandFlags.toggle(
      "repair",
      "Remove contents without a record, and mark contents that no file uses for removal"
    ),
    adoptStore: CommandFlags.toggle(
      "adopt-store",
      "Record this store as the one that belongs to the database, before the check"
    ),
    ...StoreFlags.flags
  },
  Effect.fnUntraced(function* ({ adoptStore, repair, ...parsed }) {
    const config = yield* StoreFlags.loadDeployment(parsed)
    const { run } = yield* Effect.promise(() => import("./operator/Fsck.ts"))
    yield* Signals.failOnSignal(run(config, { adoptStore, repair }))
  })
).pipe(
  Command.withDescription(
    "Compare records and contents in both directions. Works while a service runs: running uploads and downloads are not affected"
  )
)
