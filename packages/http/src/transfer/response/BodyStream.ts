/**
 * The body of a response as a stream, for contents that are no local files and for servers that are not Node's.
 */
import type { BlobError } from "@holdfast/core/storage/BlobError"
import type { ByteRange } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { BodySlice } from "../local/LargeFile.ts"
import { ContentGone } from "../TransferErrors.ts"

export interface Source {
  /** Bytes. */
  readonly size: number
  readonly read: (range?: ByteRange) => Stream.Stream<Uint8Array, BlobError>
}

/** A stream whose first chunk has come, so that a missing blob is known before the response's head is sent. */
const opened = (
  stream: Stream.Stream<Uint8Array, BlobError>
): Effect.Effect<Stream.Stream<Uint8Array, BlobError>, ContentGone | BlobError, Scope.Scope> =>
  Effect.gen(function* () {
    const pull = yield* Stream.toPull(stream)
    const first = yield* pull.pipe(
      Pull.catchDone(() => Effect.undefined),
      Effect.mapError((error) => (error.reason === "NotFound" ? new ContentGone() : error))
    )
    return first === undefined
      ? Stream.empty
      : Stream.concat(Stream.fromArray(first), Stream.fromPull(Effect.succeed(pull)))
  })

/**
 * The pieces of a content as one stream, valid within the scope. The first chunk is read before this succeeds:
 * `ContentGone` when the store no longer has the blob.
 */
export const open = (
  source: Source,
  pieces: ReadonlyArray<BodySlice>
): Effect.Effect<Stream.Stream<Uint8Array, BlobError>, ContentGone | BlobError, Scope.Scope> => {
  const streams = pieces.map((piece): Stream.Stream<Uint8Array, BlobError> => {
    if (piece instanceof Uint8Array) return Stream.succeed(piece)
    return piece.length === source.size ? source.read() : source.read(piece)
  })
  const first = pieces.findIndex((piece) => !(piece instanceof Uint8Array))
  const stream = streams[first]
  if (stream === undefined) return Effect.succeed(Stream.empty)
  return Effect.map(opened(stream), (open) =>
    streams.with(first, open).reduce((body, part) => Stream.concat(body, part))
  )
}
