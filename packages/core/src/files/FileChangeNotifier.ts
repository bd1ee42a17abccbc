/**
 * Wakes the mirror worker of this process when files change here, so that the worker need not wait for its next poll.
 *
 * Notifications are cheap enough for every write: buckets in which the worker found nothing to copy are ignored for 10
 * seconds.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"

export class FileChangeNotifier extends Context.Service<
  FileChangeNotifier,
  {
    /** Reports that a file of the bucket was written or removed. Never waits, never fails. */
    readonly notify: (bucketId: string) => Effect.Effect<void>
    /** Reports that a mirror of the bucket was created or changed. The bucket is no longer ignored. */
    readonly wake: (bucketId: string) => Effect.Effect<void>
    /** Waits until a bucket is reported. */
    readonly await: Effect.Effect<void>
    /** Returns the buckets that were reported since the last call. */
    readonly take: Effect.Effect<ReadonlySet<string>>
    /** Ignores notifications of these buckets for 10 seconds: the worker found nothing to copy in them. */
    readonly ignore: (bucketIds: Iterable<string>) => Effect.Effect<void>
  }
>()("@holdfast/core/files/FileChangeNotifier") {}

/**
 * For how long a bucket is ignored, in milliseconds. The worker finds a mirror that another node creates meanwhile by
 * polling.
 */
const ignoreFor = 10_000

/** The most buckets that are remembered. */
const capacity = 10_000

export const layer: Layer.Layer<FileChangeNotifier> = Layer.sync(FileChangeNotifier, () => {
  const latch = Latch.makeUnsafe(false)
  /** Until when a bucket is ignored, in epoch milliseconds. */
  const ignored = new Map<string, number>()
  let changed = new Set<string>()

  const report = (bucketId: string) => {
    if (changed.size < capacity) changed.add(bucketId)
    latch.openUnsafe()
  }

  return FileChangeNotifier.of({
    notify: (bucketId) =>
      Clock.clockWith((clock) =>
        Effect.sync(() => {
          const until = ignored.get(bucketId)
          if (until === undefined || until <= clock.currentTimeMillisUnsafe()) report(bucketId)
        })
      ),
    wake: (bucketId) =>
      Effect.sync(() => {
        ignored.delete(bucketId)
        report(bucketId)
      }),
    await: latch.await,
    take: Effect.sync(() => {
      latch.closeUnsafe()
      const taken = changed
      changed = new Set()
      return taken
    }),
    ignore: (bucketIds) =>
      Clock.clockWith((clock) =>
        Effect.sync(() => {
          const until = clock.currentTimeMillisUnsafe() + ignoreFor
          for (const bucketId of bucketIds) {
            if (ignored.size >= capacity) ignored.clear()
            ignored.set(bucketId, until)
          }
        })
      )
  })
})
