/**
 * Bounds the body of a request as it comes in: the first of the two guards of an upload.
 *
 * This guard counts the bytes of the body against the limit and against `Content-Length`. The second guard, the core's
 * `ContentGuard`, counts the bytes of the content that is stored. They differ for a form, whose body is larger than the
 * file in it, and for uploads through the library, which have no body.
 */
import { ContentTooLarge, LengthMismatch } from "@holdfast/core/files/FileErrors"
import * as Effect from "effect/Effect"

export interface BodyLimits {
  /** The largest body that is accepted, in bytes. */
  readonly limit: number
  /** The length that the client declared for the body, in bytes; undefined when it declared none. */
  readonly length: number | undefined
}

export interface BodyGuard {
  /** Counts a chunk of this many bytes. Returns an error when the body exceeds the limit or its declared length. */
  readonly count: (bytes: number) => ContentTooLarge | LengthMismatch | undefined
  /** Returns an error when the body ends before its declared length. */
  readonly end: () => LengthMismatch | undefined
}

/** Fails when the declared length is above the limit, so that such a body is refused before a byte of it is read. */
export const checkDeclared = ({ length, limit }: BodyLimits): Effect.Effect<void, ContentTooLarge> =>
  length !== undefined && length > limit ? Effect.fail(new ContentTooLarge({ limit })) : Effect.void

/** A guard for one body. */
export const make = ({ length, limit }: BodyLimits): BodyGuard => {
  let total = 0
  return {
    count: (bytes) => {
      total += bytes
      if (total > limit) return new ContentTooLarge({ limit })
      return length !== undefined && total > length ? new LengthMismatch() : undefined
    },
    end: () => (length !== undefined && total < length ? new LengthMismatch() : undefined)
  }
}
