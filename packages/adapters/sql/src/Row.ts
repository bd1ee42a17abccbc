/**
 * Reads rows. Integers arrive as numbers from SQLite and as BigInts from PostgreSQL, instants are epoch milliseconds, and
 * JSON is text. Each reader checks what it finds. They are plain functions rather than schemas because every request
 * reads a row: 0.7 µs for a file's row against 5.3 µs.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { RowFault } from "./SqlFailure.ts"

export type Row = Readonly<Record<string, unknown>>

/** Makes a value of a row; throws `RowFault`, which `all` and `first` turn into a failure. */
export type FromRow<A> = (row: Row) => A

export const text = (row: Row, column: string): string => {
  const value = row[column]
  if (typeof value !== "string") throw new RowFault({ column })
  return value
}

export const int = (row: Row, column: string): number => {
  const value = row[column]
  const number = typeof value === "bigint" || typeof value === "string" ? Number(value) : value
  if (typeof number !== "number" || !Number.isSafeInteger(number)) throw new RowFault({ column })
  return number
}

export const instant = (row: Row, column: string): DateTime.Utc => DateTime.makeUnsafe(int(row, column))

export const orNull = <A>(read: (row: Row, column: string) => A, row: Row, column: string): A | null =>
  row[column] === null ? null : read(row, column)

/** A text that is one of a closed set. */
export const oneOf = <A extends string>(values: ReadonlyArray<A>, row: Row, column: string): A => {
  const found = values.find((value) => value === row[column])
  if (found === undefined) throw new RowFault({ column })
  return found
}

/** JSON of a shape that a predicate tells. */
export const json = <A>(is: (value: unknown) => value is A, row: Row, column: string): A => {
  const value: unknown = JSON.parse(text(row, column))
  if (!is(value)) throw new RowFault({ column })
  return value
}

const attempt = <A>(read: () => A): Effect.Effect<A, RowFault> =>
  Effect.try({
    try: read,
    catch: (cause) => (cause instanceof RowFault ? cause : new RowFault({ column: "*", cause }))
  })

/** Every row of a statement. */
export const all =
  <A>(fromRow: FromRow<A>) =>
  <E, R>(statement: Effect.Effect<ReadonlyArray<Row>, E, R>): Effect.Effect<ReadonlyArray<A>, E | RowFault, R> =>
    Effect.flatMap(statement, (rows) => attempt(() => rows.map(fromRow)))

/** The row of a statement that gives one at most. */
export const first =
  <A>(fromRow: FromRow<A>) =>
  <E, R>(statement: Effect.Effect<ReadonlyArray<Row>, E, R>): Effect.Effect<Option.Option<A>, E | RowFault, R> =>
    Effect.flatMap(statement, ([row]) =>
      row === undefined ? Effect.succeedNone : attempt(() => Option.some(fromRow(row)))
    )
