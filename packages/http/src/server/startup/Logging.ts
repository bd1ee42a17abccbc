/**
 * The log of the service, on standard error. It has the messages of the service itself; requests are in the access log.
 */
import * as Console from "effect/Console"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import { format } from "node:util"
import * as MaskKeys from "@holdfast/core/secrets/MaskKeys"
import type { Config } from "../config/Config.ts"
import type { WorkerProcess } from "../workers/WorkerProcess.ts"

/** A console whose standard error has no keys: an error may quote the URL of a request, for example. */
const maskingConsole: Console.Console = Object.assign(Object.create(globalThis.console), {
  error: (...items: ReadonlyArray<unknown>) => globalThis.console.error("%s", MaskKeys.mask(format(...items)))
})

/** The logger, with the configured level and format. Messages of a worker process have its number. */
export const layer = (
  { logFormat, logLevel }: Pick<Config, "logFormat" | "logLevel">,
  worker?: WorkerProcess
): Layer.Layer<never> =>
  Layer.mergeAll(
    Layer.succeed(Console.Console, maskingConsole),
    Logger.layer([
      logFormat === "json" ? Logger.withConsoleError(Logger.formatJson) : Logger.consolePretty({ mode: "tty" })
    ]),
    Layer.succeed(Logger.LogToStderr, true),
    Layer.succeed(References.MinimumLogLevel, logLevel),
    worker === undefined ? Layer.empty : Layer.succeed(References.CurrentLogAnnotations, { worker: worker.number })
  )
