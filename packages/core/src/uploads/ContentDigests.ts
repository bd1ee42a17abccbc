/**
 * Computes the SHA-256 of composite contents in the background, because no process has received all of their bytes in order. Compares
 * each part with its own SHA-256 meanwhile, so that the digest is that of the bytes that have arrived. Every node may run it: a lease
 * makes one of them read a content.
 */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { layerJob } from "../BackgroundWork.ts"
import { onBehalfOf } from "../CurrentTenant.ts"
import { ContentHasher } from "../integrity/ContentHasher.ts"
import { DamageReports } from "../integrity/DamageReports.ts"
import * as NativeContentHasher from "../integrity/NativeContentHasher.ts"
import * as ReadPace from "../integrity/ReadPace.ts"
import { BlobError } from "../storage/BlobError.ts"
import * as BlobKey from "../storage/BlobKey.ts"
import { BlobStore } from "../storage/BlobStore.ts"
import type { UploadPart } from "./Upload.ts"
import { UploadRepository } from "./UploadRepository.ts"

/** How often the job looks for contents. */
const interval = Duration.seconds(1)

/** How long a claim lasts after the last renewal. */
const lease = Duration.minutes(2)

/** How often a claim is renewed. */
const renewal = Duration.seconds(30)

/** When a content that could not be read is tried again. */
const retryAfter = Duration.minutes(5)

/** Bytes that are hashed before other fibers run: some 0.3 ms, because each byte is hashed twice. */
const sliceBytes = 64 * 1024

/** Parts that one statement lists. */
const pageSize = 1000

const after = (duration: Duration.Duration) => Effect.map(DateTime.now, (now) => DateTime.addDuration(now, duration))

/** Computes the digests of all contents that are due. */
export const computeAll = Effect.gen(function* () {
  const uploads = yield* UploadRepository
  const reports = yield* DamageReports
  const store = yield* BlobStore
  const hasher = yield* ContentHasher

  const hashAll = Effect.fnUntraced(function* ({ blobId, bucketId, tenantId }: BlobKey.Parts) {
    const whole = hasher.sha256()
    const pace = yield* ReadPace.besideRequests
    const addPart = Effect.fnUntraced(function* (part: UploadPart) {
      const own = hasher.sha256()
      const take = Effect.fnUntraced(function* (chunk: Uint8Array) {
        for (let offset = 0; offset < chunk.byteLength; offset += sliceBytes) {
          const slice = chunk.subarray(offset, offset + sliceBytes)
          own.update(slice)
          whole.update(slice)
          yield* Effect.yieldNow
        }
        yield* pace(chunk.byteLength)
      })
      const blob = { tenantId, bucketId, blobId: part.blobId }
      yield* Stream.runForEach(store.read(BlobKey.make(blob), { size: part.size, isTransient: true }), take)
      if (own.digest() === part.sha256) return
      yield* reports.report(blob)
      return yield* new BlobError({ reason: "Damaged", operation: "digest" })
    })
    let last: number | undefined
    while (true) {
      const parts = yield* uploads.listParts({ blobId, after: last, limit: pageSize })
      yield* Effect.forEach(parts, addPart, { discard: true })
      if (parts.length < pageSize) return whole.digest()
      last = parts.at(-1)?.number
    }
  })

  const compute = Effect.fnUntraced(function* (content: BlobKey.Parts) {
    const { blobId } = content
    const renew = Effect.ignore(Effect.flatMap(after(lease), (until) => uploads.postponeDigest(blobId, until)))
    const renewing = Effect.forever(Effect.delay(renew, renewal))
    const sha256 = yield* Effect.raceFirst(hashAll(content), renewing)
    yield* uploads.recordDigest({ blobId, sha256 })
  })

  const postpone = (content: BlobKey.Parts) => (error: { readonly reason: string }) =>
    Effect.andThen(
      Effect.annotateLogs(Effect.logWarning("digest of a composite content not computed; will retry"), {
        ...content,
        reason: error.reason
      }),
      Effect.flatMap(after(retryAfter), (dueAt) => uploads.postponeDigest(content.blobId, dueAt))
    )

  const next = Effect.gen(function* () {
    return yield* uploads.claimDigest({ now: yield* DateTime.now, leaseUntil: yield* after(lease) })
  })
  for (let found = yield* next; Option.isSome(found); found = yield* next) {
    const content = found.value
    yield* compute(content).pipe(onBehalfOf(content.tenantId), Effect.catch(postpone(content)))
  }
})

/** Runs the job while the layer is open. */
export const layer: Layer.Layer<never, never, BlobStore | ContentHasher | UploadRepository> = layerJob(
  computeAll,
  interval,
  { worker: "job of digests", failure: "digests of composite contents not computed; will retry" }
)

/**
 * As `layer`, with the hash function of the runtime. Where the runtime has none, composite contents stay without a digest, unless another
 * process of the deployment computes them.
 */
export const layerNative: Layer.Layer<never, never, BlobStore | UploadRepository> =
  NativeContentHasher.native === undefined
    ? Layer.empty
    : layer.pipe(Layer.provide(Layer.succeed(ContentHasher, NativeContentHasher.native)))
