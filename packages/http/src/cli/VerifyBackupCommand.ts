import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CommandFlags from "./CommandFlags.ts"
import * as Signals from "./Signals.ts"

/** `holdfast verify-backup` */
export const command = Command.make(
  "verify-backup",
  {
    directory: Argument.String("directory").pipe(Argument.withDescription("Directory of the backup")),
    snapshot: CommandFlags.text("snapshot", "Id of one snapshot. Default: all snapshots"),
    json: CommandFlags.json
  },
  Effect.fnUntraced(function* ({ directory, json, snapshot }) {
    const { run } = yield* Effect.promise(() => import("./operator/VerifyBackup.ts"))
    yield* Signals.failOnSignal(run({ directory, json, snapshot: Option.getOrUndefined(snapshot) }))
  })
).pipe(Command.withDescription("Read all of a backup and compare it with the sizes and checksums in its metadata"))
