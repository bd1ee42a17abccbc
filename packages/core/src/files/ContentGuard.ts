/**
 * Checks a content while it is stored. This is the second of an upload's two guards; the first one, `BodyGuard` of the HTTP
 * server, checks the request's body. Uploads that do not come over HTTP pass only this one.
 *
 * Counts the content's bytes against the limit and the declared length, and keeps its first bytes for detecting the file
 * type. It copies no other bytes.
 */
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import type { TypeNotAllowed } from "../buckets/ContentRules.ts"
import * as WholeContents from "../storage/WholeContents.ts"
import { ContentTooLarge, LengthMismatch } from "./FileErrors.ts"
import { headLength } from "./FileSignature.ts"

export interface Guarded<E, R> {
  readonly content: Stream.Stream<Uint8Array, E | ContentTooLarge | LengthMismatch | TypeNotAllowed, R>
  /** Returns the first bytes (at most `headLength`) of what was streamed so far. */
  readonly head: () => Uint8Array
}

export interface Expected {
  /** The largest accepted content, in bytes. */
  readonly limit: number
  /** Whether the limit is that of the bucket, not of the deployment. */
  readonly isOfBucket?: boolean | undefined
  /** The length that the sender declared, in bytes. */
  readonly length?: number | undefined
  /** Checks the first bytes, once there are `headLength` of them. A shorter content is not checked. */
  readonly checkHead?: ((head: Uint8Array) => Effect.Effect<void, TypeNotAllowed>) | undefined
}

/** Checks a content whose bytes are known, which then needs no wrapper. */
const checkWhole = <E, R>(
  content: Stream.Stream<Uint8Array, E, R>,
  bytes: Uint8Array,
  { checkHead, isOfBucket, length, limit }: Expected
): Effect.Effect<Guarded<E, R>, ContentTooLarge | LengthMismatch | TypeNotAllowed> => {
  if (bytes.length > limit) return Effect.fail(new ContentTooLarge({ limit, isOfBucket }))
  if (length !== undefined && bytes.length !== length) return Effect.fail(new LengthMismatch())
  const head = bytes.subarray(0, headLength)
  const guarded = { content, head: () => head }
  return checkHead === undefined || head.length < headLength
    ? Effect.succeed(guarded)
    : Effect.as(checkHead(head), guarded)
}

/**
 * Wraps a content. The wrapped stream fails with `ContentTooLarge` after more than `limit` bytes, and with `LengthMismatch`
 * unless it has exactly `length` bytes. A declared length above the limit fails with `ContentTooLarge` before anything is
 * read. A content whose bytes are known (`WholeContents`) fails at once.
 */
export const make = <E, R>(
  source: Stream.Stream<Uint8Array, E, R>,
  expected: Expected
): Effect.Effect<Guarded<E, R>, ContentTooLarge | LengthMismatch | TypeNotAllowed> => {
  const { checkHead, isOfBucket, length, limit } = expected
  const tooLarge = Effect.suspend(() => Effect.fail(new ContentTooLarge({ limit, isOfBucket })))
  if (length !== undefined && length > limit) return tooLarge
  const bytes = WholeContents.bytesOf(source)
  if (bytes !== undefined) return checkWhole(source, bytes, expected)
  const head = new Uint8Array(headLength)
  let headFilled = 0
  let isHeadChecked = checkHead === undefined
  let seen = 0

  type Chunks = Arr.NonEmptyReadonlyArray<Uint8Array>

  const check = (chunks: Chunks): Effect.Effect<Chunks, ContentTooLarge | LengthMismatch | TypeNotAllowed> => {
    for (const chunk of chunks) {
      if (headFilled < headLength) {
        const part = chunk.subarray(0, headLength - headFilled)
        head.set(part, headFilled)
        headFilled += part.length
      }
      seen += chunk.length
    }
    if (seen > limit) return tooLarge
    if (length !== undefined && seen > length) return Effect.fail(new LengthMismatch())
    if (isHeadChecked || checkHead === undefined || headFilled < headLength) return Effect.succeed(chunks)
    isHeadChecked = true
    return Effect.as(checkHead(head), chunks)
  }

  const checkEnd = Effect.suspend((): Pull.Pull<never, LengthMismatch> =>
    length !== undefined && seen < length ? Effect.fail(new LengthMismatch()) : Cause.done()
  )

  return Effect.succeed({
    // One step for each pull: a small content is read at the cost of a few effects.
    content: Stream.transformPull(source, (pull) =>
      Effect.succeed(Pull.catchDone(Effect.flatMap(pull, check), () => checkEnd))
    ),
    head: () => head.subarray(0, headFilled)
  })
}
