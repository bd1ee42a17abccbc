/**
 * Tells the worker of this process that files changed here, so that it need not wait for its next look. Cheap enough for every
 * write: buckets that turned out to have nothing to copy are passed over for a while.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"

export class FileChangeNotifier extends Context.Service<
  FileChangeNotifier,
  {
    /** A file of a bucket was written or removed. Never waits, never fails. */
    readonly notify: (bucketId: string) => Effect.Effect<void>
    /** A mirror of a bucket was made or changed. */
    readonly wake: (bucketId: string) => Effect.Effect<void>
    /** Waits until there is something to take. */
    readonly await: Effect.Effect<void>
    /** The buckets that were told of since the last time. */
    readonly take: Effect.Effect<ReadonlySet<string>>
    /** These buckets had nothing to copy. */
    readonly ignore: (bucketIds: Iterable<string>) => Effect.Effect<void>
  }
>()("@holdfast/core/mirrors/worker/FileChangeNotifier") {}

/** For how long a bucket is passed over, in milliseconds. A mirror that another node makes meanwhile is found by polling. */
const quietFor = 10_000

/** More buckets than this are never kept. */
const capacity = 10_000

export const layer: Layer.Layer<FileChangeNotifier> = Layer.sync(FileChangeNotifier, () => {
  const latch = Latch.makeUnsafe(false)
  const quiet = new Map<string, number>()
  let told = new Set<string>()

  const tell = (bucketId: string) => {
    if (told.size < capacity) told.add(bucketId)
    latch.openUnsafe()
  }

  return FileChangeNotifier.of({
    notify: (bucketId) =>
      Clock.clockWith((clock) =>
        Effect.sync(() => {
          const until = quiet.get(bucketId)
          if (until === undefined || until <= clock.currentTimeMillisUnsafe()) tell(bucketId)
        })
      ),
    wake: (bucketId) =>
      Effect.sync(() => {
        quiet.delete(bucketId)
        tell(bucketId)
      }),
    await: latch.await,
    take: Effect.sync(() => {
      latch.closeUnsafe()
      const taken = told
      told = new Set()
      return taken
    }),
    ignore: (bucketIds) =>
      Clock.clockWith((clock) =>
        Effect.sync(() => {
          const until = clock.currentTimeMillisUnsafe() + quietFor
          for (const bucketId of bucketIds) {
            if (quiet.size >= capacity) quiet.clear()
            quiet.set(bucketId, until)
          }
        })
      )
  })
})
