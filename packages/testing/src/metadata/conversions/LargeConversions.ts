/**
 * Tests of conversions with more files than one transaction may remove: whatever removes them does so in several transactions, and
 * leaves nothing.
 */
import { describe, expect, it, vi } from "@effect/vitest"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { Metadata } from "@holdfast/core/Holdfast"
import type { ConversionClaim } from "@holdfast/core/conversions/ConversionClaim"
import { ConversionRepository, type PosterTask } from "@holdfast/core/conversions/ConversionRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import { UsageRepository } from "@holdfast/core/usage/UsageRepository"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import * as Fixtures from "../Fixtures.ts"
import * as Sample from "../Sample.ts"
import * as ConversionFixtures from "./internal/ConversionFixtures.ts"

const { claimAt, claimed, claimNext, publish, sweepAt } = ConversionFixtures

/** Rows that one statement may remove. */
const bound = 500

const count = 2 * bound + 100

/** Lets statements fail on PostgreSQL that remove more rows than the bound. SQLite runs the same statements. */
const limitStatements = Effect.flatMap(SqlClient, (sql) =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.andThen(
        sql.unsafe(`CREATE OR REPLACE FUNCTION too_many_files() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF (SELECT COUNT(*) FROM gone) > ${bound} THEN RAISE EXCEPTION 'one statement removes too many files'; END IF;
          RETURN NULL;
        END $$`),
        sql.unsafe(`CREATE OR REPLACE TRIGGER too_many_files AFTER DELETE ON conversion_file
          REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION too_many_files()`)
      ),
    orElse: () => Effect.void
  })
)

const namesOf = (directory: string) => Array.from({ length: count }, (_, index) => `${directory}index${index}.ts`)

/** Claims a conversion and publishes the segments. */
const large = Effect.fnUntraced(function* (fields: Parameters<typeof publish>[2] = {}) {
  yield* limitStatements
  const made = yield* claimed()
  const segments = yield* publish(made.claim, namesOf(""), fields)
  return { ...made, segments }
})

const ready = (ladderDueAt?: number) =>
  large({
    isFinished: true,
    progress: 1,
    ...(ladderDueAt === undefined ? {} : { ladderDueAt: Sample.at(ladderDueAt) })
  })

/** Returns the number of files that a conversion has. */
const filesOf = ({ conversionId }: Pick<ConversionClaim, "conversionId">) =>
  Effect.flatMap(SqlClient, (sql) => sql`SELECT name FROM conversion_file WHERE conversion_id = ${conversionId}`).pipe(
    Effect.map((rows) => rows.length)
  )

/** Returns the states of the blobs of segments, each once. */
const statesOf = Effect.fnUntraced(function* (segments: ReadonlyArray<{ readonly blobId: string }>) {
  const sql = yield* SqlClient
  const rows = yield* sql<{ readonly id: string; readonly state: string }>`SELECT id, state FROM blob`
  const states = new Map(rows.map(({ id, state }) => [id, state]))
  return [...new Set(segments.map(({ blobId }) => states.get(blobId)))]
})

const streamBytesOf = ({ bucketId, tenantId }: { readonly bucketId: string; readonly tenantId: string }) =>
  Effect.flatMap(UsageRepository, (usage) => usage.ofBucket({ tenantId, bucketId })).pipe(
    Effect.map(({ streamBytes }) => streamBytes)
  )

const failure = { fault: { code: "internal", detail: "" }, now: Sample.at(200), sweepAt } as const

/** A segment that a later transaction of a removal reaches: the last one by its name, and one of the last that were made. */
const last = "index999.ts"

/**
 * Runs an effect while a transaction fails that removes the last segment of a conversion, or gives it to another one. The transactions
 * before it are what a process leaves that dies there.
 */
const untilLast = Effect.fnUntraced(function* <A, E, R>(self: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient
  const run = (statements: ReadonlyArray<string>) =>
    Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
  const events = ["DELETE", "UPDATE"]
  yield* run(
    sql.onDialectOrElse({
      pg: () => [
        "CREATE FUNCTION keep_last() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'kept'; END $$",
        `CREATE TRIGGER keep_last BEFORE DELETE OR UPDATE ON conversion_file FOR EACH ROW
          WHEN (OLD.name = '${last}') EXECUTE FUNCTION keep_last()`
      ],
      orElse: () =>
        events.map(
          (event) => `CREATE TRIGGER keep_last_${event} BEFORE ${event} ON conversion_file WHEN OLD.name = '${last}'
            BEGIN SELECT RAISE(ABORT, 'kept'); END`
        )
    })
  )
  const result = yield* self
  yield* run(
    sql.onDialectOrElse({
      pg: () => ["DROP TRIGGER keep_last ON conversion_file", "DROP FUNCTION keep_last()"],
      orElse: () => events.map((event) => `DROP TRIGGER keep_last_${event}`)
    })
  )
  return result
})

/** Sweeps what is DOOMED in a bucket. */
const sweep = Effect.fnUntraced(function* (bucket: BucketRef) {
  const doomed = (yield* Fixtures.blobsOf(bucket)).filter(({ state }) => state === "DOOMED")
  yield* (yield* BlobRepository).forget(doomed.map(({ blobId }) => blobId))
  return doomed.length
})

/**
 * Makes both formats READY with the same files, and removes the one that has them. The process ends before the other one has inherited
 * all of them.
 */
const halfInherited = Effect.fnUntraced(function* () {
  const conversions = yield* ConversionRepository
  yield* limitStatements
  const made = yield* claimed()
  const names = [...namesOf(""), "poster.jpg", "tracks.json"]
  const presentation = ConversionFixtures.sharedPresentation("hls")
  const finished = { isFinished: true, progress: 1, presentation, picturesDueAt: Sample.at(50_000) }
  const segments = yield* publish(made.claim, names, finished)
  yield* ConversionFixtures.request(made, "dash")
  const heir = yield* claimNext()
  yield* ConversionFixtures.share(heir, made.claim.conversionId)
  const streamBytes = yield* streamBytesOf(made.bucket)
  const removal = { bucket: made.bucket, blobId: made.source.blobId, sweepAt }
  expect(yield* untilLast(conversions.remove({ ...removal, format: "hls" }))).toBe(true)
  expect(yield* filesOf(made.claim)).toBeGreaterThan(0)
  expect(yield* filesOf(heir)).toBeGreaterThan(0)
  return { ...made, heir, names, segments, streamBytes, removal }
})

/** What ends a claim, or begins another one. */
const ends: Readonly<
  Record<string, (claim: ConversionClaim) => Effect.Effect<unknown, unknown, ConversionRepository>>
> = {
  fail: (claim) => Effect.flatMap(ConversionRepository, (conversions) => conversions.fail(claim, failure)),
  release: (claim) =>
    Effect.flatMap(ConversionRepository, (conversions) =>
      conversions.release(claim, { retryAt: Sample.at(300), countAttempt: true, sweepAt })
    ),
  "another claim": () => claimAt(40_001, 50_000, true)
}

/** Registers the tests with vitest. */
export const suite = <E>(name: string, metadata: Layer.Layer<Metadata | SqlClient, E>): void => {
  vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
  describe(name, () =>
    it.layer(Layer.orDie(metadata), { excludeTestServices: true, timeout: "1 minute" })((it) => {
      it.effect.each(Object.entries(ends))("conversion with many segments: %s → no file is left", ([, end]) =>
        Effect.gen(function* () {
          const { bucket, claim, segments } = yield* large()
          expect(yield* filesOf(claim)).toBe(count + 1)
          yield* end(claim)
          expect(yield* filesOf(claim)).toBe(0)
          expect(yield* statesOf(segments)).toEqual(["DOOMED"])
          expect(yield* streamBytesOf(bucket)).toBe(0)
        })
      )

      it.effect.each(Object.entries(ends))(
        "ladder with many segments: %s → the files of the copy are left",
        ([, end]) =>
          Effect.gen(function* () {
            const { claim, segments } = yield* ready(5000)
            const ladder = Option.getOrThrow(yield* claimAt(5000, 30_000, true))
            expect(ladder).toMatchObject({ isLadder: true, conversionId: claim.conversionId })
            const rungs = yield* publish(ladder, namesOf("360p/"), { playlists: [] })
            yield* end(ladder)
            expect(yield* filesOf(claim)).toBe(count + 1)
            expect(yield* statesOf(segments)).toEqual(["READY"])
            expect(yield* statesOf(rungs)).toEqual(["DOOMED"])
          })
      )

      it.effect("remove: many segments → nothing is left, and another conversion can be requested", () =>
        Effect.gen(function* () {
          const conversions = yield* ConversionRepository
          const { bucket, claim, segments, source } = yield* ready()
          const removal = { bucket, blobId: source.blobId, format: "hls", sweepAt } as const
          expect(yield* conversions.remove(removal)).toBe(true)
          expect(yield* conversions.remove(removal)).toBe(false)
          expect(yield* conversions.listByContent(bucket, source.blobId)).toEqual([])
          expect(yield* filesOf(claim)).toBe(0)
          expect(yield* statesOf(segments)).toEqual(["DOOMED"])
          expect(yield* streamBytesOf(bucket)).toBe(0)
          const left = (yield* Fixtures.blobsOf(bucket)).filter(({ state }) => state === "DOOMED")
          expect(left).toHaveLength(count)
          yield* ConversionFixtures.request({ bucket, source })
          expect(yield* claimNext()).toMatchObject({ blobId: source.blobId })
        })
      )

      it.effect(
        "remove: process ends after the first transaction → no lookup finds it, and the sweep removes the rest",
        () =>
          Effect.gen(function* () {
            const [conversions, blobs] = [yield* ConversionRepository, yield* BlobRepository]
            const { bucket, claim, file, source } = yield* ready(5000)
            const removal = { bucket, blobId: source.blobId, format: "hls", sweepAt } as const
            expect(yield* untilLast(conversions.remove(removal))).toBe(true)
            const left = yield* filesOf(claim)
            expect(left).toBeGreaterThan(0)
            expect(left).toBeLessThan(count)
            expect(yield* conversions.listByContent(bucket, source.blobId)).toEqual([])
            const ref = { bucket, selector: Fixtures.byId(file.id), format: "hls", name: last } as const
            expect(yield* conversions.findStreamFile(ref)).toMatchObject({ conversion: null, found: { _tag: "None" } })
            expect(yield* claimAt(5000, 30_000, true)).toEqual(Option.none())
            const due = yield* blobs.listDue({ now: sweepAt, limit: 10_000 })
            yield* blobs.forget(due.filter(({ bucketId }) => bucketId === bucket.bucketId).map(({ blobId }) => blobId))
            expect(yield* filesOf(claim)).toBe(0)
            expect(yield* statesOf([{ blobId: source.blobId }])).toEqual(["READY"])
            expect(yield* streamBytesOf(bucket)).toBe(0)
          })
      )

      it.effect(
        "remove: process ends while the other format inherits → that one has all files, and the sweep gives it the rest",
        () =>
          Effect.gen(function* () {
            const conversions = yield* ConversionRepository
            const { bucket, claim, heir, names, removal, segments, source, streamBytes } = yield* halfInherited()
            expect(yield* conversions.listByContent(bucket, source.blobId)).toMatchObject([{ id: heir.conversionId }])
            expect(yield* conversions.findSegments(heir.conversionId, names)).toHaveLength(names.length)
            expect(yield* claimAt(5000, 30_000, true)).toEqual(Option.none())
            expect(yield* streamBytesOf(bucket)).toBe(streamBytes)

            expect(yield* sweep(bucket)).toBe(1)
            expect([yield* filesOf(claim), yield* filesOf(heir)]).toEqual([0, names.length + 1])
            expect(yield* sweep(bucket)).toBe(0)
            expect(yield* statesOf(segments)).toEqual(["READY"])
            expect(yield* streamBytesOf(bucket)).toBe(streamBytes)

            expect(yield* conversions.remove({ ...removal, format: "dash" })).toBe(true)
            expect(yield* sweep(bucket)).toBe(names.length)
            expect(yield* Fixtures.blobsOf(bucket)).toMatchObject([{ blobId: source.blobId, state: "READY" }])
            expect(yield* streamBytesOf(bucket)).toBe(0)
          })
      )

      it.effect(
        "remove: process ends while the other format inherits, which is removed, too → the sweep removes everything",
        () =>
          Effect.gen(function* () {
            const conversions = yield* ConversionRepository
            const { bucket, names, removal, source } = yield* halfInherited()
            expect(yield* conversions.remove({ ...removal, format: "dash" })).toBe(true)
            expect(yield* conversions.listByContent(bucket, source.blobId)).toEqual([])
            // The segments that the other format had inherited, and the record of the removal with the rest.
            const [first, second] = [yield* sweep(bucket), yield* sweep(bucket)]
            expect(first + second).toBe(names.length + 1)
            expect(yield* Fixtures.blobsOf(bucket)).toMatchObject([{ blobId: source.blobId, state: "READY" }])
            expect(yield* streamBytesOf(bucket)).toBe(0)
          })
      )

      it.effect(
        "remove: process ends while the other format inherits, the removed one is requested again → it shares all files",
        () =>
          Effect.gen(function* () {
            const conversions = yield* ConversionRepository
            const { bucket, claim, heir, names, removal, segments, source, streamBytes } = yield* halfInherited()
            yield* ConversionFixtures.request({ bucket, source })
            const again = yield* claimNext()
            yield* ConversionFixtures.share(again, heir.conversionId)
            expect([yield* filesOf(claim), yield* filesOf(heir)]).toEqual([0, names.length + 1])
            expect(yield* conversions.remove({ ...removal, format: "dash" })).toBe(true)
            expect(yield* conversions.findSegments(again.conversionId, names)).toHaveLength(names.length)
            expect(yield* sweep(bucket)).toBe(1)
            expect(yield* filesOf(again)).toBe(names.length + 1)
            expect(yield* statesOf(segments)).toEqual(["READY"])
            expect(yield* streamBytesOf(bucket)).toBe(streamBytes)
          })
      )

      it.effect(
        "claimPoster: process ended while the format inherited → its poster is found, and none is made beside it",
        () =>
          Effect.gen(function* () {
            const conversions = yield* ConversionRepository
            const { bucket, claim, heir, names } = yield* halfInherited()
            const terms = { now: Sample.at(50_000), leaseUntil: Sample.at(60_000) }
            const tasks: Array<PosterTask> = []
            while (tasks.at(-1)?.conversionId !== heir.conversionId) {
              tasks.push(Option.getOrThrow(yield* conversions.claimPoster(terms)))
            }
            expect(tasks.at(-1)).toMatchObject({ hasPoster: true, hasStoryboard: false })
            yield* sweep(bucket)
            expect([yield* filesOf(claim), yield* filesOf(heir)]).toEqual([0, names.length + 1])
          })
      )

      it.effect("replaceDamaged: many segments → the old ones are gone, the new conversion is QUEUED", () =>
        Effect.gen(function* () {
          const conversions = yield* ConversionRepository
          const { bucket, claim, segments, source } = yield* ready()
          const [damaged] = segments
          const id = Sample.id("cnv")
          const replacing = { blobId: damaged?.blobId ?? "", id, sharerId: Sample.id("cnv"), now: Sample.at(), sweepAt }
          expect(yield* conversions.replaceDamaged(replacing)).toBe(true)
          expect(yield* conversions.listByContent(bucket, source.blobId)).toMatchObject([{ id, state: "QUEUED" }])
          expect(yield* filesOf(claim)).toBe(0)
          expect(yield* statesOf(segments)).toEqual(["DOOMED"])
        })
      )

      it.effect("forget: content whose conversion has many segments → no file is left", () =>
        Effect.gen(function* () {
          const blobs = yield* BlobRepository
          const { bucket, claim, file, segments, source } = yield* ready()
          yield* ConversionFixtures.replaceContent(bucket, file.id)
          yield* blobs.forget([source.blobId])
          expect(yield* filesOf(claim)).toBe(0)
          expect(yield* statesOf(segments)).toEqual(["DOOMED"])
          expect(yield* streamBytesOf(bucket)).toBe(0)
        })
      )

      it.effect("findReady: many segments → all of them, with the storyboard", () =>
        Effect.gen(function* () {
          const conversions = yield* ConversionRepository
          const made = yield* ready()
          const playlists = [{ name: "storyboard.vtt", text: "WEBVTT" }]
          yield* conversions.append(made.claim, { segments: [], playlists })
          yield* ConversionFixtures.request(made, "dash")
          const found = Option.getOrThrow(yield* conversions.findReady(yield* claimNext()))
          expect(new Set(found.segments.map(({ name }) => name))).toEqual(new Set(namesOf("")))
          expect(found.segments).toHaveLength(count)
          expect(found.storyboard).toBe("WEBVTT")
        })
      )
    })
  )
}
