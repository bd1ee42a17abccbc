import { assert, it } from "@effect/vitest"
import type { DamagedBlob } from "@holdfast/core/integrity/Damage"
import { DamageRepository } from "@holdfast/core/integrity/DamageRepository"
import { Integrity } from "@holdfast/core/integrity/Integrity"
import * as IntegrityWorker from "@holdfast/core/integrity/IntegrityWorker"
import * as Repairs from "@holdfast/core/integrity/Repairs"
import { RepairSources } from "@holdfast/core/integrity/RepairSources"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"

const damaged = (tenantId: string, index: number): DamagedBlob => ({
  tenantId,
  bucketId: "bucket",
  blobId: `${tenantId} ${index}`,
  fileId: "file",
  sha256: "",
  size: 640 * 1024,
  kind: "Damaged",
  foundAt: DateTime.makeUnsafe(0),
  attempts: 1
})

const integrity = Layer.mock(Integrity, {
  verify: () => Effect.succeed("Damaged"),
  restoreContent: (_blobId, content) => Stream.runDrain(content)
})

it.effect("repair: copy that sends a byte now and then → given up after its time; the next copy is read", () =>
  Effect.gen(function* () {
    const read: Array<string> = []
    const slow = Stream.fromEffectRepeat(Effect.as(Effect.sleep("10 seconds"), new Uint8Array(1)))
    const good = Stream.suspend(() => {
      read.push("good")
      return Stream.make(new Uint8Array(1))
    })
    const sources = [slow, good].map((one, index) => ({ name: `mirror ${index}`, read: one }))
    const repair = Effect.flatMap(Repairs.Repairs, (repairs) => repairs.repair(damaged("a", 0))).pipe(
      Effect.provide(Repairs.layer.pipe(Layer.provide(integrity))),
      Effect.provideService(RepairSources, { find: () => Effect.succeed(sources) })
    )
    const fiber = yield* Effect.forkChild(repair, { startImmediately: true })
    yield* TestClock.adjust(Duration.seconds(69))
    assert.deepStrictEqual(read, [])
    yield* TestClock.adjust(Duration.seconds(2))
    assert.isTrue(yield* Fiber.join(fiber))
    assert.deepStrictEqual(read, ["good"])
  })
)

it.live("worker: repairs of a tenant do not end → that of another tenant runs meanwhile, one of each at once", () =>
  Effect.gen(function* () {
    const repaired = yield* Deferred.make<string>()
    const running: Array<string> = []
    let claims = 0
    const repairs = Layer.mock(Repairs.Repairs, {
      repair: ({ blobId, tenantId }) => {
        running.push(blobId)
        return tenantId === "a" ? Effect.never : Effect.as(Deferred.succeed(repaired, blobId), true)
      }
    })
    const repository = Layer.mock(DamageRepository, {
      claimDue: () => Effect.sync(() => (claims++ === 0 ? [damaged("a", 0), damaged("a", 1), damaged("b", 0)] : []))
    })
    yield* Layer.build(IntegrityWorker.layer().pipe(Layer.provide(Layer.mergeAll(repairs, repository, integrity))))
    assert.strictEqual(yield* Deferred.await(repaired), "b 0")
    assert.deepStrictEqual(running, ["a 0", "b 0"])
  }).pipe(Effect.scoped)
)

it.live(
  "worker: repairs of a tenant do not end → contents of others that are due later are repaired, four tenants at once",
  () =>
    Effect.gen(function* () {
      const full = yield* Deferred.make<void>()
      const due = ["a", "b", "b", "c", "d", "e", "f"].map(damaged)
      const running: Array<string> = []
      const repairs = Layer.mock(Repairs.Repairs, {
        repair: ({ blobId, tenantId }) =>
          Effect.suspend(() => {
            running.push(blobId)
            if (tenantId === "b") return Effect.succeed(true)
            if (running.length === 6) Deferred.doneUnsafe(full, Effect.void)
            return Effect.never
          })
      })
      // Each claim finds one content.
      const repository = Layer.mock(DamageRepository, {
        claimDue: ({ exceptTenants = [] }) =>
          Effect.sync(() => {
            const index = due.findIndex(({ tenantId }) => !exceptTenants.includes(tenantId))
            return index < 0 ? [] : due.splice(index, 1)
          })
      })
      const worker = IntegrityWorker.layer({ pollInterval: "1 milli" })
      yield* Layer.build(worker.pipe(Layer.provide(Layer.mergeAll(repairs, repository, integrity))))
      yield* Deferred.await(full)
      assert.sameMembers(running, ["a 0", "b 1", "b 2", "c 3", "d 4", "e 5"])
    }).pipe(Effect.scoped)
)
