/**
 * The contract of the repositories when a bucket or a tenant is removed while files are inserted into it.
 */
import { expect } from "@effect/vitest"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
import type { StoredUpload } from "@holdfast/core/uploads/Upload"
import { UploadRepository } from "@holdfast/core/uploads/UploadRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { It } from "./It.ts"
import * as Sample from "../Sample.ts"
import * as Fixtures from "../Fixtures.ts"
import * as UploadFixtures from "./UploadFixtures.ts"

const sweepAt = Sample.at(90_000)

/** The number of concurrent changes, and of rounds. The removal starts a little later in each round. */
const changes = 12
const rounds = 6

type Attempt<R = never> = Effect.Effect<unknown, { readonly _tag: string }, R>

/** Runs a removal among concurrent changes. Returns the tags of all failures. */
const runConcurrently = Effect.fnUntraced(function* <R>(
  round: number,
  removal: Attempt,
  change: (index: number) => Attempt<R>
) {
  const turn = round * 2
  const results = yield* Fixtures.concurrently(changes + 1, (index) =>
    index === turn ? removal : change(index < turn ? index : index - 1)
  )
  return results.filter(Result.isFailure).map(({ failure }) => failure._tag)
})

const forEachRound = <E, R>(body: (round: number) => Effect.Effect<void, E, R>) =>
  Effect.forEach(Array.from({ length: rounds }).keys(), body, { discard: true })

const statesOf = (bucket: Parameters<typeof Fixtures.blobsOf>[0]) =>
  Effect.map(Fixtures.blobsOf(bucket), (rows) => rows.map(({ state }) => state))

export const removalRaceContract = (it: It): void => {
  for (const container of ["bucket", "tenant"] as const) {
    it.effect(
      `remove: uploads at the same time as the forced removal of their ${container} → no READY blob stays`,
      () =>
        forEachRound(
          Effect.fnUntraced(function* (round) {
            const [buckets, tenants, files] = [yield* BucketRepository, yield* TenantRepository, yield* FileRepository]
            const bucket = yield* Fixtures.bucket()
            const existing = yield* Fixtures.store(bucket)
            const uploads = yield* Effect.forEach(Array.from({ length: changes }).keys(), () => Fixtures.stage(bucket))
            const { reserve } = yield* BlobRepository
            yield* Effect.forEach(uploads, (blobId) => reserve({ blobId, bucket, bytes: 10 }))
            const failures = yield* runConcurrently(
              round,
              container === "bucket"
                ? buckets.remove({ bucket, force: true, sweepAt })
                : tenants.remove({ tenantId: bucket.tenantId, force: true, sweepAt }),
              (index) => {
                const content = Sample.content(uploads[index] ?? "")
                return index % 2 === 0
                  ? files.insert(bucket, Sample.file({ version: 1, content }))
                  : files.replaceContent({ bucket, fileId: existing.id, content, condition: {}, sweepAt })
              }
            )
            expect(failures.filter((tag) => tag !== "NotFound")).toEqual([])
            expect(yield* files.list({ bucket, query: { path: "/", recursive: true }, limit: 100 })).toEqual({
              files: [],
              next: null
            })
            const states = yield* statesOf(bucket)
            expect(states).toHaveLength(changes + 1)
            expect(states).not.toContain("READY")
          })
        )
    )
  }

  it.effect(
    "remove: parts and completions at the same time as the forced removal of their bucket → no upload is open",
    () =>
      forEachRound(
        Effect.fnUntraced(function* (round) {
          const [buckets, files, uploads] = [yield* BucketRepository, yield* FileRepository, yield* UploadRepository]
          const bucket = yield* Fixtures.bucket()
          const made = yield* Effect.forEach(Array.from({ length: changes }).keys(), () =>
            UploadFixtures.open(bucket, { mode: "PARTS" })
          )
          const put = (upload: StoredUpload) => UploadFixtures.put(upload, { number: 1 }, 10)
          const parts = yield* Effect.forEach(made, (upload, index) =>
            index % 2 === 0 ? put(upload) : Effect.undefined
          )
          const failures = yield* runConcurrently(round, buckets.remove({ bucket, force: true, sweepAt }), (index) => {
            const [upload, part] = [made[index], parts[index]]
            if (upload === undefined) return Effect.void
            if (part === undefined) return put(upload)
            const content = { ...Sample.content(part.blobId), size: 10 }
            return files.insert(
              bucket,
              Sample.file({ version: 1, content }),
              UploadFixtures.assembly(upload, part.stored.revision, [1])
            )
          })
          expect(failures.filter((tag) => tag !== "NotFound")).toEqual([])
          const states = yield* Effect.forEach(made, (upload) =>
            uploads.takeOver(UploadFixtures.refOf(upload), Sample.at())
          )
          expect(states.filter(Option.isSome)).toEqual([])
          // The parts of an upload are dropped when its blob is swept.
          for (const { blobId } of made) expect((yield* Fixtures.blob(blobId))?.state).toBe("DOOMED")
        })
      )
  )

  it.effect(
    "remove: insert at the same time as the removal of the empty bucket → either the file is stored or the bucket is removed",
    () =>
      forEachRound(
        Effect.fnUntraced(function* (round) {
          const [buckets, files] = [yield* BucketRepository, yield* FileRepository]
          const bucket = yield* Fixtures.bucket()
          const failures = yield* runConcurrently(round, buckets.remove({ bucket, force: false, sweepAt }), () =>
            files.insert(bucket, Sample.file())
          )
          const isRemoved = Option.isNone(yield* buckets.find(bucket))
          expect(failures).toEqual(isRemoved ? Array.from({ length: changes }, () => "NotFound") : ["BucketNotEmpty"])
        })
      )
  )

  it.effect(
    "remove: create at the same time as the removal of the empty tenant → either the bucket is stored or the tenant is removed",
    () =>
      forEachRound(
        Effect.fnUntraced(function* (round) {
          const [buckets, tenants] = [yield* BucketRepository, yield* TenantRepository]
          const tenantId = yield* Fixtures.tenant
          const failures = yield* runConcurrently(round, tenants.remove({ tenantId, force: false, sweepAt }), () =>
            buckets.create(tenantId, Sample.bucket())
          )
          const isRemoved = Option.isNone(yield* tenants.find(tenantId))
          expect(failures).toEqual(isRemoved ? Array.from({ length: changes }, () => "NotFound") : ["TenantNotEmpty"])
        })
      )
  )
}
