import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CommandFlags from "./CommandFlags.ts"
import * as RemoteFlags from "./RemoteFlags.ts"
import * as Signals from "./Signals.ts"
import * as Output from "./terminal/Output.ts"

/** `holdfast download` */
export const command = Command.make(
  "download",
  {
    file: Argument.String("file").pipe(Argument.withDescription("Id of the file, or @ and its alias")),
    ...RemoteFlags.flags,
    output: Flag.String("output").pipe(
      Flag.withAlias("o"),
      Flag.withDescription(
        "Path of the local file, or - for standard output. Default: the name of the file, in the current directory"
      ),
      Flag.optional
    ),
    force: CommandFlags.toggle("force", "Replace an existing local file")
  },
  Effect.fnUntraced(function* (parsed) {
    const bucket = yield* RemoteFlags.toRemoteBucket(parsed)
    const { run } = yield* Effect.promise(() => import("./remote/Download.ts"))
    const { file, force } = parsed
    const target = yield* Signals.failOnSignal(
      run(bucket, { file, force, output: Option.getOrUndefined(parsed.output) })
    )
    if (target !== "-") yield* Output.writeLine(target)
  })
).pipe(Command.withDescription("Download a file from a service and verify its checksum"))
