/**
 * Blobs as objects of a bucket: the methods of BlobStore but for `put`.
 */
import type * as BlobError from "@holdfast/core/storage/BlobError"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import type { BlobEntry, BlobInfo, ByteRange } from "@holdfast/core/storage/BlobStore"
import * as RemoteBody from "@holdfast/core/storage/RemoteBody"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as Connection from "../client/Connection.ts"
import * as Objects from "../client/Objects.ts"
import * as GcsErrors from "../GcsErrors.ts"
import * as GcsFailure from "../GcsFailure.ts"

/** The part of a bucket that holds a store's blobs. */
export interface Keyspace {
  readonly connection: Connection.Connection
  /** Prefix of every key. */
  readonly prefix: string
}

/** Returns the name of a blob's object. Fails for a text that is not a `BlobKey`, which the port's callers guarantee. */
export const nameOf = ({ prefix }: Keyspace, key: string): Effect.Effect<string, GcsFailure.GcsFailure> =>
  BlobKey.parse(key) === undefined
    ? Effect.fail(GcsFailure.make("Internal", "The key is not the key of a blob."))
    : Effect.succeed(prefix + key)

const head = (keyspace: Keyspace, key: string): Effect.Effect<BlobInfo, GcsFailure.GcsFailure> =>
  nameOf(keyspace, key).pipe(
    Effect.flatMap((name) => Objects.get(keyspace.connection, name)),
    Effect.map(({ size }) => ({ size }))
  )

/** Implements the port's `stat`. */
export const stat = (keyspace: Keyspace, key: string): Effect.Effect<BlobInfo, BlobError.BlobError> =>
  Effect.mapError(head(keyspace, key), GcsErrors.toBlobError("stat"))

/** Implements the port's `remove`. */
export const remove = (keyspace: Keyspace, key: string): Effect.Effect<void, BlobError.BlobError> =>
  nameOf(keyspace, key).pipe(
    Effect.flatMap((name) => Objects.remove(keyspace.connection, name)),
    Effect.mapError(GcsErrors.toBlobError("remove"))
  )

const download = (keyspace: Keyspace, key: string, range: ByteRange | undefined) =>
  nameOf(keyspace, key).pipe(
    Effect.flatMap((name) =>
      Objects.openMedia(keyspace.connection, name, range === undefined ? undefined : RemoteBody.rangeHeader(range))
    ),
    Effect.map((response): Stream.Stream<Uint8Array, GcsFailure.GcsFailure> => {
      const { "content-encoding": encoding, "content-length": length } = response.headers
      if (encoding !== undefined) return Stream.fail(GcsFailure.unexpected("it sent an encoded body"))
      return RemoteBody.checked({
        body: Stream.fromAsyncIterable<Uint8Array, GcsFailure.GcsFailure>(response, GcsFailure.fromCause),
        contentLength: length === undefined ? undefined : Number(length),
        range,
        onUnexpected: GcsFailure.unexpected,
        onCut: (message) => GcsFailure.make("Unavailable", message)
      })
    })
  )

/**
 * Implements the port's `read`. One request serves one reader and is answered with one generation, so that a blob and its
 * replacement never mix.
 */
export const read = (
  keyspace: Keyspace,
  key: string,
  range: ByteRange | undefined
): Stream.Stream<Uint8Array, BlobError.BlobError> =>
  // There is no header for a range without bytes.
  (range?.length === 0
    ? Stream.unwrap(Effect.as(head(keyspace, key), Stream.empty))
    : Stream.unwrap(download(keyspace, key, range))
  ).pipe(Stream.mapError(GcsErrors.toBlobError("read")))

/** Implements the port's `list`, in pages of up to 1,000. Skips objects that are not blobs. */
export const list = ({ connection, prefix }: Keyspace, within: string): Stream.Stream<BlobEntry, BlobError.BlobError> =>
  Stream.paginate<string | undefined, BlobEntry, BlobError.BlobError>(undefined, (token) =>
    Objects.page(connection, prefix + within, token).pipe(
      Effect.mapError(GcsErrors.toBlobError("list")),
      Effect.map(({ next, objects }) => [
        objects.flatMap(({ name, size }) => {
          const key = name.slice(prefix.length)
          return BlobKey.parse(key) === undefined ? [] : [{ key, size }]
        }),
        Option.fromNullishOr(next)
      ])
    )
  )

/** Implements the port's `check`: succeeds when the bucket may be listed. A request for the bucket itself needs another permission. */
export const check = ({ connection, prefix }: Keyspace): Effect.Effect<void, BlobError.BlobError> =>
  Objects.page(connection, prefix, undefined, 1).pipe(Effect.asVoid, Effect.mapError(GcsErrors.toBlobError("check")))
