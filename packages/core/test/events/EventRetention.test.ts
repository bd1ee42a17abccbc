import { expect, it } from "@effect/vitest"
import { EventRepository } from "@holdfast/core/events/EventRepository"
import * as EventRetention from "@holdfast/core/events/EventRetention"
import * as Settings from "@holdfast/core/Settings"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as MemoryMetadata from "@holdfast/testing/metadata/MemoryMetadata"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

const retention = Layer.provide(
  EventRetention.layer,
  Layer.succeed(Settings.Settings, { ...Settings.defaults, eventRetention: Duration.days(1) })
)

it.effect("retention: event older than the setting → deleted by the job; younger → stays", () =>
  Effect.gen(function* () {
    const events = yield* EventRepository
    const { tenantId } = yield* Fixtures.bucket()
    const actions = Effect.map(events.list({ tenantId, filter: {}, order: "OLDEST_FIRST", limit: 100 }), (slice) =>
      slice.events.map(({ action }) => action)
    )
    expect(yield* actions).toEqual(["tenant.created", "bucket.created"])
    yield* Layer.build(retention)
    yield* TestClock.adjust("23 hours")
    yield* Fixtures.bucket(tenantId)
    yield* TestClock.adjust("1 hour")
    const found = yield* Effect.repeat(Effect.andThen(TestClock.adjust("1 hour"), actions), {
      until: (left) => left.length < 3
    })
    expect(found).toEqual(["bucket.created"])
  }).pipe(Effect.provide(MemoryMetadata.layer))
)
