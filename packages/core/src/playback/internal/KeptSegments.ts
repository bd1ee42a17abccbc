/**
 * Keeps the bytes of packaged segments that were requested repeatedly: the viewers of one video read the same segments within seconds.
 * A segment is kept from its second request on, so that a single viewer replaces nothing.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Memory from "../../packaging/internal/Memory.ts"
import * as Scoped from "../../Scoped.ts"
import type { ByteRange } from "../../storage/BlobStore.ts"

/** Bytes of all segments that are kept, and of one. */
const maxBytes = 32 * 1024 * 1024
const maxSegmentBytes = 4 * 1024 * 1024

/**
 * A first request is remembered until as many bytes of other segments were requested. After more than that, the segment would be forgotten
 * again before its next request: viewers of more than fits would only replace each other's segments.
 */
const maxSeenBytes = 2 * maxBytes

/** Segments that are made at once to be kept. */
const maxLoads = 4

/** Bytes of a block. A reader that is slow keeps one of them in memory after its segment was forgotten, if it has not got copies of parts. */
const blockBytes = 256 * 1024

/** Bytes of a part that is copied for a reader while others keep much memory. */
const partBytes = 16 * 1024

/** A segment in blocks, each with memory of its own. All but the last one have `blockBytes`. */
type Blocks = ReadonlyArray<Uint8Array>

/** Returns a range of a segment, as the parts of its blocks that it consists of. */
const partsOf = (blocks: Blocks, { length, offset }: ByteRange): ReadonlyArray<Uint8Array> => {
  const first = Math.floor(offset / blockBytes)
  return blocks.slice(first, Math.ceil((offset + length) / blockBytes)).map((block, index) => {
    const start = (first + index) * blockBytes
    return block.subarray(Math.max(0, offset - start), offset + length - start)
  })
}

const openHold = Scoped.acquire(Effect.sync(Memory.makeHold), ({ end }) => Effect.sync(end))

export interface KeptSegments<E> {
  /** Returns the bytes of a segment that is kept. */
  readonly sizeOf: (key: string) => number | undefined
  /**
   * Notes a request of a segment, and makes the segment to keep it if it was requested before. Returns whether it is kept. Requests of one
   * segment wait for the first of them.
   */
  readonly request: (key: string, size: number, make: () => Stream.Stream<Uint8Array, E>) => Effect.Effect<boolean, E>
  /**
   * Reads a range of a segment. If it is not kept any more, reads the rest from `other`. The chunks must not be changed.
   */
  readonly read: (
    key: string,
    range: ByteRange,
    other: (range: ByteRange) => Stream.Stream<Uint8Array, E>
  ) => Stream.Stream<Uint8Array, E>
}

/** Collects a segment in blocks; undefined if it has another size. */
const collect = <E>(chunks: Stream.Stream<Uint8Array, E>, size: number): Effect.Effect<Blocks | undefined, E> =>
  Effect.suspend(() => {
    const blocks = Array.from(
      { length: Math.ceil(size / blockBytes) },
      (_, index) => new Uint8Array(Math.min(blockBytes, size - index * blockBytes))
    )
    let at = 0
    const add = (chunk: Uint8Array): void => {
      for (let from = 0; from < chunk.length && at + from < size;) {
        const block = blocks[Math.floor((at + from) / blockBytes)]
        if (block === undefined) break
        const into = (at + from) % blockBytes
        const part = chunk.subarray(from, from + block.length - into)
        block.set(part, into)
        from += part.length
      }
      at += chunk.length
    }
    return Effect.as(
      Stream.runForEach(chunks, (chunk) => Effect.sync(() => add(chunk))),
      blocks
    ).pipe(Effect.map((all) => (at === size ? all : undefined)))
  })

export const make = <E>(): KeptSegments<E> => {
  /** The segment that was used last is the last one. */
  const kept = new Map<string, { readonly blocks: Blocks; readonly size: number }>()
  const seen = new Map<string, number>()
  const loads = new Map<string, Deferred.Deferred<boolean, E>>()
  let total = 0
  let seenBytes = 0

  const find = (key: string): Blocks | undefined => {
    const found = kept.get(key)
    if (found === undefined) return undefined
    kept.delete(key)
    kept.set(key, found)
    return found.blocks
  }
  const add = (key: string, blocks: Blocks, size: number): void => {
    kept.set(key, { blocks, size })
    total += size
    for (const [oldest, { size }] of kept) {
      if (total <= maxBytes) break
      kept.delete(oldest)
      total -= size
    }
  }
  const forgetRequest = (key: string): boolean => {
    seenBytes -= seen.get(key) ?? 0
    return seen.delete(key)
  }
  /** Notes a request. Returns whether it is the first one that is remembered. */
  const isFirst = (key: string, size: number): boolean => {
    if (forgetRequest(key)) return false
    seen.set(key, size)
    seenBytes += size
    for (const oldest of seen.keys()) {
      if (seenBytes <= maxSeenBytes) break
      forgetRequest(oldest)
    }
    return true
  }
  /** Makes a segment. Uninterruptible, since other requests wait for it. */
  const load = (key: string, size: number, chunks: Stream.Stream<Uint8Array, E>): Effect.Effect<boolean, E> => {
    const done = Deferred.makeUnsafe<boolean, E>()
    loads.set(key, done)
    return collect(chunks, size).pipe(
      Effect.map((blocks) => {
        if (blocks !== undefined) add(key, blocks, size)
        return blocks !== undefined
      }),
      Effect.onExit((exit) => {
        loads.delete(key)
        return Deferred.done(done, exit)
      }),
      Effect.uninterruptible
    )
  }

  const read: KeptSegments<E>["read"] = (key, { length, offset }, other) => {
    const from = (at: number, hold: Memory.Hold): Stream.Stream<Uint8Array, E> =>
      Stream.suspend(() => {
        const rest = offset + length - at
        if (rest <= 0) return Stream.empty
        const blocks = find(key)
        if (blocks === undefined) return other({ offset: at, length: rest })
        if (hold.next(rest, true)) return Stream.fromArray(partsOf(blocks, { offset: at, length: rest }))
        const [block] = partsOf(blocks, { offset: at, length: Math.min(rest, blockBytes - (at % blockBytes)) })
        if (block === undefined) return Stream.empty
        const chunk = hold.next(block.length, false) ? block : block.slice(0, partBytes)
        return Stream.concat(Stream.succeed(chunk), from(at + chunk.length, hold))
      })
    return Stream.unwrap(Effect.map(openHold, (hold) => from(offset, hold)))
  }

  return {
    sizeOf: (key) => kept.get(key)?.size,
    request: (key, size, make) =>
      Effect.suspend(() => {
        if (kept.has(key)) return Effect.succeed(true)
        const running = loads.get(key)
        if (running !== undefined) return Deferred.await(running)
        if (size > maxSegmentBytes || loads.size >= maxLoads || isFirst(key, size)) return Effect.succeed(false)
        return load(key, size, make())
      }),
    read
  }
}
