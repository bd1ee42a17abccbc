/**
 * Keyset pages: a list answers with items and the cursor of the next page, or null at the end.
 */
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { InvalidCursor, InvalidRequest } from "./Errors.ts"

/** What a caller asks of a list. */
export interface Request {
  /** 1 to 1000; 100 when absent. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
}

/** One page. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** Opaque; null when this is the last page. */
  readonly nextCursor: string | null
}

/** A page's schema, for the wire. */
export const of = <A extends Schema.Top>(item: A) =>
  Schema.Struct({ items: Schema.Array(item), nextCursor: Schema.NullOr(Schema.String) })

export const defaultLimit = 100
export const maxLimit = 1000

/** The limit that holds, or the fault in the one that was asked for. */
export const limitOf = (request: Request): Effect.Effect<number, InvalidRequest> => {
  const limit = request.limit ?? defaultLimit
  return Number.isInteger(limit) && limit >= 1 && limit <= maxLimit
    ? Effect.succeed(limit)
    : Effect.fail(InvalidRequest.at("/limit", `must be a whole number from 1 to ${maxLimit}`))
}

/** A position as an opaque cursor. */
export const encodeCursor = (position: unknown): string => Base64Url.encode(JSON.stringify(position))

/** The position that a cursor stands for, undefined without one. */
export const decodeCursor =
  <A>(position: Schema.Codec<A, unknown>) =>
  (request: Request): Effect.Effect<A | undefined, InvalidCursor> => {
    if (request.cursor === undefined) return Effect.succeed<A | undefined>(undefined)
    const json = Base64Url.decodeString(request.cursor)
    if (Result.isFailure(json)) return Effect.fail(new InvalidCursor())
    return Effect.mapError(
      Schema.decodeEffect(Schema.fromJsonString(position))(json.success),
      () => new InvalidCursor()
    )
  }

const ById = Schema.String.check(Schema.isPattern(/^[a-z]{3}_[0-9a-f-]{36}$/))

/**
 * Pages over a list that is ordered by id: `fetch` is asked for one row more than the page holds, which tells whether
 * another page follows.
 */
export const byId = <A extends { readonly id: string }, E, R>(
  request: Request,
  fetch: (after: string | undefined, limit: number) => Effect.Effect<ReadonlyArray<A>, E, R>
): Effect.Effect<Page<A>, E | InvalidRequest | InvalidCursor, R> =>
  Effect.gen(function* () {
    const limit = yield* limitOf(request)
    const after = yield* decodeCursor(ById)(request)
    const rows = yield* fetch(after, limit + 1)
    const items = rows.slice(0, limit)
    const last = items.at(-1)
    return { items, nextCursor: rows.length > limit && last !== undefined ? encodeCursor(last.id) : null }
  })
