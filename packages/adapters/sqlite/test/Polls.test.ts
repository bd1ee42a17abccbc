/**
 * What workers run again and again to find work. A process without work must not write: a write waits for all others, of every
 * process that shares the database, and they wait for it.
 */
import { describe, expect, it } from "@effect/vitest"
import { asBackgroundWork } from "@holdfast/core/BackgroundWork"
import { RemovalRepository } from "@holdfast/core/buckets/RemovalRepository"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import { DeploymentRepository } from "@holdfast/core/deployment/DeploymentRepository"
import { HookTaskRepository } from "@holdfast/core/files/hooks/HookTaskRepository"
import { FolderRepository } from "@holdfast/core/folders/FolderRepository"
import { DamageRepository } from "@holdfast/core/integrity/DamageRepository"
import type { MetadataError } from "@holdfast/core/MetadataError"
import { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import { QuotaRepository } from "@holdfast/core/quotas/QuotaRepository"
import { DeliveryRepository } from "@holdfast/core/webhooks/DeliveryRepository"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as SqliteMetadata from "../src/SqliteMetadata.ts"
import * as Temporary from "./support/Temporary.ts"

const store = Layer.unwrap(Effect.map(Temporary.file, (file) => SqliteMetadata.layer({ file })))

const terms = { lease: "lease", leaseUntil: Sample.at(60), now: Sample.at(0), limit: 10 }

type Repositories =
  | ConversionRepository
  | DamageRepository
  | DeliveryRepository
  | FolderRepository
  | HookTaskRepository
  | MirrorTaskRepository
  | RemovalRepository

const polls: Readonly<Record<string, Effect.Effect<unknown, MetadataError, Repositories>>> = {
  removals: Effect.flatMap(RemovalRepository, ({ claim }) => claim(terms)),
  conversions: Effect.flatMap(ConversionRepository, ({ claim }) => claim({ ...terms, sweepAt: terms.now })),
  folders: Effect.flatMap(FolderRepository, ({ claim }) => claim(terms)),
  hooks: Effect.flatMap(HookTaskRepository, ({ claim }) => claim(terms)),
  damage: Effect.flatMap(DamageRepository, ({ claimDue }) => claimDue(terms)),
  mirrors: Effect.flatMap(MirrorTaskRepository, ({ due }) => due({ ...terms, after: "" })),
  webhooks: Effect.flatMap(DeliveryRepository, ({ due }) => due({ ...terms, after: "" }))
}

/** Runs a poll as background work while another transaction writes. That ends before the store closes, which would wait for it. */
const whileWriting = Effect.fnUntraced(function* <A, E, R>(poll: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient
  const writes = yield* Latch.make()
  const transaction = sql`UPDATE bucket SET name = name`.pipe(
    Effect.andThen(writes.open),
    Effect.andThen(Effect.never),
    sql.withTransaction
  )
  yield* Effect.forkScoped(transaction)
  yield* writes.await
  return yield* Effect.timeout(asBackgroundWork(poll), "20 seconds")
}, Effect.scoped)

describe("polls of a SQLite file", () => {
  it.live.each(Object.entries(polls))(
    "%s: no work, another transaction writes → ends without waiting for it",
    ([, poll]) =>
      Effect.gen(function* () {
        expect(yield* whileWriting(poll)).toBeDefined()
      }).pipe(Effect.provide(store))
  )

  it.live("reached limits: the use has not fallen, another transaction writes → ends without waiting for it", () =>
    Effect.gen(function* () {
      const { forgetReached } = yield* QuotaRepository
      const { bucketId, tenantId } = yield* Fixtures.bucket()
      const reached = { tenantId, limit: "files", percent: 100, maximum: 0 } as const
      const poll = Effect.forEach([null, bucketId], (owner) =>
        forgetReached({ reached: { ...reached, bucketId: owner }, below: 0, now: terms.now })
      )
      expect(yield* whileWriting(poll)).toEqual([false, false])
    }).pipe(Effect.provide(store))
  )

  it.live("due times: none is far ahead, another transaction writes → ends without waiting for it", () =>
    Effect.gen(function* () {
      const { bringForward } = yield* DeploymentRepository
      expect(yield* whileWriting(bringForward(terms.now))).toBe(0)
    }).pipe(Effect.provide(store))
  )
})
