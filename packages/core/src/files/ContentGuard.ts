/**
 * Bounds a content as it is stored, whatever it came by: the second of the two guards of an upload. (The first, the HTTP
 * layer's `BodyGuard`, bounds the body of the request.)
 *
 * This guard counts the content's bytes against the deployment's limit and the declared length while they pass to the
 * store, and keeps the first bytes, from which the kind of file is detected. It copies nothing else.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ContentTooLarge, LengthMismatch } from "./FileErrors.ts"
import { headLength } from "./FileSignature.ts"

export interface Guarded<E, R> {
  readonly content: Stream.Stream<Uint8Array, E | ContentTooLarge | LengthMismatch, R>
  /** The first bytes, once they have passed. */
  readonly head: () => Uint8Array
}

/**
 * The guarded content. Fails with `ContentTooLarge`, before anything is read, when the declared length is above the limit.
 *
 * @param expected.limit The largest content that is accepted, in bytes.
 * @param expected.length The length that the sender declared, in bytes.
 */
export const make = <E, R>(
  source: Stream.Stream<Uint8Array, E, R>,
  expected: { readonly limit: number; readonly length?: number | undefined }
): Effect.Effect<Guarded<E, R>, ContentTooLarge> => {
  const { length, limit } = expected
  if (length !== undefined && length > limit) return Effect.fail(new ContentTooLarge({ limit }))
  const head = new Uint8Array(headLength)
  let headFilled = 0
  let seen = 0

  const count = (chunk: Uint8Array): Effect.Effect<void, ContentTooLarge | LengthMismatch> => {
    if (headFilled < headLength) {
      const part = chunk.subarray(0, headLength - headFilled)
      head.set(part, headFilled)
      headFilled += part.length
    }
    seen += chunk.length
    if (seen > limit) return Effect.fail(new ContentTooLarge({ limit }))
    return length !== undefined && seen > length ? Effect.fail(new LengthMismatch()) : Effect.void
  }

  const ended = Effect.suspend(() =>
    length !== undefined && seen < length ? Effect.fail(new LengthMismatch()) : Effect.void
  )

  return Effect.succeed({
    content: source.pipe(
      Stream.mapArrayEffect((chunks) => Effect.as(Effect.forEach(chunks, count, { discard: true }), chunks)),
      Stream.concat(Stream.fromEffectDrain(ended))
    ),
    head: () => head.subarray(0, headFilled)
  })
}
