/**
 * Writes a segment from ranges of its source, in the steps of a `ReadPlan`.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import type { ByteRange } from "../../storage/BlobStore.ts"
import type { PackagingError } from "../PackagingError.ts"
import type { Source } from "../Source.ts"
import { attempt } from "./Attempt.ts"
import * as Memory from "./Memory.ts"
import type { ReadPlan, Unit } from "./ReadPlan.ts"

/** Returns the bytes of a sample, which the writer neither changes nor keeps. */
export type GetBytes = (range: ByteRange) => Uint8Array

/** Returns memory for bytes that are written. Its content is undefined. */
export type Allocate = (bytes: number) => Uint8Array

export interface Writer<U extends Unit> {
  /** The bytes before the samples. */
  readonly head: Uint8Array
  /** Returns what is written for units. May throw a `PackagingError`. */
  readonly write: (units: ReadonlyArray<U>, get: GetBytes, allocate: Allocate) => Uint8Array
}

type Chunks = readonly [Uint8Array, ...Array<Uint8Array>]

/**
 * The functions are called once for each run of the stream. `plan` may throw a `PackagingError`. If `isTransient`, a chunk is valid until
 * the next one is pulled.
 */
export const make = <U extends Unit, E>(
  source: Source<E>,
  plan: () => ReadPlan<U>,
  makeWriter: () => Writer<U>,
  isTransient = false
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
      const forget = (extent: ByteRange): void => {
        const bytes = loaded.get(extent)
        loaded.delete(extent)
        if (bytes !== undefined) Memory.release(bytes)
      }
      const load = (extent: ByteRange): Effect.Effect<void, E> => {
        const memory = Memory.take(extent.length)
        return Effect.map(source.readRange(extent, memory), (bytes) => {
          if (bytes.buffer === memory.buffer) loaded.set(extent, memory)
          else {
            Memory.release(memory)
            loaded.set(extent, bytes)
          }
        })
      }
      const allocate: Allocate = isTransient ? Memory.take : (bytes) => new Uint8Array(bytes)
      /** What was written last. The memory of a run that fails or is interrupted is not used again. */
      let written: Uint8Array | undefined
      let next = 0
      const pull: Pull.Pull<Chunks, E | PackagingError> = Effect.gen(function* () {
        if (isTransient && written !== undefined) Memory.release(written)
        written = undefined
        const index = next++
        const step = steps[index]
        if (step === undefined) {
          for (const extent of loaded.keys()) forget(extent)
          return index === 0 ? ([head] as const) : yield* Cause.done()
        }
        for (const extent of step.drop) forget(extent)
        for (const extent of step.load) yield* load(extent)
        const chunk = yield* attempt(() => write(step.units, get, allocate))
        written = chunk
        // The head comes with the first samples: a source that cannot be read fails before the first chunk.
        return index === 0 ? ([head, chunk] as const) : ([chunk] as const)
      })
      return Stream.fromPull(Effect.succeed(pull))
    })
  )
