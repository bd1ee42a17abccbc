/**
 * Kinds of values that a setting can have: each reads text, and says in a noun phrase what it accepts.
 */
import * as ByteSize from "effect/ByteSize"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { LogLevel } from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Digest } from "effect/crypto/Digest"
import * as Text from "@holdfast/core/Text"

export interface Kind<A> {
  /** What it accepts, to follow the word "expected". */
  readonly accepts: string
  /** The value that a text stands for, none when it stands for no value of this kind. */
  readonly read: (text: string) => Effect.Effect<Option.Option<A>, never, Digest>
  /** Given on the command line without a value, the setting has this one. */
  readonly bare?: string
  /** Values are never printed. */
  readonly isSecret?: boolean
}

/** A kind whose texts are read by a function; undefined stands for a text that it does not accept. */
export const make = <A>(accepts: string, read: (text: string) => A | undefined): Kind<A> => ({
  accepts,
  read: (text) => Effect.sync(() => Option.fromUndefinedOr(read(text)))
})

/** A comma-separated list of another kind, white space around items ignored; an empty text is an empty list. */
export const list = <A>(accepts: string, item: Kind<A>): Kind<ReadonlyArray<A>> => ({
  accepts,
  read: (text) =>
    Effect.map(
      Effect.forEach(text.trim() === "" ? [] : text.split(","), (part) => item.read(part.trim())),
      (items) => Option.all(items)
    )
})

/** One of these words, whatever their case. */
export const oneOf = <const A extends string>(...words: ReadonlyArray<A>): Kind<A> =>
  make(`one of ${words.join(", ")}`, (text) => words.find((word) => word === text.toLowerCase()))

const truths: ReadonlyMap<string, boolean> = new Map([
  ...["on", "true", "yes", "1"].map((word) => [word, true] as const),
  ...["off", "false", "no", "0"].map((word) => [word, false] as const)
])

export const onOff: Kind<boolean> = {
  ...make("on or off (also true or false, yes or no, 1 or 0)", (text) => truths.get(text.toLowerCase())),
  bare: "on"
}

export const integer = (least: number, most: number, noun = "a whole number"): Kind<number> =>
  make(`${noun} from ${least} to ${most}`, (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : -1
    return value >= least && value <= most ? value : undefined
  })

export const path: Kind<string> = make("a path", (text) => (text === "" || text.includes("\0") ? undefined : text))

export const host: Kind<string> = make("a host name or an IP address", (text) =>
  /^[\w.:%-]{1,255}$/.test(text) ? text : undefined
)

export const email: Kind<string> = {
  accepts: "an e-mail address",
  read: (text) => Effect.option(Schema.decodeEffect(Text.Email)(text))
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

export const logLevel: Kind<LogLevel> = {
  ...level,
  read: (text) =>
    Effect.map(
      level.read(text),
      Option.map((word) => levels[word])
    )
}

const milliseconds: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

const readDuration = (text: string): number | undefined => {
  if (text === "0") return 0
  if (!/^(?:\d{1,9}(?:\.\d{1,9})? ?(?:ms|s|m|h|d) ?)+$/.test(text)) return undefined
  const parts = Array.from(text.matchAll(/([\d.]+) ?(ms|s|m|h|d)/g))
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (milliseconds[unit ?? ""] ?? Number.NaN), 0)
}

/**
 * A length of time between two bounds, both written as such a length. Where `plain` is set, a number alone will do and
 * counts milliseconds.
 */
export const duration = (least: string, most: string, plain = false): Kind<Duration.Duration> =>
  make(
    `a duration from ${least} to ${most}, such as 500ms, 30s or 5m${plain ? ", or a number of milliseconds" : ""}`,
    (text) => {
      const value = readDuration(plain && /^\d{1,9}$/.test(text) ? `${text}ms` : text) ?? -1
      const within = value >= (readDuration(least) ?? 0) && value <= (readDuration(most) ?? 0)
      return within ? Duration.millis(value) : undefined
    }
  )

const units = ["B", "kB", "MB", "GB", "TB", "PB", "KiB", "MiB", "GiB", "TiB", "PiB"]

/** A number of bytes, at least 1: plain, or with a unit of 1000 (kB, MB) or of 1024 (KiB, MiB). */
export const bytes: Kind<number> = make("a number of bytes, such as 1048576, 500MB or 5GiB", (text) => {
  const [, amount, symbol] = /^(\d{1,16}(?:\.\d{1,9})?) ?([a-z]{1,3})?$/i.exec(text) ?? []
  const unit = units.find((name) => name.toLowerCase() === (symbol ?? "B").toLowerCase())
  return Option.getOrUndefined(
    ByteSize.fromString(`${amount} ${unit}`).pipe(
      Option.flatMap(ByteSize.toNumber),
      Option.filter((value) => value > 0)
    )
  )
})
