/**
 * Looks at a content while it streams past: counts it against the limit and the announced length, and keeps its head
 * for detecting the kind of file. Nothing is copied but the head.
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

export const make = <E, R>(
  source: Stream.Stream<Uint8Array, E, R>,
  expected: { readonly limit: number; readonly length?: number | undefined }
): Guarded<E, R> => {
  const { length, limit } = expected
  const head = new Uint8Array(headLength)
  let headFilled = 0
  let seen = 0

  const look = (chunk: Uint8Array): Effect.Effect<void, ContentTooLarge | LengthMismatch> => {
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

  return {
    content: source.pipe(
      Stream.mapArrayEffect((chunks) => Effect.as(Effect.forEach(chunks, look, { discard: true }), chunks)),
      Stream.concat(Stream.fromEffectDrain(ended))
    ),
    head: () => head.subarray(0, headFilled)
  }
}
