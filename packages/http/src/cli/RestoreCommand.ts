import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CommandFlags from "./CommandFlags.ts"
import { UsageError } from "./Failure.ts"
import * as Signals from "./Signals.ts"
import * as StoreFlags from "./StoreFlags.ts"

/** `holdfast restore` */
export const command = Command.make(
  "restore",
  {
    directory: Argument.String("directory").pipe(Argument.withDescription("Directory of the backup")),
    snapshot: CommandFlags.text("snapshot", "Id of the snapshot. Default: the newest one"),
    onlyDamaged: CommandFlags.toggle(
      "only-damaged",
      "Restore the contents that are damaged or missing in a deployment with data. Works while a service runs"
    ),
    pauseMirrors: CommandFlags.toggle(
      "pause-mirrors",
      "Pause all mirrors and disable all webhooks of the restored deployment, to practise a restore"
    ),
    json: CommandFlags.json,
    ...StoreFlags.flags
  },
  Effect.fnUntraced(function* ({ directory, json, onlyDamaged, pauseMirrors, snapshot, ...parsed }) {
    const config = yield* StoreFlags.loadConfig(parsed)
    const restore = yield* Effect.promise(() => import("./operator/Restore.ts"))
    const options = { directory, json }
    if (!onlyDamaged) {
      return yield* Signals.failOnSignal(
        restore.run(config, { ...options, pauseMirrors, snapshot: Option.getOrUndefined(snapshot) })
      )
    }
    if (Option.isSome(snapshot)) {
      return yield* new UsageError({
        message: "--only-damaged looks for contents in all snapshots: leave --snapshot out."
      })
    }
    if (pauseMirrors) {
      return yield* new UsageError({ message: "--only-damaged changes no mirror: leave --pause-mirrors out." })
    }
    yield* Signals.failOnSignal(restore.runOnlyDamaged(config, options))
  })
).pipe(
  Command.withDescription(
    "Restore a backup into an empty data directory or database, and check the result. An interrupted restore continues"
  )
)
