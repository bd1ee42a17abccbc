/**
 * Reads values of columns. SQLite returns integers as numbers, PostgreSQL as BigInts; instants are epoch milliseconds, JSON is
 * text. Each reader checks the value, and throws a `RowFault` with the name of its column for another one.
 */
import * as DateTime from "effect/DateTime"
import { RowFault } from "../SqlFailure.ts"

/** Reads a text. */
export const text = (value: unknown, column: string): string => {
  if (typeof value !== "string") throw new RowFault({ column })
  return value
}

/** Reads a safe integer. */
export const int = (value: unknown, column: string): number => {
  const number = typeof value === "bigint" || typeof value === "string" ? Number(value) : value
  if (typeof number !== "number" || !Number.isSafeInteger(number)) throw new RowFault({ column })
  return number
}

/** Reads an instant. */
export const instant = (value: unknown, column: string): DateTime.Utc => DateTime.makeUnsafe(int(value, column))

/** Reads a value that may be null. */
export const orNull = <A>(read: (value: unknown, column: string) => A, value: unknown, column: string): A | null =>
  value === null ? null : read(value, column)

/** Reads a text that must be one of these values. */
export const oneOf = <A extends string>(values: ReadonlyArray<A>, value: unknown, column: string): A => {
  const found = values.find((one) => one === value)
  if (found === undefined) throw new RowFault({ column })
  return found
}

/** Reads JSON whose value must satisfy a predicate. */
export const json = <A>(is: (value: unknown) => value is A, value: unknown, column: string): A => {
  const parsed: unknown = JSON.parse(text(value, column))
  if (!is(parsed)) throw new RowFault({ column })
  return parsed
}
