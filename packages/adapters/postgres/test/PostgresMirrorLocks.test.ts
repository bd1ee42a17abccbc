import { expect, layer, vi } from "@effect/vitest"
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
import * as Store from "./support/Store.ts"

// A server is started, which takes a busy machine longer than vitest gives by default.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

/** Runs a change that meets another one before that is committed, and has to wait for it. */
const meet = Effect.fnUntraced(function* <A, E, R, A2, E2, R2>(
  uncommitted: Effect.Effect<A, E, R>,
  change: Effect.Effect<A2, E2, R2>
) {
  const sql = yield* SqlClient
  const gate = yield* Deferred.make<void>()
  const waiting = sql`SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
  const blocked = Effect.repeat(waiting, { until: (rows) => rows.length > 0 })
  // Forked outside of the transaction, so that they have connections of their own.
  const changing = yield* Effect.forkScoped(Effect.andThen(Deferred.await(gate), change))
  const watching = yield* Effect.forkScoped(Effect.andThen(Deferred.await(gate), blocked))
  yield* uncommitted.pipe(
    Effect.andThen(Deferred.succeed(gate, undefined)),
    Effect.andThen(Fiber.join(watching)),
    sql.withTransaction
  )
  return yield* Fiber.join(changing)
})

/** A file whose blob stands, not stored yet. */
const upload = Effect.fnUntraced(function* (bucket: Effect.Success<typeof emptyBucket>) {
  const content = Sample.content(yield* Fixtures.stage(bucket))
  const file = Sample.file({ version: 1, content })
  return { file, insert: (yield* FileRepository).insert(bucket, file) }
})

const emptyBucket = Fixtures.bucket()

requires(Server.missing).describe("mirrors on PostgreSQL", () =>
  layer(Store.layer("C.UTF-8", 4), { excludeTestServices: true, timeout: "1 minute" })((it) => {
    it.effect("a mirror that is made waits for writers that do not see it", () =>
      Effect.gen(function* () {
        const bucket = yield* emptyBucket
        const { file, insert } = yield* upload(bucket)
        const made = MirrorFixtures.newMirror(bucket)
        yield* meet(insert, (yield* MirrorRepository).create(made))
        yield* MirrorFixtures.createTasks(made.id)
        const { mirror } = yield* MirrorFixtures.get(bucket, made.id)
        expect((yield* MirrorFixtures.claim(mirror)).map(({ fileId }) => fileId)).toEqual([file.id])
      })
    )

    it.effect("a writer waits for a mirror that is being made, and sees it", () =>
      Effect.gen(function* () {
        const bucket = yield* emptyBucket
        const { file, insert } = yield* upload(bucket)
        const made = MirrorFixtures.newMirror(bucket)
        yield* meet((yield* MirrorRepository).create(made), insert)
        const files = yield* (yield* MirrorRepository).files({
          mirrorId: made.id,
          state: undefined,
          after: undefined,
          limit: 10
        })
        expect(files.map(({ fileId }) => fileId)).toEqual([file.id])
      })
    )

    it.effect("the last rows of a removed mirror go behind a writer that still saw it", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const { bucket, mirror, ref } = yield* MirrorFixtures.create()
        const { insert } = yield* upload(bucket)
        const remove = (yield* MirrorRepository).remove(ref)
        const clear = (yield* MirrorTaskRepository).clearRemoved({ mirrorId: mirror.id, limit: 100 })
        expect(yield* meet(insert, Effect.andThen(remove, clear))).toBe(false)
        expect(yield* sql`SELECT 1 FROM mirror_task WHERE mirror_id = ${mirror.id}`).toEqual([])
        expect(yield* sql`SELECT 1 FROM mirror WHERE id = ${mirror.id}`).toEqual([])
      })
    )

    it.effect("a file whose task is being claimed is claimed by nobody else, and its name is not taken", () =>
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
        const gate = yield* Deferred.make<void>()
        const other = yield* Effect.forkScoped(Effect.andThen(Deferred.await(gate), MirrorFixtures.claim(mirror)))
        const first = yield* MirrorFixtures.claim(mirror, Sample.at(1000), { limit: 1 }).pipe(
          Effect.tap(() => Deferred.succeed(gate, undefined)),
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
