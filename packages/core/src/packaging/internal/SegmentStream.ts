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

export interface Writer {
  readonly plan: ReadPlan.ReadPlan
  /** The bytes before the samples. */
  readonly head: Uint8Array
  /** Returns what is written for the units from one to before another. May throw a `PackagingError`. */
  readonly write: (
    from: number,
    to: number,
    samples: LoadedSamples,
    allocate: (bytes: number) => Memory.Output
  ) => Uint8Array
}

/** How a segment is read. */
export interface ReadOptions {
  /** Whether a chunk is valid until the next one is pulled only. Default: false. */
  readonly isTransient?: boolean
  /** Bytes of the segment that are wanted: the stream may end behind them. Default: all. */
  readonly end?: number
}

const nothing = new Uint8Array()

type Chunks = readonly [Uint8Array, ...Array<Uint8Array>]

/** An extent in memory: in the room that was taken for it, or in memory of the source. */
interface Loaded {
  readonly bytes: Uint8Array
  readonly start: number
  readonly room: Memory.Room | undefined
}

/** Opens blocks until the scope closes, and makes the writer for them. */
const openRun = (makeWriter: (readBytes: number) => Writer, isTransient: boolean) =>
  Effect.flatMap(
    Scoped.acquire(
      Effect.sync(() => Memory.open(isTransient)),
      ({ close }) => Effect.sync(close)
    ),
    (blocks) =>
      Effect.map(
        attempt(() => makeWriter(blocks.readBytes)),
        (writer) => ({ blocks, ...writer })
      )
  )

/**
 * `makeWriter` is called once for each run of the stream, with the bytes that its plan should read at once. It may throw a
 * `PackagingError`.
 */
export const make = <E>(
  source: Source<E>,
  makeWriter: (readBytes: number) => Writer,
  { end = Infinity, isTransient = false }: ReadOptions = {}
): Stream.Stream<Uint8Array, E | PackagingError> =>
  Stream.unwrap(
    Effect.map(openRun(makeWriter, isTransient), ({ blocks, head, plan: { extents, ranges, steps }, write }) => {
      const loaded: Array<Loaded | undefined> = []
      /** Where the extent was read that was read last, which has most of the samples that are written next. */
      let latest: Memory.Room | undefined
      const samples: LoadedSamples = {
        bytesOf: (sample) => loaded[extents.of[sample] ?? 0]?.bytes ?? nothing,
        startOf: (sample) => {
          const extent = extents.of[sample] ?? 0
          return (loaded[extent]?.start ?? 0) + (ranges.offsets[sample] ?? 0) - (extents.offsets[extent] ?? 0)
        }
      }
      const forget = (extent: number): void => {
        const room = loaded[extent]?.room
        loaded[extent] = undefined
        if (room !== undefined) blocks.release(room)
        if (room === latest) latest = undefined
      }
      const load = (extent: number): Effect.Effect<void, E> => {
        const range = { offset: extents.offsets[extent] ?? 0, length: extents.lengths[extent] ?? 0 }
        const room = range.length <= blocks.readBytes ? blocks.take() : undefined
        const into =
          room === undefined ? new Uint8Array(range.length) : room.bytes.subarray(room.start, room.start + range.length)
        return Effect.map(source.readRange(range, into), (bytes) => {
          const isInRoom = room !== undefined && bytes.buffer === into.buffer
          if (room !== undefined && !isInRoom) blocks.release(room)
          loaded[extent] = isInRoom ? { ...room, room } : { bytes, start: 0, room: undefined }
          latest = isInRoom ? room : undefined
        })
      }
      const allocate = (bytes: number): Memory.Output =>
        (isTransient ? blocks.allocate(bytes, latest) : undefined) ?? { bytes: new Uint8Array(bytes), at: 0 }
      let next = 0
      let isBegun = false
      /** Bytes that were written. The head is written with the first samples: a source that cannot be read fails before. */
      let total = 0
      const writeStep = (index: number, { from, to }: ReadPlan.Step) =>
        attempt((): Uint8Array => {
          const chunk = write(from, to, samples, allocate)
          // At once: a slow reader keeps what was written for long.
          for (const extent of steps[index + 1]?.drop ?? loaded.keys()) forget(extent)
          return chunk
        })
      /** Writes the next step, and those after it as long as there is room beside it. */
      const writeNext = (written: Array<Uint8Array>): Effect.Effect<Array<Uint8Array>, E | PackagingError> => {
        const index = next
        const step = steps[index]
        if (step === undefined) return Effect.succeed(written)
        next++
        for (const extent of step.drop) forget(extent)
        return Effect.flatMap(
          Effect.andThen(Effect.forEach(step.load, load, { discard: true }), writeStep(index, step)),
          (chunk) => {
            written.push(chunk)
            total += chunk.length
            return isTransient && total < end && blocks.hasRoom() ? writeNext(written) : Effect.succeed(written)
          }
        )
      }
      const pull = Effect.suspend((): Pull.Pull<Chunks, E | PackagingError> => {
        blocks.reuse()
        if (!isBegun) {
          isBegun = true
          total = head.length
          return Effect.map(writeNext([]), (written): Chunks => [head, ...written])
        }
        if (next < steps.length && total < end) {
          return Effect.map(writeNext([]), ([chunk = nothing, ...more]): Chunks => [chunk, ...more])
        }
        for (const extent of loaded.keys()) forget(extent)
        return Cause.done()
      })
      return Stream.fromPull(Effect.succeed(pull))
    })
  )
