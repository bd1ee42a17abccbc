/**
 * Ranges of a content, as callers ask for them.
 */
import * as Effect from "effect/Effect"
import { InvalidRequest } from "../../../Errors.ts"
import type { ByteRange } from "../../../storage/BlobStore.ts"

/** `length` bytes from `offset`, without a length all that follow; or the last `suffix` bytes. */
export type RangeInput = { readonly offset: number; readonly length?: number | undefined } | { readonly suffix: number }

const isCount = (value: number | undefined): value is number => Number.isSafeInteger(value) && Number(value) >= 0

/**
 * Returns the range within a content of `size` bytes. A suffix that is longer than the content is the whole content (RFC
 * 9110, section 14.1.2). Fails with `InvalidRequest` at `/range` for a range that reaches beyond the content.
 */
export const resolveRange = (size: number, input: RangeInput): Effect.Effect<ByteRange, InvalidRequest> => {
  const { length, offset, suffix }: { offset?: number; length?: number | undefined; suffix?: number } = input
  const first = suffix === undefined ? offset : Math.max(0, size - suffix)
  const count = suffix === undefined ? (length ?? size - Number(first)) : Math.min(size, suffix)
  return isCount(first) && isCount(count) && first + count <= size
    ? Effect.succeed({ offset: first, length: count })
    : Effect.fail(InvalidRequest.at("/range", `must lie within the ${size} bytes of the content`))
}
