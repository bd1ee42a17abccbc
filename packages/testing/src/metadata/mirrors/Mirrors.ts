/**
 * Steps that tests of mirrors share.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { MirrorRepository, type NewMirror } from "@holdfast/core/mirrors/MirrorRepository"
import type { MirrorTask, TaskResult } from "@holdfast/core/mirrors/worker/MirrorTask"
import { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import type { StoredMirror } from "@holdfast/core/mirrors/StoredMirror"
import * as Effect from "effect/Effect"
import * as Sample from "../Sample.ts"
import * as Fixtures from "../Fixtures.ts"

export const doom = { sweepAt: Sample.at(90_000) }

const far = 1_000_000_000

/** A mirror that is not stored yet, to a bucket of S3 or to one of the deployment. */
export const fresh = (bucket: BucketRef, targetBucketId?: string): NewMirror => ({
  ...bucket,
  id: Sample.id("mir"),
  name: "A mirror",
  address:
    targetBucketId === undefined
      ? { type: "S3", region: "r", bucketName: "b", accessKeyId: "k" }
      : { type: "TENANT_BUCKET", serviceTenantId: Sample.id("ten"), serviceBucketId: targetBucketId },
  secret: "sealed",
  at: Sample.at()
})

export const find = Effect.fnUntraced(function* (bucket: BucketRef, id: string, at = Sample.at(60_000)) {
  const found = yield* (yield* MirrorRepository).find(bucket, id, at)
  return yield* Effect.orDie(Effect.fromOption(found))
})

/** Makes everything pending that the mirror does not know. */
export const fill = Effect.fnUntraced(function* (id: string, step = 1000) {
  const tasks = yield* MirrorTaskRepository
  while (yield* tasks.fill(id, step, Sample.at())) {}
})

/** A mirror of a bucket, a fresh one unless it is given; every file is pending. */
export const mirror = Effect.fnUntraced(function* (given?: BucketRef) {
  const bucket = given ?? (yield* Fixtures.bucket())
  const made = fresh(bucket)
  yield* (yield* MirrorRepository).create(made)
  yield* fill(made.id)
  return { bucket, mirror: (yield* find(bucket, made.id)).mirror }
})

/** Claims what is due. */
export const claim = (mirror: StoredMirror, at = Sample.at(1000), options: { limit?: number; until?: number } = {}) =>
  Effect.flatMap(MirrorTaskRepository, (tasks) =>
    tasks.claim(mirror, options.limit ?? 100, Sample.word(), at, Sample.at(options.until ?? 31_000))
  )

/** What a worker tells that did all that it was given to do. */
export const done = (task: MirrorTask, tag = "t1", lastModified?: number): TaskResult => ({
  task,
  written:
    task.write === null
      ? null
      : {
          name: task.write.name,
          size: task.write.file.content.size,
          sha256: task.write.file.content.sha256,
          tag,
          lastModified
        },
  removed: task.remove,
  failure: null
})

/** What a worker tells that could do nothing. */
export const failed = (task: MirrorTask, failure: TaskResult["failure"]): TaskResult => ({
  task,
  written: null,
  removed: [],
  failure
})

export const settle = (outcomes: ReadonlyArray<TaskResult>, at = Sample.at(2000)) =>
  Effect.flatMap(MirrorTaskRepository, (tasks) => tasks.complete(outcomes, at))

/** Copies everything that is due, as a worker does. */
export const copyAll = Effect.fnUntraced(function* (mirror: StoredMirror, at = Sample.at(1000)) {
  const claimed = yield* claim(mirror, at)
  yield* settle(claimed.map((task) => done(task)))
  return claimed
})

/** What is found to do for one mirror at a time. */
export const due = (id: string, at = Sample.at(1000)) =>
  Effect.flatMap(MirrorTaskRepository, (tasks) =>
    Effect.map(tasks.due(at, "", far), (all) => all.find(({ mirror }) => mirror.id === id))
  )

/** The files that a task writes, by name, and those that it removes. */
export const shown = (tasks: ReadonlyArray<MirrorTask>) =>
  tasks
    .map(({ fileId, remove, write }) => ({ fileId, write: write?.name ?? null, remove: remove.toSorted() }))
    .toSorted((a, b) => (a.fileId < b.fileId ? -1 : 1))
