/**
 * The contract of the repositories when a bucket or a tenant is removed while files are inserted into it.
 */
import { expect } from "@effect/vitest"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { It } from "./It.ts"
import * as Sample from "../Sample.ts"
import * as Fixtures from "../Fixtures.ts"

const sweepAt = Sample.at(90_000)

/** The number of concurrent changes, and of rounds. The removal starts a little later in each round. */
const changes = 12
const rounds = 6

type Attempt = Effect.Effect<unknown, { readonly _tag: string }>

/** Runs a removal among concurrent changes. Returns the tags of all failures. */
const runConcurrently = Effect.fnUntraced(function* (
  round: number,
  removal: Attempt,
  change: (index: number) => Attempt
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
