/**
 * The types that a setting can have. A type parses text and describes, in a noun phrase, the text that it accepts.
 */
import * as ByteSize from "effect/ByteSize"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { LogLevel } from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Digest } from "effect/crypto/Digest"
import type { Rate } from "@holdfast/core/Settings"
import * as Text from "@holdfast/core/Text"
import { availableParallelism } from "node:os"

export interface SettingType<A> {
  /** The accepted text as a noun phrase, which follows the word "expected". */
  readonly expected: string
  /** Returns the value of a text, or none if this type does not accept the text. */
  readonly parse: (text: string) => Effect.Effect<Option.Option<A>, never, Digest>
  /** The text that a command-line option without a value implies. */
  readonly impliedText?: string
  /** Whether values are secret: they are never printed and have no command-line option. */
  readonly isSecret?: boolean
}

/** Makes a type from a function that returns undefined for a text that it does not accept. */
export const make = <A>(expected: string, parse: (text: string) => A | undefined): SettingType<A> => ({
  expected,
  parse: (text) => Effect.sync(() => Option.fromUndefinedOr(parse(text)))
})

/** A comma-separated list. White space around items is ignored; an empty text is an empty list. */
export const list = <A>(expected: string, item: SettingType<A>): SettingType<ReadonlyArray<A>> => ({
  expected,
  parse: (text) =>
    Effect.map(
      Effect.forEach(text.trim() === "" ? [] : text.split(","), (part) => item.parse(part.trim())),
      (items) => Option.all(items)
    )
})

/** One of these words, in upper or lower case. The words themselves must be lower case. */
export const oneOf = <const A extends string>(...words: ReadonlyArray<A>): SettingType<A> =>
  make(`one of ${words.join(", ")}`, (text) => words.find((word) => word === text.toLowerCase()))

export const oneOfNumbers = <const A extends number>(...numbers: ReadonlyArray<A>): SettingType<A> =>
  make(`one of ${numbers.join(", ")}`, (text) => numbers.find((number) => String(number) === text))

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...["on", "true", "yes", "1"].map((word) => [word, true] as const),
  ...["off", "false", "no", "0"].map((word) => [word, false] as const)
])

export const onOff: SettingType<boolean> = {
  ...make("on or off (also true or false, yes or no, 1 or 0)", (text) => booleans.get(text.toLowerCase())),
  impliedText: "on"
}

/** A whole number within bounds, both inclusive. */
export const integer = (least: number, most: number, noun = "a whole number"): SettingType<number> =>
  make(`${noun} from ${least} to ${most}`, (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : -1
    return value >= least && value <= most ? value : undefined
  })

/** A number of processes, or `auto` for one for each processor. */
export const processes: SettingType<number> = {
  expected: "auto or a whole number from 1 to 64",
  parse: (text) =>
    text.toLowerCase() === "auto" ? Effect.sync(() => Option.some(availableParallelism())) : integer(1, 64).parse(text)
}

export const path: SettingType<string> = make("a path", (text) =>
  text === "" || text.includes("\0") ? undefined : text
)

export const host: SettingType<string> = make("a host name or an IP address", (text) =>
  /^[\w.:%-]{1,255}$/.test(text) ? text : undefined
)

/** The numbers of a user and its group. */
export const user: SettingType<{ readonly uid: number; readonly gid: number }> = make(
  "a user id and a group id, such as 65534:65534",
  (text) => {
    const [, uid, gid] = /^(\d{1,9}):(\d{1,9})$/.exec(text) ?? []
    return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
  }
)

export const email: SettingType<string> = {
  expected: "an e-mail address",
  parse: (text) => Effect.option(Schema.decodeEffect(Text.Email)(text))
}

const levels = {
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
  fatal: "Fatal",
  none: "None"
} as const satisfies Record<string, LogLevel>

const level = oneOf("trace", "debug", "info", "warn", "error", "fatal", "none")

export const logLevel: SettingType<LogLevel> = {
  ...level,
  parse: (text) =>
    Effect.map(
      level.parse(text),
      Option.map((word) => levels[word])
    )
}

const millisecondsPerUnit: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000
}

/** Returns milliseconds, or undefined if the text is not a duration. */
const parseDuration = (text: string): number | undefined => {
  if (text === "0") return 0
  if (!/^(?:\d{1,9}(?:\.\d{1,9})? ?(?:ms|s|m|h|d) ?)+$/.test(text)) return undefined
  const parts = Array.from(text.matchAll(/([\d.]+) ?(ms|s|m|h|d)/g))
  return parts.reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (millisecondsPerUnit[unit ?? ""] ?? Number.NaN),
    0
  )
}

const durationBetween = (least: string, most: string, text: string): Duration.Duration | undefined => {
  const value = parseDuration(text) ?? -1
  const isWithin = value >= (parseDuration(least) ?? 0) && value <= (parseDuration(most) ?? 0)
  return isWithin ? Duration.millis(value) : undefined
}

const expectedDuration = (least: string, most: string): string =>
  `a duration from ${least} to ${most}, such as 500ms, 30s or 5m`

/** A duration within bounds, both inclusive and written as durations. */
export const duration = (least: string, most: string): SettingType<Duration.Duration> =>
  make(expectedDuration(least, most), (text) => durationBetween(least, most, text))

/** As `duration`; also accepts a number without a unit, which counts milliseconds. */
export const durationOrMilliseconds = (least: string, most: string): SettingType<Duration.Duration> =>
  make(`${expectedDuration(least, most)}, or a number of milliseconds`, (text) =>
    durationBetween(least, most, /^\d{1,9}$/.test(text) ? `${text}ms` : text)
  )

/** A rate such as `600/1m`: a number of requests, and the time after which all of them are available again; or `off`. */
export const rate: SettingType<Rate | "off"> = make(
  "a number of requests and a duration from 1s to 1d, such as 600/1m, or off",
  (text) => {
    if (text.toLowerCase() === "off") return "off"
    const [, requests, time = ""] = /^([1-9]\d{0,6}) ?\/ ?(.+)$/.exec(text) ?? []
    const window = durationBetween("1s", "1d", time)
    return requests === undefined || window === undefined ? undefined : { requests: Number(requests), window }
  }
)

/** A value of a type, or none. */
export const orNone = <A>(type: SettingType<A>): SettingType<A | null> => ({
  ...type,
  expected: `${type.expected}, or none`,
  parse: (text) => (text.toLowerCase() === "none" ? Effect.succeedSome(null) : type.parse(text))
})

const byteUnits = ["B", "kB", "MB", "GB", "TB", "PB", "KiB", "MiB", "GiB", "TiB", "PiB"]

/** A number of bytes, at least 1, without a unit or with one: kB, MB… are powers of 1000; KiB, MiB… of 1024. */
export const bytes: SettingType<number> = make("a number of bytes, such as 1048576, 500MB or 5GiB", (text) => {
  const [, amount, symbol] = /^(\d{1,16}(?:\.\d{1,9})?) ?([a-z]{1,3})?$/i.exec(text) ?? []
  const unit = byteUnits.find((name) => name.toLowerCase() === (symbol ?? "B").toLowerCase())
  return Option.getOrUndefined(
    ByteSize.fromString(`${amount} ${unit}`).pipe(
      Option.flatMap(ByteSize.toNumber),
      Option.filter((value) => value > 0)
    )
  )
})
