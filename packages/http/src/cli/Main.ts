/**
 * The command line: `holdfast <command>`.
 *
 * Exit codes: 0 for success, 1 for a failure, 2 for invalid arguments or configuration, 130 for a command that a signal
 * interrupted.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as CliConfig from "effect/cli/CliConfig"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as BackupCommand from "./BackupCommand.ts"
import * as DownloadCommand from "./DownloadCommand.ts"
import * as EventsCommand from "./EventsCommand.ts"
import * as Failure from "./Failure.ts"
import * as FsckCommand from "./FsckCommand.ts"
import * as KeysCommand from "./KeysCommand.ts"
import * as ListCommands from "./lists/ListCommands.ts"
import * as MigrateCommand from "./MigrateCommand.ts"
import * as Output from "./terminal/Output.ts"
import * as Presenter from "./terminal/Presenter.ts"
import * as QuotaCommand from "./QuotaCommand.ts"
import * as RestoreCommand from "./RestoreCommand.ts"
import * as S3Command from "./s3/S3Command.ts"
import * as ScrubCommand from "./ScrubCommand.ts"
import * as ServeCommand from "./ServeCommand.ts"
import * as UploadCommand from "./UploadCommand.ts"
import * as VerifyBackupCommand from "./VerifyBackupCommand.ts"
import { version } from "./Version.ts"

const name = "holdfast"

const root = Command.make(name).pipe(
  Command.withDescription("File storage: tenants, buckets, files, roles and keys"),
  Command.withSubcommands([
    ServeCommand.command,
    KeysCommand.command,
    EventsCommand.command,
    QuotaCommand.command,
    ListCommands.tenants,
    ListCommands.buckets,
    ListCommands.tokens,
    ListCommands.usage,
    S3Command.command,
    MigrateCommand.command,
    FsckCommand.command,
    ScrubCommand.command,
    BackupCommand.command,
    VerifyBackupCommand.command,
    RestoreCommand.command,
    UploadCommand.command,
    DownloadCommand.command
  ])
)

const environment = Layer.mergeAll(
  NodeServices.layer,
  Presenter.layer,
  // Standard output has the results of commands only, such as one JSON object.
  Layer.succeed(Logger.LogToStderr, true),
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })
)

/** Runs a command line and returns its exit code. */
export const run = (args: ReadonlyArray<string>): Promise<number> =>
  Command.runWith(root, { version })(args).pipe(
    Effect.matchCauseEffect({
      onSuccess: () => Effect.succeed(0),
      onFailure: (cause) => {
        const { code, lines } = Failure.toExit(cause)
        return Effect.as(
          Effect.forEach(lines, (line) => Output.writeError(`${name}: ${line}`)),
          code
        )
      }
    }),
    Effect.provide(environment),
    Effect.runPromise
  )
