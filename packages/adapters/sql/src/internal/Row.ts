/**
 * Reads columns of rows, by the readers of `Value.ts`. They are plain functions instead of schemas because every request reads a row:
 * a file's row takes 0.7 µs, with a schema 5.3 µs.
 */
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { RowFault } from "../SqlFailure.ts"
import * as Value from "./Value.ts"

export type Row = Readonly<Record<string, unknown>>

/** Converts a row to a value. Throws `RowFault`, which `all` and `first` turn into a failure. */
export type FromRow<A> = (row: Row) => A

/** Reads a text. */
export const text = (row: Row, column: string): string => Value.text(row[column], column)

/** Returns the length of a text; 0 for another value. */
export const lengthOf = (value: unknown): number => (typeof value === "string" ? value.length : 0)

/** Reads a safe integer. */
export const int = (row: Row, column: string): number => Value.int(row[column], column)

/** Reads an instant. */
export const instant = (row: Row, column: string): DateTime.Utc => Value.instant(row[column], column)

/** Reads a column that may be null. */
export const orNull = <A>(read: (row: Row, column: string) => A, row: Row, column: string): A | null =>
  row[column] === null ? null : read(row, column)

/** Reads a text that must be one of these values. */
export const oneOf = <A extends string>(values: ReadonlyArray<A>, row: Row, column: string): A =>
  Value.oneOf(values, row[column], column)

/** Reads JSON whose value must satisfy a predicate. */
export const json = <A>(is: (value: unknown) => value is A, row: Row, column: string): A =>
  Value.json(is, row[column], column)

const attempt = <A>(read: () => A): Effect.Effect<A, RowFault> =>
  Effect.try({
    try: read,
    catch: (cause) => (cause instanceof RowFault ? cause : new RowFault({ column: "*", cause }))
  })

/** Converts the result of a statement. */
export const convert =
  <A, B>(toValue: (result: A) => B) =>
  <E, R>(statement: Effect.Effect<A, E, R>): Effect.Effect<B, E | RowFault, R> =>
    Effect.flatMap(statement, (result) => attempt(() => toValue(result)))

/** Fails when a statement returns no row, such as an INSERT from a SELECT that has found none. */
export const orFail =
  <E2>(missing: () => E2) =>
  <E, R>(statement: Effect.Effect<ReadonlyArray<Row>, E, R>): Effect.Effect<void, E | E2, R> =>
    Effect.flatMap(statement, ({ length }) => (length === 0 ? Effect.fail(missing()) : Effect.void))

/** Converts every row that a statement returns. */
export const all =
  <A>(fromRow: FromRow<A>) =>
  <E, R>(statement: Effect.Effect<ReadonlyArray<Row>, E, R>): Effect.Effect<ReadonlyArray<A>, E | RowFault, R> =>
    convert((rows: ReadonlyArray<Row>) => rows.map(fromRow))(statement)

/** Converts every row of a statement that returns rows as arrays (`statement.values`). */
export const allValues =
  <A>(fromValues: (values: ReadonlyArray<unknown>) => A) =>
  <E, R>(
    statement: Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, E, R>
  ): Effect.Effect<ReadonlyArray<A>, E | RowFault, R> =>
    convert((rows: ReadonlyArray<ReadonlyArray<unknown>>) => rows.map(fromValues))(statement)

/** Converts the first row that a statement returns; none without a row. */
export const first =
  <A>(fromRow: FromRow<A>) =>
  <E, R>(statement: Effect.Effect<ReadonlyArray<Row>, E, R>): Effect.Effect<Option.Option<A>, E | RowFault, R> =>
    Effect.flatMap(statement, ([row]) =>
      row === undefined ? Effect.succeedNone : attempt(() => Option.some(fromRow(row)))
    )
