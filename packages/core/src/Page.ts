/**
 * Keyset pagination: a list returns items and the cursor of the next page, or null after the last one.
 */
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { InvalidCursor, InvalidRequest } from "./Errors.ts"

/** The page that a caller requests. */
export interface Request {
  /** 1 to 1000; 100 when absent. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the previous page; the first page when absent. */
  readonly cursor?: string | undefined
}

/** One page of a list. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** An opaque text for the next request; null on the last page. */
  readonly nextCursor: string | null
}

/** The rows that a repository's list method returns: at most `limit`, in the list's order. */
export interface Slice<Position = string> {
  /** The position before the first row, such as the id of the previous slice's last row; the start when absent. */
  readonly after?: Position | undefined
  readonly limit: number
}

/** Returns the wire schema of a page of these items. */
export const of = <A extends Schema.Top>(item: A) =>
  Schema.Struct({ items: Schema.Array(item), nextCursor: Schema.NullOr(Schema.String) })

export const defaultLimit = 100
export const maxLimit = 1000

/** About how many bytes of large records a page contains: the memory of a response that a client reads slowly. */
export const maxBytes = 1024 * 1024

/** How many large records one statement reads, so that not all of a page are read before `maxBytes` is reached. */
const largeRecords = 100

/** Returns the requested limit or the default one. Fails with `InvalidRequest` unless it is from 1 to 1000. */
export const parseLimit = (request: Request): Effect.Effect<number, InvalidRequest> => {
  const limit = request.limit ?? defaultLimit
  return Number.isInteger(limit) && limit >= 1 && limit <= maxLimit
    ? Effect.succeed(limit)
    : Effect.fail(InvalidRequest.at("/limit", `must be a whole number from 1 to ${maxLimit}`))
}

/** Encodes a position as an opaque cursor. */
export const encodeCursor = (position: unknown): string => Base64Url.encode(JSON.stringify(position))

/** Makes the function that decodes a request's cursor to the position that it encodes: undefined without a cursor. */
export const cursorDecoder = <A>(
  position: Schema.Codec<A, unknown>
): ((request: Request) => Effect.Effect<A | undefined, InvalidCursor>) => {
  const decode = Schema.decodeEffect(Schema.fromJsonString(position))
  return ({ cursor }) => {
    if (cursor === undefined) return Effect.undefined
    const json = Base64Url.decodeString(cursor)
    // No stored text contains NUL, and PostgreSQL refuses a parameter that does.
    if (Result.isFailure(json) || json.success.includes("\\u0000")) return Effect.fail(new InvalidCursor())
    return Effect.mapError(decode(json.success), () => new InvalidCursor())
  }
}

const decodeId = cursorDecoder(Schema.String.check(Schema.isPattern(/^[a-z]{3}_[0-9a-f-]{36}$/)))

/**
 * Returns a page of a list that is ordered by id. It requests one row more than the page holds from `fetch`: if that row
 * exists, another page follows.
 */
export const listById = Effect.fnUntraced(function* <A extends { readonly id: string }, E, R>(
  request: Request,
  fetch: (slice: Slice) => Effect.Effect<ReadonlyArray<A>, E, R>
): Effect.fn.Return<Page<A>, E | InvalidRequest | InvalidCursor, R> {
  const limit = yield* parseLimit(request)
  const after = yield* decodeId(request)
  return toPage(yield* fetch({ after, limit: limit + 1 }), limit)
})

/**
 * Returns a page as `listById` does, of records that may be large. The page ends before the record with which it would have more
 * than `maxBytes`, and has one record at least.
 *
 * @param sizeOf Returns the bytes of a record, or about as many.
 */
export const listLargeById = Effect.fnUntraced(function* <A extends { readonly id: string }, E, R>(
  request: Request,
  sizeOf: (row: A) => number,
  fetch: (slice: Slice) => Effect.Effect<ReadonlyArray<A>, E, R>
): Effect.fn.Return<Page<A>, E | InvalidRequest | InvalidCursor, R> {
  const limit = yield* parseLimit(request)
  let after = yield* decodeId(request)
  const rows: Array<A> = []
  let size = 0
  while (rows.length <= limit) {
    const wanted = Math.min(largeRecords, limit + 1 - rows.length)
    const slice = yield* fetch({ after, limit: wanted })
    for (const row of slice) {
      size += sizeOf(row)
      rows.push(row)
      if (rows.length > 1 && size > maxBytes) return toPage(rows, rows.length - 1)
    }
    if (slice.length < wanted) break
    after = slice.at(-1)?.id
  }
  return toPage(rows, limit)
})

/** Makes a page of the first rows, when there may be further ones. */
const toPage = <A extends { readonly id: string }>(rows: ReadonlyArray<A>, limit: number): Page<A> => {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: rows.length > limit && last !== undefined ? encodeCursor(last.id) : null }
}
