import { expect, layer, vi } from "@effect/vitest"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { DamageRepository } from "@holdfast/core/integrity/DamageRepository"
import { FolderRepository } from "@holdfast/core/folders/FolderRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import { requires } from "@holdfast/testing/Requires"
import * as Server from "@holdfast/testing/servers/Postgres"
import * as LargeRecount from "@holdfast/testing/metadata/usage/LargeRecount"
import * as UsageDrift from "@holdfast/testing/metadata/usage/UsageDrift"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import * as Locks from "./support/Locks.ts"
import * as Store from "./support/Store.ts"

// Starting a server takes longer on a busy machine than vitest's default timeout.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const sweepAt = Sample.at(90_000)

requires(Server.missing).describe("PostgreSQL", () =>
  layer(Store.layer("en_US.UTF-8", 4), { excludeTestServices: true, timeout: "1 minute" })((it) => {
    it.effect("collation: server orders by language → the store's columns order by code point", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const { collation } = yield* Server.Postgres
        expect(collation).toMatch(/en.US/)
        expect(yield* sql`SELECT 'a' < 'B' AS linguistic, 'a' < 'B' COLLATE "C" AS bytewise`).toEqual([
          { linguistic: true, bytewise: false }
        ])
      })
    )

    it.effect("recount: counters are wrong → found, repaired, exact again", () => UsageDrift.check)

    it.effect("recount: large bucket, files change meanwhile → exact", () => LargeRecount.check)

    it.effect("remove: file being inserted into the empty bucket → BucketNotEmpty", () =>
      Effect.gen(function* () {
        const [buckets, files] = [yield* BucketRepository, yield* FileRepository]
        const bucket = yield* Fixtures.bucket()
        const file = Sample.file()
        const removal = buckets.remove({ bucket, force: false, sweepAt })
        const fiber = yield* Locks.startDuring(files.insert(bucket, file), removal)
        expect((yield* Effect.flip(Fiber.join(fiber)))._tag).toBe("BucketNotEmpty")
        expect(yield* files.find(bucket, Fixtures.byId(file.id))).toEqual(Option.some(file))
      })
    )

    it.effect(
      "step of a folder job: last file of the step being moved further → files before its new place removed",
      () =>
        Effect.gen(function* () {
          const [folders, files] = [yield* FolderRepository, yield* FileRepository]
          const bucket = yield* Fixtures.bucket()
          // More than one transaction removes.
          const made = yield* Effect.forEach(
            Array.from({ length: 501 }).keys(),
            (index) => Fixtures.reserve(bucket, { path: "/a/", name: `${1000 + index}` }),
            { concurrency: 4 }
          )
          const at = Sample.at(10)
          const { id } = yield* folders.start({ ...Sample.folderRemoval(bucket, "/a/"), at })
          const terms = { leaseUntil: Sample.at(60_000), suffix: "x", at: Sample.at(30), sweepAt }
          const claim = Option.getOrThrow(yield* folders.claim({ ...terms, lease: Sample.word(), now: at }))
          expect(claim.id).toBe(id)
          const moved = Fixtures.byId(made.find(({ name }) => name === "1099")?.id ?? "")
          const fiber = yield* Locks.startDuring(
            files.update({ bucket, selector: moved, change: { path: "/a/z/" }, at: Sample.at(20) }),
            folders.step({ ...terms, claim, limit: 100 })
          )
          let { state } = yield* Fiber.join(fiber)
          while (state === "PENDING") ({ state } = yield* folders.step({ ...terms, claim, limit: 200 }))
          const left = yield* files.list({ bucket, query: { path: "/", recursive: true }, limit: 10 })
          expect(left.files.map(({ name, path }) => path + name)).toEqual(["/a/z/1099"])
        })
    )

    it.effect("remove: bucket being created in the empty tenant → TenantNotEmpty", () =>
      Effect.gen(function* () {
        const [buckets, tenants] = [yield* BucketRepository, yield* TenantRepository]
        const tenantId = yield* Fixtures.tenant
        const bucket = Sample.bucket()
        const fiber = yield* Locks.startDuring(
          buckets.create(tenantId, bucket),
          tenants.remove({ tenantId, force: false, sweepAt })
        )
        expect((yield* Effect.flip(Fiber.join(fiber)))._tag).toBe("TenantNotEmpty")
        expect(yield* buckets.find({ tenantId, bucketId: bucket.id })).toEqual(Option.some(bucket))
      })
    )

    it.effect("expire: lease being renewed → blob skipped without waiting", () =>
      Effect.gen(function* () {
        const blobs = yield* BlobRepository
        const bucket = yield* Fixtures.bucket()
        const [renewed, expired] = [
          yield* Fixtures.stage(bucket, Sample.at(-9)),
          yield* Fixtures.stage(bucket, Sample.at(-9))
        ]
        const fiber = yield* Locks.startDuring(
          blobs.renew([renewed], Sample.at(99)),
          blobs.expire({ before: Sample.at() })
        )
        expect(yield* Fiber.join(fiber)).toBe(1)
        expect((yield* Fixtures.blob(renewed))?.state).toBe("PENDING")
        expect((yield* Fixtures.blob(expired))?.state).toBe("DOOMED")
      })
    )

    it.effect("renew: one blob locked by another transaction → the others renewed without waiting", () =>
      Effect.gen(function* () {
        const [blobs, sql] = [yield* BlobRepository, yield* SqlClient]
        const bucket = yield* Fixtures.bucket()
        const [locked, free] = [
          yield* Fixtures.stage(bucket, Sample.at(10)),
          yield* Fixtures.stage(bucket, Sample.at(10))
        ]
        const lockRow = sql`SELECT id FROM blob WHERE id = ${locked} FOR UPDATE`
        yield* Fiber.join(yield* Locks.startDuring(lockRow, blobs.renew([locked, free], Sample.at(99))))
        // A renewal that had waited for the lock would have renewed both.
        yield* blobs.expire({ before: Sample.at(50) })
        expect((yield* Fixtures.blob(locked))?.state).toBe("DOOMED")
        expect((yield* Fixtures.blob(free))?.state).toBe("PENDING")
      })
    )

    it.effect("replaceContent: waits for a replacement whose blob it does not see → that blob DOOMED", () =>
      Effect.gen(function* () {
        const files = yield* FileRepository
        const bucket = yield* Fixtures.bucket()
        const file = yield* Fixtures.store(bucket)
        const replace = (blobId: string) =>
          files.replaceContent({ bucket, fileId: file.id, content: Sample.content(blobId), condition: {}, sweepAt })
        const last = yield* Fixtures.stage(bucket)
        const stored = yield* Locks.runBlockedBy(Effect.flatMap(Fixtures.stage(bucket), replace), replace(last))
        expect(stored).toMatchObject({ version: 3, content: { blobId: last } })
        expect(yield* files.find(bucket, Fixtures.byId(file.id))).toEqual(Option.some(stored))
        const states = (yield* Fixtures.blobsOf(bucket)).map(({ blobId, state }) => [blobId === last, state])
        expect(states.toSorted()).toEqual([
          [false, "DOOMED"],
          [false, "DOOMED"],
          [true, "READY"]
        ])
      })
    )

    for (const method of ["record", "clear"] as const) {
      it.effect(`damage.${method}: file being replaced → waits for its new content, which is not damaged`, () =>
        Effect.gen(function* () {
          const [damage, files, sql] = [yield* DamageRepository, yield* FileRepository, yield* SqlClient]
          const bucket = yield* Fixtures.bucket()
          const file = yield* Fixtures.store(bucket)
          const blob = Option.getOrThrow(yield* damage.find(file.content?.blobId ?? ""))
          const record = damage.record({ blob, kind: "Missing", at: Sample.at() })
          if (method === "clear") yield* record
          const content = Sample.content(yield* Fixtures.stage(bucket))
          // As a replacement does: first the file, then its blobs.
          yield* Locks.runBlockedBy(
            sql`SELECT id FROM file WHERE id = ${file.id} FOR NO KEY UPDATE`,
            method === "record" ? Effect.asVoid(record) : Effect.asVoid(damage.clear(blob.blobId)),
            files.replaceContent({ bucket, fileId: file.id, content, condition: {}, sweepAt })
          )
          const stored = Option.getOrThrow(yield* files.find(bucket, Fixtures.byId(file.id)))
          expect(stored).toMatchObject({ version: 2, damaged: false, content: { blobId: content.blobId } })
        })
      )
    }

    it.effect("insert: waits for the removal of its bucket → NotFound, its blob is not READY", () =>
      Effect.gen(function* () {
        const [buckets, files] = [yield* BucketRepository, yield* FileRepository]
        const bucket = yield* Fixtures.bucket()
        const blobId = yield* Fixtures.stage(bucket)
        const file = Sample.file({ version: 1, content: Sample.content(blobId) })
        const removal = buckets.remove({ bucket, force: true, sweepAt })
        const error = yield* Effect.flip(Locks.runBlockedBy(removal, files.insert(bucket, file)))
        expect(error).toMatchObject({ _tag: "NotFound" })
        expect((yield* Fixtures.blob(blobId))?.state).not.toBe("READY")
      })
    )

    it.effect(
      "replaceContent: 20 of one file whose row is locked → one waits in PostgreSQL, all succeed afterwards",
      () =>
        Effect.gen(function* () {
          const [sql, files] = [yield* SqlClient, yield* FileRepository]
          const bucket = yield* Fixtures.bucket()
          const file = yield* Fixtures.store(bucket)
          const blobIds = yield* Effect.forEach(Array.from({ length: 20 }), () => Fixtures.stage(bucket))
          const [isLocked, end] = [yield* Latch.make(), yield* Latch.make()]
          const holder = yield* sql`SELECT id FROM file WHERE id = ${file.id} FOR UPDATE`.pipe(
            Effect.andThen(isLocked.open),
            Effect.andThen(end.await),
            sql.withTransaction,
            Effect.forkScoped
          )
          yield* isLocked.await
          const uploads = yield* Effect.forEach(blobIds, (blobId) =>
            Effect.forkScoped(
              files.replaceContent({ bucket, fileId: file.id, content: Sample.content(blobId), condition: {}, sweepAt })
            )
          )
          const waiting = sql`SELECT pid FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND datname = current_database()`
          yield* Effect.repeat(waiting, { until: (rows) => rows.length > 0 })
          // Each uses a connection.
          yield* Fixtures.store(bucket)
          expect(yield* waiting).toHaveLength(1)
          yield* end.open
          yield* Fiber.join(holder)
          yield* Effect.forEach(uploads, Fiber.join)
          expect(yield* files.find(bucket, Fixtures.byId(file.id))).toMatchObject({ value: { version: 21 } })
        })
    )

    it.effect("insert: 100 transactions on 4 connections → all succeed", () =>
      Effect.gen(function* () {
        const bucket = yield* Fixtures.bucket()
        yield* Effect.forEach(Array.from({ length: 100 }).keys(), () => Fixtures.store(bucket), {
          concurrency: "unbounded"
        })
        const stored = yield* (yield* FileRepository).list({
          bucket,
          query: { path: "/", recursive: true },
          limit: 1000
        })
        expect(stored.files).toHaveLength(100)
      })
    )

    it.effect("the reads of every request have connections of their own", () =>
      Effect.gen(function* () {
        const [sql, files] = [yield* SqlClient, yield* FileRepository]
        const bucket = yield* Fixtures.bucket()
        const file = yield* Fixtures.store(bucket)
        const find = files.find(bucket, Fixtures.byId(file.id))
        const end = yield* Deferred.make<void>()
        const latch = yield* Latch.make()
        let begun = 0
        const holdConnection = sql`SELECT 1`.pipe(
          Effect.andThen(Effect.suspend(() => (++begun === 4 ? latch.open : Effect.void))),
          Effect.andThen(Deferred.await(end)),
          sql.withTransaction
        )
        const holders = yield* Effect.forEach([1, 2, 3, 4], () => Effect.forkScoped(holdConnection))
        yield* latch.await
        expect(
          yield* Effect.all(
            Array.from({ length: 50 }, () => find),
            { concurrency: "unbounded" }
          )
        ).toEqual(Array.from({ length: 50 }, () => Option.some(file)))
        yield* Deferred.succeed(end, undefined)
        yield* Effect.forEach(holders, Fiber.join)
      })
    )

    it.effect("find: inside a transaction → reads the transaction's own writes", () =>
      Effect.gen(function* () {
        const [sql, files] = [yield* SqlClient, yield* FileRepository]
        const bucket = yield* Fixtures.bucket()
        const file = Sample.file()
        const found = yield* files
          .insert(bucket, file)
          .pipe(Effect.andThen(files.find(bucket, Fixtures.byId(file.id))), sql.withTransaction)
        expect(found).toEqual(Option.some(file))
      })
    )
  })
)
