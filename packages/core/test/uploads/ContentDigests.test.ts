import { expect, it } from "@effect/vitest"
import * as NativeContentHasher from "@holdfast/core/integrity/NativeContentHasher"
import { ContentHasher } from "@holdfast/core/integrity/ContentHasher"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as ContentDigests from "@holdfast/core/uploads/ContentDigests"
import { UploadRepository } from "@holdfast/core/uploads/UploadRepository"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as BlobFaults from "@holdfast/testing/storage/BlobFaults"
import * as FaultyBlobStore from "@holdfast/testing/storage/FaultyBlobStore"
import * as MemoryBlobStore from "@holdfast/testing/storage/MemoryBlobStore"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { createHash } from "node:crypto"

const content = { tenantId: Sample.id("ten"), bucketId: Sample.id("bkt"), blobId: Sample.id("blb") }

it.effect("composite content whose reads take 10 ms each → its digest after twice the time", () =>
  Effect.gen(function* () {
    const blobs = yield* BlobStore
    const parts = yield* Effect.forEach(["one", "two", "three"], (text, index) =>
      Effect.gen(function* () {
        const blobId = Sample.id("blb")
        const key = BlobKey.make({ ...content, blobId })
        const { sha256, size } = yield* blobs.put(key, Stream.succeed(Buffer.from(text)))
        return { number: index + 1, blobId, sha256, size, tag: null, createdAt: Sample.at(0) }
      })
    )
    const due = [content]
    const recorded: Array<{ readonly blobId: string; readonly sha256: string }> = []
    const uploads = Layer.mock(UploadRepository)({
      claimDigest: () => Effect.sync(() => Option.fromUndefinedOr(due.pop())),
      listParts: () => Effect.succeed(parts),
      recordDigest: (digest) => Effect.sync(() => void recorded.push(digest))
    })
    yield* (yield* BlobFaults.BlobFaults).inject({
      method: "read",
      action: BlobFaults.before(Effect.sleep("10 millis"))
    })
    const running = yield* Effect.forkChild(Effect.provide(ContentDigests.computeAll, uploads))
    yield* TestClock.adjust("59 millis")
    expect(recorded).toEqual([])
    yield* TestClock.adjust("1 millis")
    yield* Fiber.join(running)
    const sha256 = createHash("sha256").update("onetwothree").digest("hex")
    expect(recorded).toEqual([{ blobId: content.blobId, sha256 }])
  }).pipe(
    Effect.provide(
      Layer.mergeAll(
        FaultyBlobStore.layer.pipe(Layer.provide(MemoryBlobStore.layer)),
        Layer.succeed(ContentHasher, ContentHasher.of(NativeContentHasher.native ?? expect.fail("no hash function")))
      )
    )
  )
)
