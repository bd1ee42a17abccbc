/**
 * A BlobStore in the process's memory.
 */
import * as BlobError from "@holdfast/core/storage/BlobError"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { collectContent } from "../data/internal/CollectContent.ts"

const chunkBytes = 64 * 1024

/** Makes an empty store. */
export const make: Effect.Effect<BlobStore.BlobStore["Service"]> = Effect.sync(() => {
  const blobs = new Map<string, Uint8Array>()

  const failure = (operation: string, reason: BlobError.Reason, cause?: unknown) =>
    new BlobError.BlobError({ operation, reason, cause })

  const checked = (operation: string, key: string): Effect.Effect<void, BlobError.BlobError> =>
    BlobKey.parse(key) === undefined
      ? Effect.fail(failure(operation, "Internal", new Error("not a blob key")))
      : Effect.void

  const find = (operation: string, key: string): Effect.Effect<Uint8Array, BlobError.BlobError> =>
    Effect.andThen(
      checked(operation, key),
      Effect.suspend(() => {
        const blob = blobs.get(key)
        return blob === undefined ? Effect.fail(failure(operation, "NotFound")) : Effect.succeed(blob)
      })
    )

  const put = <E, R>(
    key: string,
    content: Stream.Stream<Uint8Array, E, R>
  ): Effect.Effect<BlobStore.BlobReceipt, BlobError.BlobError | E, R> =>
    Effect.gen(function* () {
      yield* checked("put", key)
      const { bytes, sha256 } = yield* collectContent(content)
      blobs.set(key, bytes)
      return { size: bytes.byteLength, sha256 }
    })

  const read = (
    key: string,
    { range, size }: BlobStore.ReadOptions = {}
  ): Stream.Stream<Uint8Array, BlobError.BlobError> =>
    Stream.unwrap(
      Effect.map(find("read", key), (blob) => {
        const start = range?.offset ?? 0
        const end = range === undefined ? blob.byteLength : start + range.length
        if (end > blob.byteLength || (size !== undefined && size !== blob.byteLength)) {
          return Stream.fail(failure("read", "Damaged", new Error("the blob has another size")))
        }
        return Stream.unfold(start, (from) => {
          const to = Math.min(from + chunkBytes, end)
          return Effect.succeed(from < end ? ([blob.slice(from, to), to] as const) : undefined)
        })
      })
    )

  return BlobStore.BlobStore.of({
    put,
    read,
    stat: (key) => Effect.map(find("stat", key), (blob) => ({ size: blob.byteLength })),
    remove: (key) =>
      Effect.andThen(
        checked("remove", key),
        Effect.sync(() => void blobs.delete(key))
      ),
    list: (prefix) =>
      Stream.suspend(() =>
        Stream.fromArray(
          [...blobs].flatMap(([key, blob]) => (key.startsWith(prefix) ? [{ key, size: blob.byteLength }] : []))
        )
      ),
    localFile: () => undefined,
    check: Effect.void,
    capabilities: { name: "memory", localFiles: false, shared: false }
  })
})

export const layer: Layer.Layer<BlobStore.BlobStore> = Layer.effect(BlobStore.BlobStore, make)
