/**
 * Records with times of the caller's kind: `DateTime.Utc` in the core, `Date` in the Promise API, ISO 8601 strings in the
 * HTTP client.
 */
import * as DateTime from "effect/DateTime"
import type * as Schema from "effect/Schema"
import type { Download } from "../content/Download.ts"

/** What a caller may pass as a time; a string is an ISO 8601 time. */
export type TimeInput = Date | string

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
