/**
 * Writes a segment from ranges of its source, in the steps of a `ReadPlan`.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ByteRange } from "../../storage/BlobStore.ts"
import type { PackagingError } from "../PackagingError.ts"
import type { Source } from "../Source.ts"
import { attempt } from "./Attempt.ts"
import type { ReadPlan, Unit } from "./ReadPlan.ts"

/** Returns the bytes of a sample, which the writer does not change. */
export type GetBytes = (range: ByteRange) => Uint8Array

export interface Writer<U extends Unit> {
  /** The bytes before the samples. */
  readonly head: Uint8Array
  /** Returns what is written for units. May throw a `PackagingError`. */
  readonly write: (units: ReadonlyArray<U>, get: GetBytes) => ReadonlyArray<Uint8Array>
}

/** The functions are called once for each run of the stream. `plan` may throw a `PackagingError`. */
export const make = <U extends Unit, E>(
  source: Source<E>,
  plan: () => ReadPlan<U>,
  makeWriter: () => Writer<U>
): Stream.Stream<Uint8Array, E | PackagingError> =>
  Stream.unwrap(
    Effect.map(attempt(plan), ({ extentOf, steps }) => {
      const { head, write } = makeWriter()
      const loaded = new Map<ByteRange, Uint8Array>()
      const get = (range: ByteRange): Uint8Array => {
        const extent = extentOf(range)
        const start = range.offset - extent.offset
        return loaded.get(extent)?.subarray(start, start + range.length) ?? new Uint8Array()
      }
      const [first] = steps
      if (first === undefined) return Stream.make(head)
      return Stream.fromIterable(steps).pipe(
        Stream.mapEffect((step) =>
          Effect.gen(function* () {
            for (const extent of step.drop) loaded.delete(extent)
            for (const extent of step.load) loaded.set(extent, yield* source.readRange(extent))
            const chunks = yield* attempt(() => write(step.units, get))
            // The head comes with the first samples: a source that cannot be read fails before the first chunk.
            return step === first ? [head, ...chunks] : chunks
          })
        ),
        Stream.flattenIterable
      )
    })
  )
