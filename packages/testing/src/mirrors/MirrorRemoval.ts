/**
 * Buckets and tenants that are removed while their mirrors are at work: what was copied stays at the target, and nothing
 * of the mirrors stays here.
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
import * as MirrorScene from "./MirrorScene.ts"

const { mirrored, record, startWorker, until, upload } = MirrorScene

/** Rows of mirrors, of any kind. */
const rows = (mirrorId: string) =>
  Effect.flatMap(
    SqlClient,
    (sql) => sql`SELECT id FROM mirror WHERE id = ${mirrorId}
      UNION ALL SELECT mirror_id FROM mirror_task WHERE mirror_id = ${mirrorId}
      UNION ALL SELECT mirror_id FROM mirror_object WHERE mirror_id = ${mirrorId}`
  )

/** A bucket with two mirrors, one of which has copied everything; the other hangs in the midst of it. */
const scene = Effect.fnUntraced(function* () {
  const bucket = yield* Fixtures.bucket()
  const [done, busy] = [yield* mirrored(bucket), yield* mirrored(bucket)]
  const block = yield* busy.target.faults.block({ method: "write" })
  yield* Effect.forEach(Array.from({ length: 20 }).keys(), (index) => upload(bucket, `file ${index}`, "x"))
  yield* Effect.forEach([1, 2], () => startWorker())
  yield* MirrorScene.settled(done.ref)
  yield* block.reached
  return { bucket, done, busy, block }
})

const gone = Effect.fnUntraced(function* (remove: (bucket: BucketRef) => Effect.Effect<void, unknown, Needed>) {
  const { block, bucket, busy, done } = yield* scene()
  const before = yield* done.target.names
  yield* remove(bucket)
  for (const { ref } of [done, busy]) {
    expect(yield* Effect.flip(record(ref))).toMatchObject({ _tag: "NotFound" })
  }
  yield* block.release
  for (const { mirror } of [done, busy]) yield* until(rows(mirror.id), (left) => left.length === 0)
  expect(yield* done.target.names).toEqual(before)
  // Whoever was writing has ended, and has left nothing behind it.
  const other = yield* mirrored()
  yield* upload(other.bucket, "other", "x")
  yield* MirrorScene.settled(other.ref)
  for (const { mirror } of [done, busy]) expect(yield* rows(mirror.id)).toEqual([])
})

type Needed = Buckets | TenantRepository

/** Registers the tests with vitest. */
export const suite = <E>(name: string, metadata: Layer.Layer<Metadata | SqlClient, E>): void => {
  vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
  describe(name, () =>
    it.layer(MirrorScene.services<SqlClient, E>(metadata).pipe(Layer.orDie), {
      excludeTestServices: true,
      timeout: "1 minute"
    })((it) => {
      it.effect("go with their bucket", () =>
        Effect.scoped(
          gone((bucket) => Effect.flatMap(Buckets, (buckets) => buckets.remove(Actor.system, bucket, { force: true })))
        )
      )

      it.effect("go with their tenant", () =>
        Effect.scoped(
          gone(({ tenantId }) =>
            Effect.flatMap(TenantRepository, (tenants) =>
              tenants.remove({ tenantId, force: true, sweepAt: Sample.at(90_000) })
            )
          )
        )
      )
    })
  )
}
