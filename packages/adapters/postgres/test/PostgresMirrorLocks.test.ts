import { assert, expect, layer, vi } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import * as MirrorFixtures from "@holdfast/testing/metadata/mirrors/MirrorFixtures"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import { requires } from "@holdfast/testing/Requires"
import * as Server from "@holdfast/testing/servers/Postgres"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { SqlClient } from "effect/sql/SqlClient"
import * as Locks from "./support/Locks.ts"
import * as Store from "./support/Store.ts"

// Starting a server takes longer on a busy machine than vitest's default timeout.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

/** Stages the content of a file. Returns the file and the effect that inserts it. */
const upload = Effect.fnUntraced(function* (bucket: Effect.Success<typeof emptyBucket>) {
  const content = Sample.content(yield* Fixtures.stage(bucket))
  const file = Sample.file({ version: 1, content })
  return { file, insert: (yield* FileRepository).insert(bucket, file) }
})

const emptyBucket = Fixtures.bucket()

requires(Server.missing).describe("locks of mirrors on PostgreSQL", () =>
  layer(Store.layer("C.UTF-8", 4), { excludeTestServices: true, timeout: "1 minute" })((it) => {
    it.effect("create: uncommitted insert in the bucket → waits, and the file has a task", () =>
      Effect.gen(function* () {
        const bucket = yield* emptyBucket
        const { file, insert } = yield* upload(bucket)
        const made = MirrorFixtures.newMirror(bucket)
        yield* Locks.runBlockedBy(insert, (yield* MirrorRepository).create(made))
        yield* MirrorFixtures.createTasks(made.id)
        const { mirror } = yield* MirrorFixtures.get(bucket, made.id)
        expect((yield* MirrorFixtures.claim(mirror)).map(({ fileId }) => fileId)).toEqual([file.id])
      })
    )

    it.effect("insert: uncommitted mirror of the bucket → waits, and the file has a task", () =>
      Effect.gen(function* () {
        const bucket = yield* emptyBucket
        const { file, insert } = yield* upload(bucket)
        const made = MirrorFixtures.newMirror(bucket)
        yield* Locks.runBlockedBy((yield* MirrorRepository).create(made), insert)
        const files = yield* (yield* MirrorRepository).files({
          mirrorId: made.id,
          state: undefined,
          after: undefined,
          limit: 10
        })
        expect(files.map(({ fileId }) => fileId)).toEqual([file.id])
      })
    )

    it.effect("createTasks: many files created in between, ahead of the next ones → no file is passed over", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const bucket = yield* emptyBucket
        const names = (start: string, count: number) => Array.from({ length: count }, (_, n) => `${start}${n}`)
        yield* Effect.forEach(names("m", 8), (name) => Fixtures.store(bucket, { path: "/", name }))
        const made = MirrorFixtures.newMirror(bucket)
        yield* (yield* MirrorRepository).create(made)
        const tasks = yield* MirrorTaskRepository
        // The others become visible when the statement that waits for the lock begins.
        const others = Effect.andThen(
          sql`LOCK TABLE mirror_task IN SHARE MODE`,
          Effect.forEach(names("a", 11), (name) => Fixtures.reserve(bucket, { path: "/", name }))
        )
        yield* Locks.runBlockedBy(others, tasks.createTasks({ mirrorId: made.id, limit: 5, now: Sample.at() }))
        yield* MirrorFixtures.createTasks(made.id, 5)
        const { mirror } = yield* MirrorFixtures.get(bucket, made.id)
        expect(yield* MirrorFixtures.claim(mirror)).toHaveLength(8)
      })
    )

    it.effect("renew: one task locked by another transaction → the other renewed without waiting, both held", () =>
      Effect.gen(function* () {
        const [tasks, sql] = [yield* MirrorTaskRepository, yield* SqlClient]
        const { mirror } = yield* MirrorFixtures.createWithFiles(2)
        const [locked, free] = yield* MirrorFixtures.claim(mirror, Sample.at(1000), { until: 5000 })
        assert(locked !== undefined && free !== undefined)
        const lockRow = sql`SELECT 1 FROM mirror_task WHERE mirror_id = ${mirror.id} AND file_id = ${locked.fileId}
          FOR UPDATE`
        const renew = (now: number) =>
          tasks.renew({ leases: [locked, free], leaseUntil: Sample.at(9000), now: Sample.at(now) })
        const held = yield* Fiber.join(yield* Locks.startDuring(lockRow, renew(2000)))
        expect(held.map(({ fileId }) => fileId).toSorted()).toEqual([locked.fileId, free.fileId].toSorted())
        // The locked lease was not renewed: it has expired, and a worker may be claiming it.
        const later = yield* Fiber.join(yield* Locks.startDuring(lockRow, renew(6000)))
        expect(later.map(({ fileId }) => fileId)).toEqual([free.fileId])
        const taken = yield* MirrorFixtures.claim(mirror, Sample.at(6000))
        expect(taken.map(({ fileId }) => fileId)).toEqual([locked.fileId])
      })
    )

    it.effect("clearRemoved: uncommitted insert that saw the removed mirror → its task is removed, too", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const { bucket, mirror, ref } = yield* MirrorFixtures.create()
        const { insert } = yield* upload(bucket)
        const remove = (yield* MirrorRepository).remove(ref)
        const clear = (yield* MirrorTaskRepository).clearRemoved({ mirrorId: mirror.id, limit: 100 })
        expect(yield* Locks.runBlockedBy(insert, Effect.andThen(remove, clear))).toBe(false)
        expect(yield* sql`SELECT 1 FROM mirror_task WHERE mirror_id = ${mirror.id}`).toEqual([])
        expect(yield* sql`SELECT 1 FROM mirror WHERE id = ${mirror.id}`).toEqual([])
      })
    )

    it.effect("claim: task claimed in an uncommitted transaction → skipped, and its object name stays reserved", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const files = yield* FileRepository
        const bucket = yield* emptyBucket
        const [a, b] = [yield* Fixtures.store(bucket, { name: "a" }), yield* Fixtures.store(bucket, { name: "b" })]
        const { mirror } = yield* MirrorFixtures.create(bucket)
        yield* MirrorFixtures.copyAll(mirror)
        const at = Sample.at(10)
        yield* files.update({ bucket, selector: Fixtures.byId(a.id), change: { name: "c" }, at })
        yield* files.update({ bucket, selector: Fixtures.byId(b.id), change: { name: "a" }, at: Sample.at(20) })
        const begun = yield* Deferred.make<void>()
        const other = yield* Effect.forkScoped(Effect.andThen(Deferred.await(begun), MirrorFixtures.claim(mirror)))
        const first = yield* MirrorFixtures.claim(mirror, Sample.at(1000), { limit: 1 }).pipe(
          Effect.tap(() => Deferred.succeed(begun, undefined)),
          Effect.tap(() => Fiber.await(other)),
          sql.withTransaction
        )
        expect(MirrorFixtures.summarize(first)).toEqual([{ fileId: a.id, write: "c", remove: ["a"] }])
        expect(yield* Fiber.join(other)).toEqual([])
        yield* MirrorFixtures.succeed(first)
        expect(MirrorFixtures.summarize(yield* MirrorFixtures.claim(mirror, Sample.at(3000)))).toEqual([
          { fileId: b.id, write: "a", remove: ["b"] }
        ])
      })
    )
  })
)
