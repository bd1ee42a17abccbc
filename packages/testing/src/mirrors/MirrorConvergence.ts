/**
 * A property of mirrors: after any changes of a bucket, and any failures of the target, the target equals the bucket in the end.
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
import * as MirrorHarness from "./MirrorHarness.ts"

/** Few names, so that files take over each other's names often. */
const ObjectName = Schema.Literals(["a", "b", "c", "d/a", "d/b"])
const Content = Schema.Literals(["", "one", "two", "three"])
const Reason = Schema.Literals(["Unavailable", "Denied", "Invalid", "Damaged", "Internal", "Full", "NotFound"])
const Method = Schema.Literals(["write", "describe", "remove", "list"])

const Step = Schema.Union([
  Schema.Struct({ do: Schema.Literal("upload"), object: ObjectName, content: Content }),
  Schema.Struct({ do: Schema.Literal("overwrite"), object: ObjectName, content: Content }),
  Schema.Struct({ do: Schema.Literal("move"), object: ObjectName, to: ObjectName }),
  Schema.Struct({ do: Schema.Literal("exchange"), object: ObjectName, to: ObjectName }),
  Schema.Struct({ do: Schema.Literal("remove"), object: ObjectName }),
  Schema.Struct({ do: Schema.Literal("recreate"), object: ObjectName, content: Content }),
  Schema.Struct({ do: Schema.Literal("set header"), object: ObjectName, value: Content }),
  Schema.Struct({ do: Schema.Literal("set metadata"), object: ObjectName, value: Content }),
  Schema.Struct({ do: Schema.Literal("pause"), paused: Schema.Boolean }),
  Schema.Struct({ do: Schema.Literal("fail"), reason: Reason, method: Method, times: Schema.Literals([1, 2, 5]) }),
  Schema.Struct({ do: Schema.Literal("sync") })
])
type Step = typeof Step.Type

/** Steps, each with the delay before it in milliseconds. */
const Steps = Schema.Array(Schema.Tuple([Step, Schema.Literals([0, 0, 1, 3, 8])])).check(
  Schema.isMinLength(10),
  Schema.isMaxLength(60)
)

const toPathAndName = (object: string) => {
  const slash = object.lastIndexOf("/")
  return { path: `/${object.slice(0, slash + 1)}`, name: object.slice(slash + 1) }
}

const find = (bucket: BucketRef, object: string) =>
  Effect.map(MirrorHarness.listFiles(bucket), (files) => files.find((file) => objectName(file) === object))

const runStep = Effect.fnUntraced(function* (bucket: BucketRef, ref: MirrorRef, target: MemoryTarget, step: Step) {
  const [files, headers, mirrors] = [yield* Files, yield* Headers, yield* Mirrors]
  switch (step.do) {
    case "pause":
      return yield* mirrors.update(Actor.system, ref, { paused: step.paused })
    case "fail":
      return yield* target.faults.failNext(step.times, step.reason, { method: step.method })
    case "sync":
      return yield* mirrors.sync(Actor.system, ref)
  }
  const found = yield* find(bucket, step.object)
  const { name, path } = toPathAndName(step.object)
  if (found === undefined) {
    return step.do === "upload" ? yield* MirrorHarness.upload(bucket, name, step.content, { path }) : undefined
  }
  const file = { ...bucket, fileId: found.id }
  switch (step.do) {
    case "upload":
    case "overwrite":
      return yield* MirrorHarness.reupload(bucket, found.id, step.content)
    case "move":
      return yield* files.update(Actor.system, file, toPathAndName(step.to))
    case "exchange": {
      // Two files exchange their names.
      const other = yield* find(bucket, step.to)
      if (other === undefined || other.id === found.id) return undefined
      yield* files.update(Actor.system, { ...bucket, fileId: other.id }, { name: "aside" })
      yield* files.update(Actor.system, file, toPathAndName(step.to))
      return yield* files.update(Actor.system, { ...bucket, fileId: other.id }, toPathAndName(step.object))
    }
    case "remove":
      return yield* files.remove(Actor.system, file)
    case "recreate":
      yield* files.remove(Actor.system, file)
      return yield* MirrorHarness.upload(bucket, name, step.content, { path })
    case "set header":
      return yield* headers.set(Actor.system, file, { name: "Cache-Control", value: step.value })
    case "set metadata":
      return yield* files.update(Actor.system, file, { metadata: { value: step.value } })
  }
})

/** A step may fail with these errors: a name may be taken. */
const expectedErrors = new Set(["FileExists"])

/** Registers the property with vitest, for one worker and for three. */
export const suite = <E>(
  name: string,
  metadata: Layer.Layer<Metadata, E>,
  options: { readonly runs: number }
): void => {
  vi.setConfig({ testTimeout: 300_000, hookTimeout: 60_000 })
  describe(name, () => {
    for (const workers of [1, 3]) {
      it.layer(MirrorHarness.layer(metadata).pipe(Layer.orDie), { excludeTestServices: true, timeout: "1 minute" })(
        `${workers} worker${workers === 1 ? "" : "s"}`,
        (it) => {
          it.effect.prop(
            "any steps → the target equals the bucket, and no two changes of one object overlapped",
            [Steps],
            ([steps]) =>
              Effect.scoped(
                Effect.gen(function* () {
                  const { bucket, ref, target } = yield* MirrorHarness.createMirror()
                  yield* Effect.forEach(Array.from({ length: workers }), () =>
                    MirrorHarness.startWorker({ concurrency: 4, slotsPerMirror: 3 })
                  )
                  for (const object of ObjectName.literals) {
                    yield* MirrorHarness.upload(bucket, toPathAndName(object).name, object, toPathAndName(object))
                  }
                  for (const [step, millis] of steps) {
                    yield* Effect.sleep(millis)
                    yield* Effect.catchIf(
                      runStep(bucket, ref, target, step),
                      (error) => expectedErrors.has(error._tag),
                      () => Effect.void
                    )
                  }
                  yield* target.faults.clear
                  yield* (yield* Mirrors).update(Actor.system, ref, { paused: false })
                  yield* MirrorHarness.untilCopied(ref)
                  expect(yield* MirrorHarness.objectsAt(target)).toEqual(yield* MirrorHarness.expectedObjects(bucket))
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
