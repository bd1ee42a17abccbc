import { expect, it } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { QuotaRepository } from "@holdfast/core/quotas/QuotaRepository"
import * as Settings from "@holdfast/core/Settings"
import * as ForgetReached from "@holdfast/core/usage/ForgetReached"
import { within } from "@holdfast/core/usage/UsageLimits"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as MemoryMetadata from "@holdfast/testing/metadata/MemoryMetadata"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

const job = Layer.provide(
  ForgetReached.layer,
  Layer.succeed(Settings.Settings, Settings.fromInput({ quota: { files: 20 } }))
)

it.effect("ForgetReached: use above 75 % → remembered; below → forgotten within two minutes", () =>
  Effect.gen(function* () {
    const quotas = yield* QuotaRepository
    const files = yield* FileRepository
    const bucket = yield* Fixtures.bucket()
    const limits = { files: 20, bytes: null }
    const added = yield* Effect.replicateEffect(
      Fixtures.reserve(bucket).pipe(within({ tenant: limits, bucket: { files: null, bytes: null } })),
      16
    )
    const near = Effect.map(quotas.countReached(10), (counts) => counts.near)
    const remove = (fileId: string) =>
      files.remove({ bucket, selector: Fixtures.byId(fileId), condition: {}, sweepAt: Sample.at() })
    yield* Layer.build(job)
    const [first, second] = added
    yield* remove(first?.id ?? "")
    yield* TestClock.adjust("2 minutes")
    expect(yield* near).toBe(1)
    yield* remove(second?.id ?? "")
    const pass = Effect.andThen(TestClock.adjust("1 minute"), near)
    expect(yield* Effect.repeat(pass, { until: (left) => left === 0, times: 100 })).toBe(0)
  }).pipe(Effect.provide(MemoryMetadata.layer))
)
