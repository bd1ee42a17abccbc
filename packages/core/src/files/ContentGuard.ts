/**
 * Checks a content while it is stored. This is the second of an upload's two guards; the first one, `BodyGuard` of the HTTP
 * server, checks the request's body. Uploads that do not come over HTTP pass only this one.
 *
 * Counts the content's bytes against the limit and the declared length, and keeps its first bytes for detecting the file
 * type. It copies no other bytes.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { TypeNotAllowed } from "../buckets/ContentRules.ts"
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

/**
 * Wraps a content. The wrapped stream fails with `ContentTooLarge` after more than `limit` bytes, and with `LengthMismatch`
 * unless it has exactly `length` bytes. A declared length above the limit fails with `ContentTooLarge` before anything is
 * read.
 */
export const make = <E, R>(
  source: Stream.Stream<Uint8Array, E, R>,
  expected: Expected
): Effect.Effect<Guarded<E, R>, ContentTooLarge> => {
  const { checkHead, isOfBucket, length, limit } = expected
  const tooLarge = Effect.suspend(() => Effect.fail(new ContentTooLarge({ limit, isOfBucket })))
  if (length !== undefined && length > limit) return tooLarge
  const head = new Uint8Array(headLength)
  let headFilled = 0
  let seen = 0

  const check = (chunk: Uint8Array): Effect.Effect<void, ContentTooLarge | LengthMismatch | TypeNotAllowed> => {
    const isInHead = headFilled < headLength
    if (isInHead) {
      const part = chunk.subarray(0, headLength - headFilled)
      head.set(part, headFilled)
      headFilled += part.length
    }
    seen += chunk.length
    if (seen > limit) return tooLarge
    if (length !== undefined && seen > length) return Effect.fail(new LengthMismatch())
    return isInHead && headFilled === headLength && checkHead !== undefined ? checkHead(head) : Effect.void
  }

  const checkEnd = Effect.suspend(() =>
    length !== undefined && seen < length ? Effect.fail(new LengthMismatch()) : Effect.void
  )

  return Effect.succeed({
    content: source.pipe(
      Stream.mapArrayEffect((chunks) => Effect.as(Effect.forEach(chunks, check, { discard: true }), chunks)),
      Stream.concat(Stream.fromEffectDrain(checkEnd))
    ),
    head: () => head.subarray(0, headFilled)
  })
}
