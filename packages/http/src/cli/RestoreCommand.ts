import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as BackupFlags from "./BackupFlags.ts"
import * as Signals from "./Signals.ts"
import * as StoreFlags from "./StoreFlags.ts"

/** `holdfast restore` */
export const command = Command.make(
  "restore",
  {
    directory: Argument.String("directory").pipe(Argument.withDescription("Directory of the backup")),
    snapshot: BackupFlags.snapshot("Id of the snapshot. Default: the newest one"),
    json: BackupFlags.json,
    ...StoreFlags.flags
  },
  Effect.fnUntraced(function* ({ directory, json, snapshot, ...parsed }) {
    const config = yield* StoreFlags.loadConfig(parsed)
    const { run } = yield* Effect.promise(() => import("./operator/Restore.ts"))
    yield* Signals.failOnSignal(run(config, { directory, json, snapshot: Option.getOrUndefined(snapshot) }))
  })
).pipe(
  Command.withDescription(
    "Restore a backup into an empty data directory or database, and check the result. An interrupted restore continues"
  )
)
