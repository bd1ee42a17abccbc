/**
 * Whatever is done to a bucket, and whatever its target does meanwhile: in the end the target holds the bucket, exactly.
 */
import { describe, expect, it, vi } from "@effect/vitest"
import * as Actor from "@holdfast/core/Actor"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { Files } from "@holdfast/core/files/Files"
import { Headers } from "@holdfast/core/headers/Headers"
import type { MirrorRef } from "@holdfast/core/mirrors/MirrorRepository"
import { Mirrors } from "@holdfast/core/mirrors/Mirrors"
import { objectName } from "@holdfast/core/mirrors/targets/MirroredFile"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Metadata } from "@holdfast/core/Holdfast"
import type { MemoryTarget } from "./MemoryTargets.ts"
import * as MirrorScene from "./MirrorScene.ts"

/** Few names, so that they are given up and taken often. */
const Place = Schema.Literals(["a", "b", "c", "d/a", "d/b"])
const Content = Schema.Literals(["", "one", "two", "three"])
const Reason = Schema.Literals(["Unavailable", "Denied", "Invalid", "Damaged", "Internal", "Full", "NotFound"])
const Method = Schema.Literals(["write", "describe", "remove", "list"])

const Step = Schema.Union([
  Schema.Struct({ do: Schema.Literal("put"), place: Place, content: Content }),
  Schema.Struct({ do: Schema.Literal("put again"), place: Place, content: Content }),
  Schema.Struct({ do: Schema.Literal("move"), place: Place, to: Place }),
  Schema.Struct({ do: Schema.Literal("move around"), place: Place, to: Place }),
  Schema.Struct({ do: Schema.Literal("remove"), place: Place }),
  Schema.Struct({ do: Schema.Literal("make anew"), place: Place, content: Content }),
  Schema.Struct({ do: Schema.Literal("header"), place: Place, value: Content }),
  Schema.Struct({ do: Schema.Literal("metadata"), place: Place, value: Content }),
  Schema.Struct({ do: Schema.Literal("pause"), paused: Schema.Boolean }),
  Schema.Struct({ do: Schema.Literal("fail"), reason: Reason, method: Method, times: Schema.Literals([1, 2, 5]) }),
  Schema.Struct({ do: Schema.Literal("sync") })
])
type Step = typeof Step.Type

/** Each with the milliseconds that pass before the next one. */
const Steps = Schema.Array(Schema.Tuple([Step, Schema.Literals([0, 0, 1, 3, 8])])).check(
  Schema.isMinLength(10),
  Schema.isMaxLength(60)
)

const partsOf = (place: string) => {
  const slash = place.lastIndexOf("/")
  return { path: `/${place.slice(0, slash + 1)}`, name: place.slice(slash + 1) }
}

const find = (bucket: BucketRef, place: string) =>
  Effect.map(MirrorScene.filesOf(bucket), (files) => files.find((file) => objectName(file) === place))

const take = Effect.fnUntraced(function* (bucket: BucketRef, ref: MirrorRef, target: MemoryTarget, step: Step) {
  const [files, headers, mirrors] = [yield* Files, yield* Headers, yield* Mirrors]
  switch (step.do) {
    case "pause":
      return yield* mirrors.update(Actor.system, ref, { paused: step.paused })
    case "fail":
      return yield* target.faults.failNext(step.times, step.reason, { method: step.method })
    case "sync":
      return yield* mirrors.sync(Actor.system, ref)
  }
  const found = yield* find(bucket, step.place)
  const { name, path } = partsOf(step.place)
  if (found === undefined) {
    return step.do === "put" ? yield* MirrorScene.upload(bucket, name, step.content, { path }) : undefined
  }
  const file = { ...bucket, fileId: found.id }
  switch (step.do) {
    case "put":
    case "put again":
      return yield* MirrorScene.reupload(bucket, found.id, step.content)
    case "move":
      return yield* files.update(Actor.system, file, partsOf(step.to))
    case "move around": {
      // Two files change names.
      const other = yield* find(bucket, step.to)
      if (other === undefined || other.id === found.id) return undefined
      yield* files.update(Actor.system, { ...bucket, fileId: other.id }, { name: "aside" })
      yield* files.update(Actor.system, file, partsOf(step.to))
      return yield* files.update(Actor.system, { ...bucket, fileId: other.id }, partsOf(step.place))
    }
    case "remove":
      return yield* files.remove(Actor.system, file)
    case "make anew":
      yield* files.remove(Actor.system, file)
      return yield* MirrorScene.upload(bucket, name, step.content, { path })
    case "header":
      return yield* headers.set(Actor.system, file, { name: "Cache-Control", value: step.value })
    case "metadata":
      return yield* files.update(Actor.system, file, { metadata: { value: step.value } })
  }
})

/** Names that are taken are no failure of the test. */
const taken = new Set(["FileExists"])

/** Registers the property with vitest, for one worker and for several. */
export const suite = <E>(
  name: string,
  metadata: Layer.Layer<Metadata, E>,
  options: { readonly runs: number }
): void => {
  vi.setConfig({ testTimeout: 300_000, hookTimeout: 60_000 })
  describe(name, () => {
    for (const workers of [1, 3]) {
      it.layer(MirrorScene.services(metadata).pipe(Layer.orDie), { excludeTestServices: true, timeout: "1 minute" })(
        `with workers: ${workers}`,
        (it) => {
          it.effect.prop(
            "the target is the bucket in the end",
            [Steps],
            ([steps]) =>
              Effect.scoped(
                Effect.gen(function* () {
                  const { bucket, ref, target } = yield* MirrorScene.mirrored()
                  yield* Effect.forEach(Array.from({ length: workers }), () =>
                    MirrorScene.startWorker({ concurrency: 4, slotsPerMirror: 3 })
                  )
                  for (const place of Place.literals) {
                    yield* MirrorScene.upload(bucket, partsOf(place).name, place, partsOf(place))
                  }
                  for (const [step, millis] of steps) {
                    yield* Effect.sleep(millis)
                    yield* Effect.catchIf(
                      take(bucket, ref, target, step),
                      (error) => taken.has(error._tag),
                      () => Effect.void
                    )
                  }
                  yield* target.faults.clear
                  yield* (yield* Mirrors).update(Actor.system, ref, { paused: false })
                  yield* MirrorScene.settled(ref)
                  expect(yield* MirrorScene.held(target)).toEqual(yield* MirrorScene.wanted(bucket))
                  expect(yield* target.overlaps).toEqual([])
                })
              ),
            { arbitrary: { runs: options.runs, size: 60 } }
          )
        }
      )
    }
  })
}
