/**
 * The service's own log, on standard error: what it says of itself, not of requests.
 */
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import type { Config } from "../config/Config.ts"

/** Obeys the settings of level and format. */
export const layer = ({ logFormat, logLevel }: Pick<Config, "logFormat" | "logLevel">): Layer.Layer<never> =>
  Layer.mergeAll(
    Logger.layer([
      logFormat === "json" ? Logger.withConsoleError(Logger.formatJson) : Logger.consolePretty({ mode: "tty" })
    ]),
    Layer.succeed(Logger.LogToStderr, true),
    Layer.succeed(References.MinimumLogLevel, logLevel)
  )
