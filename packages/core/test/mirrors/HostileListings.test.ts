import { expect, it } from "@effect/vitest"
import * as Actor from "@holdfast/core/Actor"
import * as MetadataError from "@holdfast/core/MetadataError"
import { Mirrors } from "@holdfast/core/mirrors/Mirrors"
import { MirrorTargets, type TargetObject } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { MirrorTargetError } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import * as SqliteMetadata from "@holdfast/sqlite/SqliteMetadata"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as MemoryMirrorTarget from "@holdfast/testing/mirrors/MemoryMirrorTarget"
import * as MirrorHarness from "@holdfast/testing/mirrors/MirrorHarness"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

type Listing = Stream.Stream<TargetObject, MirrorTargetError>

const { getRecord, inputFor, pollUntil, startWorker } = MirrorHarness

const object = (name: string, more: Partial<TargetObject> = {}): TargetObject => ({ name, size: 1, tag: "t", ...more })

/** Lists other objects without end. */
const endless: Listing = Stream.paginate(0, (page) =>
  Effect.as(Effect.sleep("1 millis"), [
    Array.from({ length: 500 }, (_, index) => object(`${page} ${index}`)),
    Option.some(page + 1)
  ])
)

/** Services with these listings of the targets, by bucket name, and the objects that were compared. */
const services = (
  listings: Readonly<Record<string, Listing>>,
  compare: (objects: ReadonlyArray<TargetObject>) => Effect.Effect<void, MetadataError.MetadataError>
) => {
  const targets = Layer.succeed(
    MirrorTargets,
    MirrorTargets.of({
      open: {
        S3: ({ bucketName }) =>
          Effect.map(MemoryMirrorTarget.make, ({ target }) => ({
            ...target,
            list: listings[bucketName] ?? target.list
          }))
      }
    })
  )
  const metadata = SqliteMetadata.layer({ file: ":memory:" })
  const observed = Layer.effect(
    MirrorTaskRepository,
    Effect.map(MirrorTaskRepository, (tasks) =>
      MirrorTaskRepository.of({
        ...tasks,
        compare: (input) => Effect.andThen(compare(input.objects), tasks.compare(input))
      })
    )
  )
  return MirrorHarness.layerWithTargets(targets, Layer.provideMerge(observed, metadata))
}

/** Creates a mirror of another tenant, and requests its reconciliation. */
const sync = Effect.fnUntraced(function* (bucketName: string) {
  const mirrors = yield* Mirrors
  const bucket = yield* Fixtures.bucket()
  const { id } = yield* mirrors.create(Actor.system, bucket, inputFor(bucketName))
  const ref = { ...bucket, mirrorId: id }
  yield* mirrors.sync(Actor.system, ref)
  return ref
})

const untilCompared = (ref: Effect.Success<ReturnType<typeof sync>>) =>
  pollUntil(getRecord(ref), ({ stats }) => !stats.comparing)

it.live("reconciliation: listing without end has the only slot → that of another tenant runs meanwhile", () => {
  let compared = 0
  const compare = (objects: ReadonlyArray<TargetObject>) => Effect.sync(() => void (compared += objects.length))
  return Effect.gen(function* () {
    const hostile = yield* sync("endless")
    yield* startWorker({ reconciliations: 1 })
    yield* pollUntil(
      Effect.sync(() => compared),
      (count) => count > 1000
    )
    yield* untilCompared(yield* sync("other"))
    expect((yield* getRecord(hostile)).stats.comparing).toBe(true)
    const before = compared
    yield* pollUntil(
      Effect.sync(() => compared),
      (count) => count > before
    )
  }).pipe(Effect.provide(services({ endless }, compare)), Effect.scoped)
})

it.live("reconciliation: names that no file can have → not compared", () => {
  const compared: Array<TargetObject> = []
  const listing = Stream.make(object("a\0b"), object("a\ud800"), object("d"))
  return Effect.gen(function* () {
    const ref = yield* sync("odd")
    yield* startWorker()
    yield* untilCompared(ref)
    expect(compared).toEqual([object("d")])
  }).pipe(
    Effect.provide(services({ odd: listing }, (objects) => Effect.sync(() => void compared.push(...objects)))),
    Effect.scoped
  )
})

it.live.each(["fails", "throws"])("reconciliation: comparison %s → repeated after a backoff; others run", (kind) => {
  let attempts = 0
  const compare = (objects: ReadonlyArray<TargetObject>) =>
    Effect.suspend(() => {
      if (!objects.some(({ name }) => name === "bad")) return Effect.void
      attempts++
      return kind === "fails"
        ? Effect.fail(new MetadataError.MetadataError({ operation: "compare", reason: "Internal" }))
        : Effect.die(new Error("a defect"))
    })
  return Effect.gen(function* () {
    yield* sync("bad")
    yield* startWorker({ minBackoff: Duration.hours(1), maxBackoff: Duration.hours(1) })
    yield* pollUntil(
      Effect.sync(() => attempts),
      (count) => count > 0
    )
    for (let index = 0; index < 5; index++) yield* untilCompared(yield* sync(`other ${index}`))
    expect(attempts).toBe(1)
  }).pipe(Effect.provide(services({ bad: Stream.make(object("bad")) }, compare)), Effect.scoped)
})
