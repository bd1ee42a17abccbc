import { assert, it } from "@effect/vitest"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import * as BucketLimits from "@holdfast/core/usage/BucketLimits"
import { LimitsOf } from "@holdfast/core/usage/UsageLimits"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

it.effect("limits of a bucket: used for a second, also when the clock is set back by an hour meanwhile", () =>
  Effect.gen(function* () {
    let maxFiles = 5
    const repository = Layer.mock(BucketRepository, {
      find: () => Effect.succeedSome({ ...Sample.bucket(), maxFiles })
    })
    const bucket = { tenantId: Sample.id("ten"), bucketId: Sample.id("bkt") }
    yield* TestClock.setTime(7_200_000)
    yield* Effect.gen(function* () {
      const limitsOf = yield* LimitsOf
      const files = Effect.map(limitsOf(bucket), (limits) => limits.bucket.files)
      assert.strictEqual(yield* files, 5)
      maxFiles = 6
      yield* TestClock.adjust("999 millis")
      assert.strictEqual(yield* files, 5)
      yield* TestClock.adjust("1 milli")
      assert.strictEqual(yield* files, 6)
      maxFiles = 7
      yield* TestClock.setTime(3_600_000)
      assert.strictEqual(yield* files, 7)
    }).pipe(Effect.provide(Layer.provide(BucketLimits.layer, repository)))
  })
)
