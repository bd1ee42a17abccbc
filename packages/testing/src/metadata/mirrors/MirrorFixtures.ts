/**
 * Steps that the contracts of the mirror repositories share.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { MirrorRepository, type NewMirror } from "@holdfast/core/mirrors/MirrorRepository"
import type { MirrorTask, TaskResult } from "@holdfast/core/mirrors/worker/MirrorTask"
import {
  type DueMirror,
  type DueMirrors,
  MirrorTaskRepository
} from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import type { StoredMirror } from "@holdfast/core/mirrors/StoredMirror"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Sample from "../Sample.ts"
import * as Fixtures from "../Fixtures.ts"

export const sweepAt = Sample.at(90_000)

/** A limit that no test reaches. */
const unlimited = 1_000_000_000

/** Returns a mirror that is not stored yet, to a bucket of S3 or, with `targetBucketId`, to one of the deployment. */
export const newMirror = (bucket: BucketRef, targetBucketId?: string): NewMirror => ({
  ...bucket,
  id: Sample.id("mir"),
  name: "A mirror",
  address:
    targetBucketId === undefined
      ? { type: "S3", region: "r", bucketName: "b", accessKeyId: "k" }
      : { type: "TENANT_BUCKET", serviceTenantId: Sample.id("ten"), serviceBucketId: targetBucketId },
  secret: "sealed",
  createdBy: null,
  at: Sample.at()
})

/** Returns a mirror that exists. */
export const get = Effect.fnUntraced(function* (bucket: BucketRef, mirrorId: string, now = Sample.at(60_000)) {
  const found = yield* (yield* MirrorRepository).find({ ...bucket, mirrorId }, now)
  return yield* Effect.orDie(Effect.fromOption(found))
})

/** Creates the tasks of all files that have none. */
export const createTasks = Effect.fnUntraced(function* (mirrorId: string, limit = 1000) {
  const tasks = yield* MirrorTaskRepository
  while (yield* tasks.createTasks({ mirrorId, limit, now: Sample.at() })) {}
})

/** Creates a mirror of a bucket, a new one unless it is given. Every file is pending. */
export const create = Effect.fnUntraced(function* (given?: BucketRef) {
  const bucket = given ?? (yield* Fixtures.bucket())
  const made = newMirror(bucket)
  yield* (yield* MirrorRepository).create(made)
  yield* createTasks(made.id)
  const { mirror } = yield* get(bucket, made.id)
  return { bucket, mirror, ref: { ...bucket, mirrorId: mirror.id } }
})

/** Creates a mirror of a new bucket with this many files. */
export const createWithFiles = Effect.fnUntraced(function* (count: number) {
  const bucket = yield* Fixtures.bucket()
  const files = yield* Effect.forEach(Array.from({ length: count }).keys(), () => Fixtures.store(bucket))
  return { files, ...(yield* create(bucket)) }
})

/** Claims due tasks, with a lease until `until` (milliseconds after the samples' beginning). */
export const claim = (mirror: StoredMirror, now = Sample.at(1000), options: { limit?: number; until?: number } = {}) =>
  Effect.flatMap(MirrorTaskRepository, (tasks) =>
    tasks.claim({
      mirror,
      limit: options.limit ?? 100,
      lease: Sample.word(),
      leaseUntil: Sample.at(options.until ?? 31_000),
      now
    })
  )

/** Returns the result of a worker that did the whole task. */
export const succeeded = (task: MirrorTask, tag = "t1", lastModified?: number): TaskResult => ({
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

/** Returns the result of a worker that did nothing of the task. */
export const failed = (task: MirrorTask, failure: TaskResult["failure"]): TaskResult => ({
  task,
  written: null,
  removed: [],
  failure
})

export const complete = (results: ReadonlyArray<TaskResult>, now = Sample.at(2000)) =>
  Effect.flatMap(MirrorTaskRepository, (tasks) => tasks.complete({ results, now }))

/** Completes tasks with success. */
export const succeed = (tasks: ReadonlyArray<MirrorTask>, now = Sample.at(2000)) =>
  complete(
    tasks.map((task) => succeeded(task)),
    now
  )

export const abandon = (tasks: ReadonlyArray<MirrorTask>, now: number) =>
  Effect.flatMap(MirrorTaskRepository, (repository) => repository.abandon({ tasks, now: Sample.at(now) }))

/** Records a failure of a mirror as a whole. Times are milliseconds after the samples' beginning. */
export const fail = (mirror: StoredMirror, detail: string, times: { readonly now: number; readonly retryAt: number }) =>
  Effect.flatMap(MirrorTaskRepository, (tasks) =>
    tasks.fail({ mirror, detail, now: Sample.at(times.now), retryAt: Sample.at(times.retryAt) })
  )

/** Claims and completes all tasks that are due. Returns them. */
export const copyAll = Effect.fnUntraced(function* (mirror: StoredMirror, now = Sample.at(1000)) {
  const claimed = yield* claim(mirror, now)
  yield* succeed(claimed)
  return claimed
})

/** Returns all mirrors that have work to do. */
export const listDue = (now: DateTime.Utc) =>
  Effect.gen(function* () {
    const tasks = yield* MirrorTaskRepository
    const found: Array<DueMirror> = []
    for (let after: string | null = ""; after !== null;) {
      const due: DueMirrors = yield* tasks.due({ after, limit: unlimited, now })
      found.push(...due.mirrors)
      after = due.next
    }
    return found
  })

/** Returns the work that is due for a mirror; undefined when there is none. */
export const findDue = (mirrorId: string, now = Sample.at(1000)) =>
  Effect.map(listDue(now), (all) => all.find(({ mirror }) => mirror.id === mirrorId))

/** Returns the names of the objects that tasks write and remove, ordered by file id. */
export const summarize = (tasks: ReadonlyArray<MirrorTask>) =>
  tasks
    .map(({ fileId, remove, write }) => ({ fileId, write: write?.name ?? null, remove: remove.toSorted() }))
    .toSorted((a, b) => (a.fileId < b.fileId ? -1 : 1))
