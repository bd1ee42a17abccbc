/**
 * The contract of `FolderRepository`.
 */
import { expect } from "@effect/vitest"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { type FolderChange, type FolderJobClaim, FolderRepository } from "@holdfast/core/folders/FolderRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Fixtures from "../../Fixtures.ts"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"

const sweepAt = Sample.at(90_000)
const leaseUntil = Sample.at(60_000)
/** After the samples were stored. */
const at = Sample.at(10)
/** More files than one transaction changes. */
const manyFiles = 510

/** Creates a bucket with the file `/a/first` that has a content, and many reserved ones in `/a/b/`. */
const createLarge = Effect.gen(function* () {
  const bucket = yield* Fixtures.bucket()
  const first = yield* Fixtures.store(bucket, { path: "/a/", name: "first" })
  yield* Effect.forEach(
    Array.from({ length: manyFiles }).keys(),
    (index) => Fixtures.reserve(bucket, { path: "/a/b/", name: `${1000 + index}` }),
    { concurrency: 8 }
  )
  return { bucket, first }
})

const removal = (bucket: BucketRef, path: string): FolderChange => ({ ...Sample.folderRemoval(bucket, path), at })

const move = (bucket: BucketRef, to: string, onConflict: "fail" | "replace" | "rename" = "fail", path = "/a/") =>
  ({ ...removal(bucket, path), kind: "MOVE", to, conflict: { onConflict, suffix: Sample.word() } }) as const

/** Claims jobs until it gets that with an id. Other tests of the same store may have left some. */
const claim = Effect.fnUntraced(function* (id: string | null, now = at) {
  const folders = yield* FolderRepository
  while (true) {
    const found = yield* folders.claim({ lease: Sample.word(), leaseUntil, now })
    if (Option.isNone(found) || found.value.id === id) return yield* Effect.fromOption(found)
  }
})

const step = (one: FolderJobClaim, limit: number) =>
  Effect.flatMap(FolderRepository, (folders) =>
    folders.step({ claim: one, limit, leaseUntil, suffix: Sample.word(), at: Sample.at(20), sweepAt })
  )

const finish = Effect.fnUntraced(function* (one: FolderJobClaim) {
  while (true) {
    const { state } = yield* step(one, 200)
    if (state !== "PENDING") return state
  }
})

/** Returns the places of the first files of a bucket. */
const places = (bucket: BucketRef, path = "/") =>
  Effect.gen(function* () {
    const files = yield* FileRepository
    const { files: found } = yield* files.list({ bucket, query: { path, recursive: true }, limit: 1000 })
    return found.map((file) => file.path + file.name)
  })

const find = (bucket: BucketRef, jobId: string | null) =>
  Effect.flatMap(FolderRepository, (folders) => folders.find({ ...bucket, jobId: jobId ?? "" }))

export const folderJobContract = (it: It): void => {
  it.effect("start: few files → moved or removed at once, also in folders below; no other file", () =>
    Effect.gen(function* () {
      const folders = yield* FolderRepository
      const bucket = yield* Fixtures.bucket()
      const stored = yield* Fixtures.store(bucket, { path: "/a/", name: "x" })
      for (const path of ["/a/b/", "/ab/", "/a0/"]) yield* Fixtures.reserve(bucket, { path, name: "x" })
      const done = yield* folders.start(move(bucket, "/to/deep/"))
      expect(done).toMatchObject({ id: null, kind: "MOVE", path: "/a/", to: "/to/deep/", state: "DONE", files: 2 })
      expect(yield* places(bucket)).toEqual(["/a0/x", "/ab/x", "/to/deep/x", "/to/deep/b/x"])
      expect(yield* folders.start(removal(bucket, "/to/"))).toMatchObject({ id: null, state: "DONE", files: 2 })
      expect(yield* places(bucket)).toEqual(["/a0/x", "/ab/x"])
      expect((yield* Fixtures.blob(stored.content?.blobId ?? ""))?.state).toBe("DOOMED")
      const missing = { _tag: "NotFound", resource: "folder" }
      expect(yield* Effect.flip(folders.start(removal(bucket, "/to/")))).toMatchObject(missing)
      expect(yield* Effect.flip(folders.start(removal({ ...bucket, tenantId: Sample.id("ten") }, "/")))).toMatchObject(
        missing
      )
    })
  )

  it.effect("start: place taken → FileExists and nothing moved; replace and rename resolve it", () =>
    Effect.gen(function* () {
      const folders = yield* FolderRepository
      const bucket = yield* Fixtures.bucket()
      yield* Fixtures.reserve(bucket, { path: "/a/", name: "x" })
      yield* Fixtures.reserve(bucket, { path: "/a/", name: "y" })
      const taken = yield* Fixtures.reserve(bucket, { path: "/to/", name: "y" })
      const error = yield* Effect.flip(folders.start(move(bucket, "/to/")))
      expect(error).toMatchObject({ _tag: "FileExists", existingId: taken.id })
      expect(yield* places(bucket)).toEqual(["/a/x", "/a/y", "/to/y"])
      yield* folders.start(move(bucket, "/to/", "rename"))
      expect(yield* places(bucket)).toEqual(["/to/x", "/to/y", expect.stringMatching(/^\/to\/y-/)])
      yield* Fixtures.reserve(bucket, { path: "/a/", name: "y" })
      yield* folders.start(move(bucket, "/to/", "replace"))
      expect(yield* places(bucket)).toHaveLength(3)
    })
  )

  it.effect(
    "start: to the folder above, where a folder has the same name → a file of the folder is never replaced",
    () =>
      Effect.gen(function* () {
        const folders = yield* FolderRepository
        const bucket = yield* Fixtures.bucket()
        yield* Fixtures.reserve(bucket, { path: "/a/", name: "x" })
        yield* Fixtures.reserve(bucket, { path: "/a/a/", name: "x" })
        expect(yield* Effect.flip(folders.start(move(bucket, "/", "replace")))).toMatchObject({ _tag: "FileExists" })
        expect(yield* places(bucket)).toEqual(["/a/x", "/a/a/x"])
      })
  )

  it.effect("start: a path of more than 1,024 bytes → InvalidRequest and nothing moved", () =>
    Effect.gen(function* () {
      const folders = yield* FolderRepository
      const bucket = yield* Fixtures.bucket()
      const path = `/a/${"x".repeat(250)}/`
      yield* Fixtures.reserve(bucket, { path, name: "x" })
      const to = `/${"ü".repeat(120)}/${"ü".repeat(120)}/${"ü".repeat(120)}/${"u".repeat(60)}/`
      expect(yield* Effect.flip(folders.start(move(bucket, to)))).toMatchObject({ _tag: "InvalidRequest" })
      expect(yield* places(bucket)).toEqual([`${path}x`])
    })
  )

  it.effect("removal of many files → a job; files that were changed since stay; a lost lease changes nothing", () =>
    Effect.gen(function* () {
      const folders = yield* FolderRepository
      const { bucket, first } = yield* createLarge
      const job = yield* folders.start(removal(bucket, "/a/"))
      expect(job).toMatchObject({ kind: "REMOVE", state: "RUNNING", files: 0, error: null })
      expect(yield* places(bucket)).toHaveLength(manyFiles + 1)
      // A client stores a new content in the folder, and a new file, before the job is there.
      yield* (yield* FileRepository).update({
        bucket,
        selector: Fixtures.byPlace({ path: "/a/b/", name: "1200" }),
        change: { metadata: { kept: true } },
        at
      })
      yield* Fixtures.reserve(bucket, { path: "/a/b/", name: "new", createdAt: at, updatedAt: at })
      const former = yield* claim(job.id)
      expect(yield* step(former, 100)).toEqual({ state: "PENDING", rows: 100 })
      expect(yield* find(bucket, job.id)).toMatchObject({ value: { state: "RUNNING", files: 100 } })
      yield* folders.release(former, at)
      expect(yield* folders.fail({ claim: former, error: { code: "forbidden", detail: "" }, at })).toMatchObject({
        state: "LOST"
      })
      const current = yield* claim(job.id)
      expect(yield* step(former, 100)).toEqual({ state: "LOST", rows: 0 })
      expect(yield* finish(current)).toBe("DONE")
      expect(yield* places(bucket)).toEqual(["/a/b/1200", "/a/b/new"])
      expect((yield* Fixtures.blob(first.content?.blobId ?? ""))?.state).toBe("DOOMED")
      expect(yield* find(bucket, job.id)).toMatchObject({ value: { state: "DONE", files: manyFiles, error: null } })
      expect(yield* find({ ...bucket, bucketId: Sample.id("bkt") }, job.id)).toEqual(Option.none())
    })
  )

  it.effect("move, removal of many files, with the folder's marker → moved, removed", () =>
    Effect.gen(function* () {
      const folders = yield* FolderRepository
      const files = yield* FileRepository
      const { bucket } = yield* createLarge
      const marker = yield* Fixtures.store(bucket, { path: "/a/", name: "" })
      const moved = yield* folders.start(move(bucket, "/to/"))
      expect(moved).toMatchObject({ state: "RUNNING" })
      expect(yield* finish(yield* claim(moved.id))).toBe("DONE")
      const found = yield* files.find(bucket, Fixtures.byId(marker.id))
      expect(found).toMatchObject({ value: { path: "/to/", name: "" } })
      const removed = yield* folders.start({ ...removal(bucket, "/to/"), at: Sample.at(30) })
      expect(yield* finish(yield* claim(removed.id, Sample.at(30)))).toBe("DONE")
      const rest = { bucket, query: { path: "/", recursive: true }, limit: 10, withMarkers: true }
      expect((yield* files.list(rest)).files).toEqual([])
    })
  )

  it.effect(
    "move of many files: a conflict → FAILED where it is met; another rule continues it; cancelled and failed ones change nothing; ten at most",
    () =>
      Effect.gen(function* () {
        const folders = yield* FolderRepository
        const { bucket } = yield* createLarge
        const taken = yield* Fixtures.reserve(bucket, { path: "/to/b/", name: "1300" })
        const failing = yield* folders.start(move(bucket, "/to/"))
        expect(yield* finish(yield* claim(failing.id))).toBe("DONE")
        const failed = Option.getOrThrow(yield* find(bucket, failing.id))
        expect(failed).toMatchObject({ state: "FAILED", files: 200, error: { code: "file_exists" } })
        expect(failed.error?.detail).toContain(taken.id)
        expect(yield* places(bucket, "/to/")).toHaveLength(201)

        const bigger = yield* createLarge
        const jobs = yield* Effect.forEach(Array.from({ length: 10 }), () => folders.start(move(bigger.bucket, "/to/")))
        expect(yield* Effect.flip(folders.start(move(bigger.bucket, "/to/")))).toMatchObject({ _tag: "QuotaExceeded" })
        const [first, second, third] = jobs.map(({ id }) => id)
        const kept = yield* claim(first ?? null)
        const running = yield* claim(second ?? null)
        const cancelled = { ...bigger.bucket, jobId: second ?? "" }
        expect(yield* folders.cancel(cancelled, at)).toMatchObject({ value: { state: "CANCELLED", files: 0 } })
        expect(yield* step(running, 100)).toEqual({ state: "LOST", rows: 0 })
        const error = { code: "forbidden", detail: "why" }
        yield* folders.fail({ claim: yield* claim(third ?? null), error, at })
        const failedJob = { ...bigger.bucket, jobId: third ?? "" }
        expect(yield* folders.cancel(failedJob, at)).toMatchObject({ value: { state: "FAILED", error } })
        expect(yield* folders.cancel({ ...cancelled, bucketId: bucket.bucketId }, at)).toEqual(Option.none())
        expect(yield* places(bigger.bucket, "/to/")).toEqual([])
        expect(yield* finish(kept)).toBe("DONE")
        expect(yield* places(bigger.bucket, "/to/")).toHaveLength(manyFiles + 1)
        expect(yield* folders.start(move(bucket, "/to/", "rename"))).toMatchObject({ id: null, files: manyFiles - 199 })
        expect(yield* places(bucket, "/to/")).toHaveLength(manyFiles + 2)
      })
  )
}
