/**
 * The layer for the option `log` of `open`.
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type { LogLevel as EffectLogLevel } from "effect/LogLevel"
import * as References from "effect/References"
import * as MaskKeys from "../../../secrets/MaskKeys.ts"
import type { LogEntry, LogLevel } from "../../Log.ts"
import type { OpenOptions } from "./OpenOptions.ts"

/** What the option may be, besides a function. */
export const levels = ["off", "error", "warn", "info", "debug"] as const

const minimum: Readonly<Record<(typeof levels)[number], EffectLogLevel>> = {
  off: "None",
  error: "Error",
  warn: "Warn",
  info: "Info",
  debug: "Debug"
}

const levelOf = (level: EffectLogLevel): LogLevel => {
  switch (level) {
    case "Fatal":
    case "Error":
      return "error"
    case "Warn":
      return "warn"
    case "Info":
      return "info"
    default:
      return "debug"
  }
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Returns a value of JSON without keys: an error may quote the URL of a request, for example. */
const masked = (value: unknown): unknown => {
  if (typeof value === "string") return MaskKeys.mask(value)
  if (Array.isArray(value)) return value.map(masked)
  return isObject(value) ? maskedFields(value) : value
}

const maskedFields = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, masked(value)]))

/** Converts what Effect logs: texts are the message; objects beside it are further fields, and errors are those behind the event. */
const toEntry = (options: Logger.Options<unknown>): LogEntry => {
  const given = Arr.ensure(options.message)
  const structured = Logger.formatStructured.log(options)
  // As values of JSON, in which secrets are redacted.
  const values = given.length === 1 ? [structured.message] : Arr.ensure(structured.message)
  const objects = values.filter((value, index) => isObject(value) && !(given[index] instanceof Error))
  const causes = [
    ...given.filter((part) => part instanceof Error).map((error) => Cause.die(error)),
    ...(options.cause.reasons.length === 0 ? [] : [options.cause])
  ]
  const error = MaskKeys.mask(causes.map((cause) => Cause.pretty(cause)).join("\n"))
  return {
    level: levelOf(options.logLevel),
    at: options.date,
    message: MaskKeys.mask(given.filter((part) => !isObject(part)).join(" ")),
    fields: maskedFields(Object.assign({}, structured.annotations, ...objects)),
    ...(error === "" ? undefined : { error })
  }
}

/** Prints entries with the method of the console that their level has, so that warnings and errors go to standard error. */
const printing = Logger.make<unknown, void>((options) => {
  const { error, fields, level, message } = toEntry(options)
  const text = `holdfast: ${message}${error === undefined ? "" : `\n${error}`}`
  const console = options.fiber.getRef(Console.Console)
  // The placeholder, since a message may contain a percent sign.
  console[level]("%s", text, ...(Object.keys(fields).length === 0 ? [] : [fields]))
})

/** Calls a function of the program. An error of the function must not end the worker that logs. */
const calling = (log: (entry: LogEntry) => void) =>
  Logger.make<unknown, void>((options) => {
    try {
      log(toEntry(options))
    } catch (error) {
      options.fiber.getRef(Console.Console).error("holdfast: the function log of open() has failed", error)
    }
  })

/** Returns where the messages of services and workers go, and which. */
export const layer = ({ log = "warn" }: OpenOptions): Layer.Layer<never> =>
  typeof log === "function"
    ? Layer.merge(Logger.layer([calling(log)]), Layer.succeed(References.MinimumLogLevel, minimum.debug))
    : Layer.merge(Logger.layer([printing]), Layer.succeed(References.MinimumLogLevel, minimum[log]))
