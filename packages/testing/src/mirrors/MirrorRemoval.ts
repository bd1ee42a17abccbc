/**
 * Tests of buckets and tenants that are removed while their mirrors copy: the copies stay at the target, and no row of the mirrors
 * stays in the database.
 */
import { describe, expect, it, vi } from "@effect/vitest"
import * as Actor from "@holdfast/core/Actor"
import { Buckets } from "@holdfast/core/buckets/Buckets"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import type { Metadata } from "@holdfast/core/Holdfast"
import * as Sample from "../metadata/Sample.ts"
import * as Fixtures from "../metadata/Fixtures.ts"
import * as MirrorHarness from "./MirrorHarness.ts"

const { createMirror, getRecord, pollUntil, startWorker, upload } = MirrorHarness

/** Selects all rows of a mirror. */
const selectRows = (mirrorId: string) =>
  Effect.flatMap(
    SqlClient,
    (sql) => sql`SELECT id FROM mirror WHERE id = ${mirrorId}
      UNION ALL SELECT mirror_id FROM mirror_task WHERE mirror_id = ${mirrorId}
      UNION ALL SELECT mirror_id FROM mirror_object WHERE mirror_id = ${mirrorId}`
  )

/** Creates a bucket with two mirrors: one has copied all files, the other one is blocked while it writes. */
const createScenario = Effect.fnUntraced(function* () {
  const bucket = yield* Fixtures.bucket()
  const [done, busy] = [yield* createMirror(bucket), yield* createMirror(bucket)]
  const block = yield* busy.target.faults.block({ method: "write" })
  yield* Effect.forEach(Array.from({ length: 20 }).keys(), (index) => upload(bucket, `file ${index}`, "x"))
  yield* Effect.forEach([1, 2], () => startWorker())
  yield* MirrorHarness.untilCopied(done.ref)
  yield* block.reached
  return { bucket, done, busy, block }
})

/** Removes a bucket by `remove`, and checks that its mirrors are removed. */
const checkRemoval = Effect.fnUntraced(function* (remove: (bucket: BucketRef) => Effect.Effect<void, unknown, Needed>) {
  const { block, bucket, busy, done } = yield* createScenario()
  const before = yield* done.target.names
  yield* remove(bucket)
  for (const { ref } of [done, busy]) {
    expect(yield* Effect.flip(getRecord(ref))).toMatchObject({ _tag: "NotFound" })
  }
  yield* block.release
  for (const { mirror } of [done, busy]) yield* pollUntil(selectRows(mirror.id), (left) => left.length === 0)
  expect(yield* done.target.names).toEqual(before)
  // By the time another mirror is copied, the blocked write has ended. It must not have left rows.
  const other = yield* createMirror()
  yield* upload(other.bucket, "other", "x")
  yield* MirrorHarness.untilCopied(other.ref)
  for (const { mirror } of [done, busy]) expect(yield* selectRows(mirror.id)).toEqual([])
})

type Needed = Buckets | TenantRepository

/** Registers the tests with vitest. */
export const suite = <E>(name: string, metadata: Layer.Layer<Metadata | SqlClient, E>): void => {
  vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
  describe(name, () =>
    it.layer(MirrorHarness.layer<SqlClient, E>(metadata).pipe(Layer.orDie), {
      excludeTestServices: true,
      timeout: "1 minute"
    })((it) => {
      it.effect("bucket removed while its mirrors copy → their rows are deleted, the copies stay", () =>
        Effect.scoped(
          checkRemoval((bucket) =>
            Effect.flatMap(Buckets, (buckets) => buckets.remove(Actor.system, bucket, { force: true }))
          )
        )
      )

      it.effect("tenant removed while its mirrors copy → their rows are deleted, the copies stay", () =>
        Effect.scoped(
          checkRemoval(({ tenantId }) =>
            Effect.flatMap(TenantRepository, (tenants) =>
              tenants.remove({ tenantId, force: true, sweepAt: Sample.at(90_000) })
            )
          )
        )
      )
    })
  )
}
