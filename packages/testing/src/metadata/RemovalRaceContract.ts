/**
 * What the ports promise when a bucket or a tenant is removed while files come into it.
 */
import { expect } from "@effect/vitest"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { It } from "./Metadata.ts"
import * as Sample from "./Sample.ts"
import * as Fixtures from "./Fixtures.ts"

const sweepAt = Sample.at(90_000)

/** How many change something while one removes it, and how often; the removal begins a little later each time. */
const crowd = 12
const rounds = 6

type Attempt = Effect.Effect<unknown, { readonly _tag: string }>

/** The failures of a removal and of the changes that surround it. */
const meet = Effect.fnUntraced(function* (round: number, removal: Attempt, change: (index: number) => Attempt) {
  const turn = round * 2
  const results = yield* Fixtures.concurrently(crowd + 1, (index) =>
    index === turn ? removal : change(index < turn ? index : index - 1)
  )
  return results.filter(Result.isFailure).map(({ failure }) => failure._tag)
})

const forEachRound = <E, R>(body: (round: number) => Effect.Effect<void, E, R>) =>
  Effect.forEach(Array.from({ length: rounds }).keys(), body, { discard: true })

const statesOf = (bucket: Parameters<typeof Fixtures.blobsOf>[0]) =>
  Effect.map(Fixtures.blobsOf(bucket), (rows) => rows.map(({ state }) => state))

export const removalRaceContract = (it: It): void => {
  for (const whole of ["bucket", "tenant"] as const) {
    it.effect(`uploads that race the forced removal of their ${whole} leave no READY blob behind`, () =>
      forEachRound(
        Effect.fnUntraced(function* (round) {
          const [buckets, tenants, files] = [yield* BucketRepository, yield* TenantRepository, yield* FileRepository]
          const bucket = yield* Fixtures.bucket()
          const standing = yield* Fixtures.store(bucket)
          const uploads = yield* Effect.forEach(Array.from({ length: crowd }).keys(), () => Fixtures.stage(bucket))
          const failures = yield* meet(
            round,
            whole === "bucket"
              ? buckets.remove({ bucket, force: true, sweepAt })
              : tenants.remove({ tenantId: bucket.tenantId, force: true, sweepAt }),
            (index) => {
              const content = Sample.content(uploads[index] ?? "")
              return index % 2 === 0
                ? files.insert(bucket, Sample.file({ version: 1, content }))
                : files.replaceContent({ bucket, fileId: standing.id, content, condition: {}, doom: { sweepAt } })
            }
          )
          expect(failures.filter((tag) => tag !== "NotFound")).toEqual([])
          expect(yield* files.list({ bucket, query: { path: "/", recursive: true }, limit: 100 })).toEqual([])
          const states = yield* statesOf(bucket)
          expect(states).toHaveLength(crowd + 1)
          expect(states).not.toContain("READY")
        })
      )
    )
  }

  it.effect("a file that races the removal of its empty bucket is stored, or refused and the bucket gone", () =>
    forEachRound(
      Effect.fnUntraced(function* (round) {
        const [buckets, files] = [yield* BucketRepository, yield* FileRepository]
        const bucket = yield* Fixtures.bucket()
        const failures = yield* meet(round, buckets.remove({ bucket, force: false, sweepAt }), () =>
          files.insert(bucket, Sample.file())
        )
        const isGone = Option.isNone(yield* buckets.find(bucket))
        expect(failures).toEqual(isGone ? Array.from({ length: crowd }, () => "NotFound") : ["BucketNotEmpty"])
      })
    )
  )

  it.effect("a bucket that races the removal of its empty tenant is stored, or refused and the tenant gone", () =>
    forEachRound(
      Effect.fnUntraced(function* (round) {
        const [buckets, tenants] = [yield* BucketRepository, yield* TenantRepository]
        const tenantId = yield* Fixtures.tenant
        const failures = yield* meet(round, tenants.remove({ tenantId, force: false, sweepAt }), () =>
          buckets.create(tenantId, Sample.bucket())
        )
        const isGone = Option.isNone(yield* tenants.find(tenantId))
        expect(failures).toEqual(isGone ? Array.from({ length: crowd }, () => "NotFound") : ["TenantNotEmpty"])
      })
    )
  )
}
