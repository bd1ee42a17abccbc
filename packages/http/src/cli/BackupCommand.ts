import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CommandFlags from "./CommandFlags.ts"
import * as Signals from "./Signals.ts"
import * as StoreFlags from "./StoreFlags.ts"
import { version } from "./Version.ts"

/** `holdfast backup` */
export const command = Command.make(
  "backup",
  {
    destination: Argument.String("destination").pipe(
      Argument.withDescription(
        "Directory of the backup. Further backups into the same directory copy only new contents"
      )
    ),
    contents: Flag.Literals("contents", ["copy", "manifest"]).pipe(
      Flag.withDescription(
        "Whether contents are copied, or only listed, for an object store that keeps versions or replicas itself"
      ),
      Flag.withDefault("copy")
    ),
    keep: CommandFlags.count(
      "keep",
      "Afterwards remove all but this number of snapshots, and the contents that only they have"
    ),
    adoptDestination: CommandFlags.toggle(
      "adopt-destination",
      "Continue a directory with snapshots of another deployment, such as the one that this was restored from"
    ),
    json: CommandFlags.json,
    ...StoreFlags.flags
  },
  Effect.fnUntraced(function* ({ adoptDestination, contents, destination, json, keep, ...parsed }) {
    const config = yield* StoreFlags.loadConfig(parsed)
    const { run } = yield* Effect.promise(() => import("./operator/Backup.ts"))
    yield* Signals.failOnSignal(
      run(config, { adoptDestination, contents, destination, json, keep: Option.getOrUndefined(keep), version })
    )
  })
).pipe(
  Command.withDescription(
    "Save metadata and contents in a directory. Works while a service runs: uploads, downloads and removals are not affected"
  )
)
