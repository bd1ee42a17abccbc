import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "node:path"
import * as RemoteFlags from "./RemoteFlags.ts"
import * as Signals from "./Signals.ts"
import * as Output from "./terminal/Output.ts"

/** `holdfast upload` */
export const command = Command.make(
  "upload",
  {
    file: Argument.String("file").pipe(Argument.withDescription("Path of the local file")),
    ...RemoteFlags.flags,
    path: Flag.String("path").pipe(Flag.withDescription("Folder in the bucket"), Flag.withDefault("/")),
    name: Flag.String("name").pipe(
      Flag.withDescription("Name in the bucket. Default: the name of the local file"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* (parsed) {
    const bucket = yield* RemoteFlags.toRemoteBucket(parsed)
    const { run } = yield* Effect.promise(() => import("./remote/Upload.ts"))
    const name = Option.getOrElse(parsed.name, () => Path.basename(parsed.file))
    const record = yield* Signals.failOnSignal(run(bucket, { file: parsed.file, name, path: parsed.path }))
    yield* Output.writeLine(record)
  })
).pipe(Command.withDescription("Upload a file to a service and print its record as JSON"))
