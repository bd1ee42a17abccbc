/**
 * Checks that a store does not hold a whole content: neither while it stores it, nor while it is read.
 *
 * The measure is the memory that remains after a garbage collection, inside and outside of the heap. Resident memory does not show a
 * store that keeps what it has received: a process grows by garbage, and reuses what it has had before.
 */
import * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as Generate from "../data/Generate.ts"
import * as Blobs from "./contract/internal/Blobs.ts"

const chunkBytes = 64 * 1024

/** The store holds more of a content than it may. */
export class MemoryNotBounded extends Data.TaggedError("MemoryNotBounded")<{
  readonly operation: "put" | "read"
  /** Bytes that the process holds more than before the operation. */
  readonly held: number
  readonly bound: number
}> {
  override get message(): string {
    return `${this.operation} holds ${this.held} bytes, more than ${this.bound}: the store buffers the content instead of streaming it`
  }
}

const collector: { gc?: () => void } = {}

/** Collects garbage. Node has a function for it only after this flag is set. */
const collectGarbage = (): void => {
  if (collector.gc === undefined) {
    setFlagsFromString("--expose-gc")
    const gc: unknown = runInNewContext("gc")
    collector.gc = typeof gc === "function" ? () => void gc() : () => undefined
  }
  collector.gc()
}

const nextTurn = Effect.callback<void>((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})

/** The memory that the process uses, between two turns of the event loop: what is in progress has ended its turn. */
const measure = Effect.gen(function* () {
  yield* nextTurn
  collectGarbage()
  const { external, heapUsed } = process.memoryUsage()
  return heapUsed + external
})

/** The memory that remains. The second collection counts the memory as free that the first one has released in the background. */
const used = Effect.andThen(measure, measure)

/**
 * Stores and reads a content of `bytes` bytes, rounded up to 64 KiB. Fails with `MemoryNotBounded` when the process holds more than
 * `bound` bytes of it when the store has received all of it, or when most of it has been read. Default: half of the content, at
 * least 8 MiB.
 */
export const check = Effect.fnUntraced(function* (options: { readonly bytes: number; readonly bound?: number }) {
  const store = yield* BlobStore.BlobStore
  const key = Blobs.freshKey()
  const count = Math.ceil(options.bytes / chunkBytes)
  const size = count * chunkBytes
  const bound = options.bound ?? Math.max(8 * Blobs.mebibyte, size / 2)
  const pattern = Generate.bytes(50, chunkBytes)
  const expected = createHash("sha256")
  for (let turn = 0; turn < count; turn++) expected.update(pattern)
  const sha256 = expected.digest("hex")

  const before = yield* used
  /** Measures again only if the first collection has left too much: a collection takes up to a second of a large heap. */
  const sample = (operation: "put" | "read") =>
    Effect.gen(function* () {
      if ((yield* measure) - before <= bound) return
      const held = (yield* measure) - before
      if (held > bound) return yield* new MemoryNotBounded({ operation, held, bound })
    })

  const content = Stream.range(1, count).pipe(
    Stream.rechunk(1),
    // Each chunk has memory of its own, so that a store that keeps it is seen.
    Stream.map(() => new Uint8Array(pattern)),
    Stream.concat(Stream.unwrap(Effect.as(sample("put"), Stream.empty)))
  )
  const receipt = yield* store.put(key, content)
  if (receipt.sha256 !== sha256 || receipt.size !== size) return yield* Effect.die(new Error("put: wrong receipt"))

  const actual = createHash("sha256")
  let left = size
  let isSampled = false
  yield* Stream.runForEach(Stream.rechunk(store.read(key), 1), (bytes) => {
    actual.update(bytes)
    left -= bytes.length
    if (isSampled || left > size / 4) return Effect.void
    isSampled = true
    return sample("read")
  })
  if (actual.digest("hex") !== sha256) return yield* Effect.die(new Error("read: wrong bytes"))
  yield* store.remove(key)
})
