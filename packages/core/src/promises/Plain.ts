/**
 * Values as plain JavaScript has them: a `Date` where the core has a `DateTime`.
 */
import * as DateTime from "effect/DateTime"

/** A type with every `DateTime.Utc` replaced by `Date`. */
export type Plain<T> = T extends DateTime.DateTime
  ? Date
  : T extends (...args: never) => unknown
    ? T
    : T extends ReadonlyArray<infer Item>
      ? ReadonlyArray<Plain<Item>>
      : T extends object
        ? { readonly [Key in keyof T]: Plain<T[Key]> }
        : T

/** What a caller may give for a time. */
export type TimeInput = Date | string

const convert = (value: unknown): unknown => {
  if (DateTime.isDateTime(value)) return DateTime.toDateUtc(value)
  if (Array.isArray(value)) return value.map(convert)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, convert(inner)]))
}

/** A record with its times as `Date`. The value is data: records, arrays and texts. */
export const fromCore = <T>(value: T): Plain<T> => convert(value) as Plain<T>
