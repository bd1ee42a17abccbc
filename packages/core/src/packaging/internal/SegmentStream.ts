/**
 * Writes a segment from ranges of its source, in the steps of a `ReadPlan`.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import * as Scoped from "../../Scoped.ts"
import type { PackagingError } from "../PackagingError.ts"
import type { Source } from "../Source.ts"
import { attempt } from "./Attempt.ts"
import * as Memory from "./Memory.ts"
import type * as ReadPlan from "./ReadPlan.ts"

/** The samples that are in memory, by their number in the ranges of the plan. The writer neither changes nor keeps them. */
export interface LoadedSamples {
  /** Returns memory with a sample. */
  readonly bytesOf: (sample: number) => Uint8Array
  /** Returns where the sample begins in that memory. */
  readonly startOf: (sample: number) => number
}

/** Memory for bytes that are written, from `at` on. Its content is undefined. */
export interface Output {
  readonly bytes: Uint8Array
  readonly at: number
}

export interface Writer {
  readonly plan: ReadPlan.ReadPlan
  /** The bytes before the samples. */
  readonly head: Uint8Array
  /** Returns what is written for the units from one to before another. May throw a `PackagingError`. */
  readonly write: (from: number, to: number, samples: LoadedSamples, allocate: (bytes: number) => Output) => Uint8Array
}

type Chunks = readonly [Uint8Array, ...Array<Uint8Array>]

/** An extent in memory, at the beginning of `bytes`. */
interface Loaded {
  readonly bytes: Uint8Array
  /** Whether the memory is a block. */
  readonly isBlock: boolean
}

const openBlocks = Scoped.acquire(Effect.sync(Memory.open), ({ close }) => Effect.sync(close))

/** Opens blocks until the scope closes, and makes the writer for them. */
const openRun = (makeWriter: (readBytes: number) => Writer) =>
  Effect.flatMap(openBlocks, (blocks) =>
    Effect.map(
      attempt(() => makeWriter(blocks.readBytes)),
      (writer) => ({ blocks, ...writer })
    )
  )

/**
 * `makeWriter` is called once for each run of the stream, with the bytes that its plan should read at once. It may throw a
 * `PackagingError`. If `isTransient`, a chunk is valid until the next one is pulled.
 */
export const make = <E>(
  source: Source<E>,
  makeWriter: (readBytes: number) => Writer,
  isTransient = false
): Stream.Stream<Uint8Array, E | PackagingError> =>
  Stream.unwrap(
    Effect.map(openRun(makeWriter), ({ blocks, head, plan: { extents, ranges, steps }, write }) => {
      const loaded: Array<Loaded | undefined> = []
      /** The extent that was read last, which most of the samples are in that are written next. */
      let latest = 0
      const samples: LoadedSamples = {
        bytesOf: (sample) => loaded[extents.of[sample] ?? 0]?.bytes ?? new Uint8Array(),
        startOf: (sample) => (ranges.offsets[sample] ?? 0) - (extents.offsets[extents.of[sample] ?? 0] ?? 0)
      }
      const forget = (extent: number): void => {
        const found = loaded[extent]
        loaded[extent] = undefined
        if (found?.isBlock === true) blocks.release(found.bytes)
      }
      const load = (extent: number): Effect.Effect<void, E> => {
        const range = { offset: extents.offsets[extent] ?? 0, length: extents.lengths[extent] ?? 0 }
        const isSmall = range.length <= blocks.readBytes
        const block = isSmall ? blocks.take() : new Uint8Array(range.length)
        return Effect.map(source.readRange(range, block.subarray(0, range.length)), (bytes) => {
          const isInBlock = bytes.buffer === block.buffer
          if (isSmall && !isInBlock) blocks.release(block)
          loaded[extent] = { bytes: isInBlock ? block : bytes, isBlock: isSmall && isInBlock }
          latest = extent
        })
      }
      /** The block of the last chunk, if it has no samples. The memory of a run that fails or is interrupted is not used again. */
      let written: Uint8Array | undefined
      const allocate = (bytes: number): Output => {
        if (!isTransient || bytes > blocks.writtenBytes) return { bytes: new Uint8Array(bytes), at: 0 }
        const found = loaded[latest]
        const block = found?.isBlock === true ? found.bytes : (written = blocks.take())
        return { bytes: block, at: blocks.readBytes }
      }
      let next = 0
      const pull = Effect.suspend((): Pull.Pull<Chunks, E | PackagingError> => {
        if (written !== undefined) blocks.release(written)
        written = undefined
        const index = next++
        const step = steps[index]
        if (step === undefined) {
          for (const extent of loaded.keys()) forget(extent)
          return index === 0 ? Effect.succeed<Chunks>([head]) : Cause.done()
        }
        const { drop, from, load: missing, to } = step
        for (const extent of drop) forget(extent)
        const chunks = attempt((): Chunks => {
          const chunk = write(from, to, samples, allocate)
          // At once, but for the block that has the chunk: a slow reader keeps that for long.
          for (const extent of steps[index + 1]?.drop ?? loaded.keys()) {
            if (loaded[extent]?.bytes.buffer !== chunk.buffer) forget(extent)
          }
          // The head comes with the first samples: a source that cannot be read fails before the first chunk.
          return index === 0 ? [head, chunk] : [chunk]
        })
        return Effect.andThen(Effect.forEach(missing, load, { discard: true }), chunks)
      })
      return Stream.fromPull(Effect.succeed(pull))
    })
  )
