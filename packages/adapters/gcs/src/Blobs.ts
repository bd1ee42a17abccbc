/**
 * Blobs as objects: their names, reading and listing them.
 */
import * as BlobError from "@holdfast/core/storage/BlobError"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import type { BlobEntry, BlobInfo, ByteRange } from "@holdfast/core/storage/BlobStore"
import { exactLength } from "@holdfast/core/storage/ExactLength"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Readable } from "node:stream"
import type * as Connection from "./Connection.ts"
import * as GcsErrors from "./GcsErrors.ts"
import * as GcsFailure from "./GcsFailure.ts"
import * as Objects from "./Objects.ts"

/** Where the blobs stand. */
export interface Place {
  readonly connection: Connection.Connection
  readonly prefix: string
}

/** The name of a blob's object; `Internal` for a text that is no key. */
export const nameOf = ({ prefix }: Place, operation: string, key: string): Effect.Effect<string, BlobError.BlobError> =>
  BlobKey.parse(key) === undefined
    ? Effect.fail(new BlobError.BlobError({ reason: "Internal", operation, cause: new Error("not a blob key") }))
    : Effect.succeed(prefix + key)

const told =
  (operation: string) =>
  <A, R>(self: Effect.Effect<A, GcsFailure.GcsFailure, R>): Effect.Effect<A, BlobError.BlobError, R> =>
    Effect.mapError(self, GcsErrors.toBlobError(operation))

const statFor = (place: Place, operation: string, key: string): Effect.Effect<BlobInfo, BlobError.BlobError> =>
  nameOf(place, operation, key).pipe(
    Effect.flatMap((name) => told(operation)(Objects.get(place.connection, name))),
    Effect.map(({ size }) => ({ size }))
  )

/** As the port's `stat`. */
export const stat = (place: Place, key: string): Effect.Effect<BlobInfo, BlobError.BlobError> =>
  statFor(place, "stat", key)

const failed = (failure: GcsFailure.GcsFailure): BlobError.BlobError => GcsErrors.toBlobError("read")(failure)

/** Fails where the bytes do not add up, as when the connection was cut. */
const counted = (body: Readable, length: number): Stream.Stream<Uint8Array, BlobError.BlobError> =>
  exactLength(
    Stream.fromAsyncIterable<Uint8Array, BlobError.BlobError>(body, (cause) => failed(GcsFailure.of(cause))),
    length,
    (count) =>
      failed(
        new GcsFailure.GcsFailure({ kind: "Unavailable", detail: `The service sent ${count} bytes of ${length}.` })
      )
  )

/**
 * As the port's `read`. One request serves one reader, and answers with one generation, so that a blob and its
 * replacement never mix.
 */
export const read = (
  place: Place,
  key: string,
  range: ByteRange | undefined
): Stream.Stream<Uint8Array, BlobError.BlobError> => {
  // A range without bytes cannot be spelt.
  if (range?.length === 0) return Stream.unwrap(Effect.as(statFor(place, "read", key), Stream.empty))
  const bytes = range === undefined ? undefined : `bytes=${range.offset}-${range.offset + range.length - 1}`
  return nameOf(place, "read", key).pipe(
    Effect.flatMap((name) => told("read")(Objects.media(place.connection, name, bytes))),
    Effect.map((answer): Stream.Stream<Uint8Array, BlobError.BlobError> => {
      const length = Number(answer.headers["content-length"])
      if (!Number.isSafeInteger(length) || answer.headers["content-encoding"] !== undefined) {
        return Stream.fail(failed(GcsFailure.unexpected("a body that is encoded, or without its length")))
      }
      // Shorter when the blob ends before the range does, longer when the service takes no ranges.
      return range !== undefined && length !== range.length
        ? Stream.fail(failed(GcsFailure.unexpected(`${length} bytes for ${bytes}`)))
        : counted(answer, length)
    }),
    Stream.unwrap
  )
}

/** As the port's `remove`. */
export const remove = (place: Place, key: string): Effect.Effect<void, BlobError.BlobError> =>
  Effect.flatMap(nameOf(place, "remove", key), (name) => told("remove")(Objects.remove(place.connection, name)))

/** As the port's `list`, a page of up to 1,000 at a time. What is not ours is passed over. */
export const list = ({ connection, prefix }: Place, within: string): Stream.Stream<BlobEntry, BlobError.BlobError> =>
  Stream.paginate<string | undefined, BlobEntry, BlobError.BlobError>(undefined, (token) =>
    told("list")(Objects.page(connection, prefix + within, token)).pipe(
      Effect.map(({ next, objects }) => [
        objects.flatMap(({ name, size }) => {
          const key = name.slice(prefix.length)
          return BlobKey.parse(key) === undefined ? [] : [{ key, size }]
        }),
        Option.fromNullishOr(next)
      ])
    )
  )

/** As the port's `check`: whether the bucket is there and open to us. To ask for the bucket itself takes a right more. */
export const check = ({ connection, prefix }: Place): Effect.Effect<void, BlobError.BlobError> =>
  Effect.asVoid(told("check")(Objects.page(connection, prefix, undefined, 1)))
