/**
 * The log of the service, on standard error. It has the messages of the service itself; requests are in the access log.
 */
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import type { Config } from "../config/Config.ts"

/** The logger, with the configured level and format. */
export const layer = ({ logFormat, logLevel }: Pick<Config, "logFormat" | "logLevel">): Layer.Layer<never> =>
  Layer.mergeAll(
    Logger.layer([
      logFormat === "json" ? Logger.withConsoleError(Logger.formatJson) : Logger.consolePretty({ mode: "tty" })
    ]),
    Layer.succeed(Logger.LogToStderr, true),
    Layer.succeed(References.MinimumLogLevel, logLevel)
  )
