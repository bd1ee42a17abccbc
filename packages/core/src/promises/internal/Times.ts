/**
 * Records with times of the caller's kind: `DateTime.Utc` in the core, `Date` in the Promise API, ISO 8601 strings in the
 * HTTP client.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import { InvalidRequest } from "../../Errors.ts"
import * as Time from "../../Time.ts"
import type { Download } from "../content/Download.ts"

/** What a caller may pass as a time; a string is a time with its offset, of RFC 3339. */
export type TimeInput = Date | string

const parse = (time: unknown): Option.Option<DateTime.Utc> =>
  time instanceof Date
    ? Option.map(DateTime.make(time), DateTime.toUtc)
    : typeof time === "string"
      ? Time.parse(time)
      : Option.none()

/** Converts the time in a field of an input. Fails with `InvalidRequest` at the pointer. */
export const decode = (time: TimeInput, pointer: string): Effect.Effect<DateTime.Utc, InvalidRequest> =>
  Effect.mapError(Effect.fromOption(parse(time)), () => InvalidRequest.at(pointer, `${Time.expected}, or a Date`))

/** Converts the time of an expiry, which may be absent or null. */
export const decodeExpiry = (
  time: TimeInput | null | undefined
): Effect.Effect<DateTime.Utc | null | undefined, InvalidRequest> =>
  time === null || time === undefined ? Effect.succeed(time) : decode(time, "/expiresAt")

/** A type with `Time` in place of every `DateTime` and `Date`. A `Download` stays as it is, and so does JSON, which has no times. */
export type WithTimes<T, Time> = T extends DateTime.DateTime | Date
  ? Time
  : T extends Schema.Json | Download | ((...parameters: never) => unknown)
    ? T
    : T extends ReadonlyArray<infer Item>
      ? ReadonlyArray<WithTimes<Item, Time>>
      : T extends object
        ? { readonly [Key in keyof T]: WithTimes<T[Key], Time> }
        : T

const isPlainObject = (value: unknown): value is object => {
  if (typeof value !== "object" || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

const convert = (value: unknown): unknown => {
  if (DateTime.isDateTime(value)) return DateTime.toDateUtc(value)
  if (Array.isArray(value)) return value.map(convert)
  if (!isPlainObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, convert(inner)]))
}

/** Returns a copy of a record with a `Date` in place of each `DateTime`. Instances of classes stay as they are. */
export const toDates = <T>(value: T): WithTimes<T, Date> => convert(value) as WithTimes<T, Date>
