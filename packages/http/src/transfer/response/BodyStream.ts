/**
 * The body of a response as a stream: for contents that are not local files, and for servers other than Node's.
 */
import type { ContentDamaged } from "@holdfast/core/files/FileErrors"
import type { BlobError } from "@holdfast/core/storage/BlobError"
import type { ByteRange } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type BodySlice, isLiteral } from "../BodySlice.ts"
import { ContentGone } from "../TransferErrors.ts"

type ReadError = BlobError | ContentDamaged

export interface Source {
  /** The size of the content, in bytes. */
  readonly size: number
  readonly read: (range?: ByteRange) => Stream.Stream<Uint8Array, ReadError>
}

/** Pulls the first chunk of a stream, so that a missing blob is detected before the response's head is sent. */
const pullFirst = Effect.fnUntraced(function* (
  stream: Stream.Stream<Uint8Array, ReadError>
): Effect.fn.Return<Stream.Stream<Uint8Array, ReadError>, ContentGone | ReadError, Scope.Scope> {
  const pull = yield* Stream.toPull(stream)
  const first = yield* pull.pipe(
    Pull.catchDone(() => Effect.undefined),
    Effect.mapError((error) => (error._tag === "BlobError" && error.reason === "NotFound" ? new ContentGone() : error))
  )
  return first === undefined
    ? Stream.empty
    : Stream.concat(Stream.fromArray(first), Stream.fromPull(Effect.succeed(pull)))
})

/**
 * The slices of a content as one stream, valid within the scope. Reads the first chunk of the content before it succeeds.
 * Fails with `ContentGone` when the store no longer has the blob.
 */
export const open = (
  source: Source,
  slices: ReadonlyArray<BodySlice>
): Effect.Effect<Stream.Stream<Uint8Array, ReadError>, ContentGone | ReadError, Scope.Scope> => {
  const streams = slices.map((slice): Stream.Stream<Uint8Array, ReadError> => {
    if (isLiteral(slice)) return Stream.succeed(slice)
    return slice.length === source.size ? source.read() : source.read(slice)
  })
  const first = slices.findIndex((slice) => !isLiteral(slice))
  const stream = streams[first]
  if (stream === undefined) return Effect.succeed(Stream.empty)
  return Effect.map(pullFirst(stream), (opened) =>
    streams.with(first, opened).reduce((body, part) => Stream.concat(body, part))
  )
}
