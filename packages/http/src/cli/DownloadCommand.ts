import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Output from "./Output.ts"
import * as RemoteFlags from "./RemoteFlags.ts"
import * as Signals from "./Signals.ts"

/** `holdfast download` */
export const command = Command.make(
  "download",
  {
    file: Argument.String("file").pipe(Argument.withDescription("The file's id, or @alias")),
    ...RemoteFlags.flags,
    output: Flag.String("output").pipe(
      Flag.withAlias("o"),
      Flag.withDescription("Where it goes, - for standard output; the file's own name here when absent"),
      Flag.optional
    ),
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("Replace a local file of that name"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* (given) {
    const bucket = yield* RemoteFlags.toRemoteBucket(given)
    const { run } = yield* Effect.promise(() => import("./remote/Download.ts"))
    const { file, force } = given
    const target = yield* Signals.failOnSignal(
      run(bucket, { file, force, output: Option.getOrUndefined(given.output) })
    )
    if (target !== "-") yield* Output.writeLine(target)
  })
).pipe(Command.withDescription("Download a file from a service, and check it against its checksum"))
