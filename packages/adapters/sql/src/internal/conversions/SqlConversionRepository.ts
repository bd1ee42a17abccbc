/**
 * The repository of conversions in SQL.
 */
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import { ConversionRepository, type StreamFileRef } from "@holdfast/core/conversions/ConversionRepository"
import { millis } from "../Dialect.ts"
import { inBucket } from "../files/FileRow.ts"
import * as Reads from "../../Reads.ts"
import { record } from "../events/RecordEvent.ts"
import * as Row from "../Row.ts"
import { operation } from "../../SqlFailure.ts"
import { transaction } from "../../Transaction.ts"
import * as ConversionClaims from "./ConversionClaims.ts"
import { conversionEvent } from "./ConversionEvents.ts"
import { completeRemoval, removeConversion } from "./ConversionFiles.ts"
import { columns, toConversion, toMode, toPresentation } from "./ConversionRow.ts"
import { findSegments, findStreamFile } from "./FindStreamFile.ts"
import * as LookupCache from "./LookupCache.ts"
import { claimPoster, completePictures, publishPoster } from "./Posters.ts"
import * as PublishSegments from "./PublishSegments.ts"
import { queueDepth } from "./QueueDepth.ts"
import { replaceDamaged, request } from "./RequestConversion.ts"

/** Files that one statement reads. */
const pageSize = 1000

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const read = yield* Reads.make(sql)
  const poll = yield* Reads.makePolls(sql)
  const claim = ConversionClaims.makeClaim(sql, poll)
  const version = yield* Reads.ReadVersion
  const lookups = version && LookupCache.make(version)

  const findStored = (ref: StreamFileRef) => findStreamFile(read, ref)
  const findKept = (cache: LookupCache.LookupCache, ref: StreamFileRef) =>
    Effect.suspend(() => {
      const found = cache.find(ref)
      if (found !== undefined) return Effect.succeed(found)
      const keep = cache.keeper(ref)
      return Effect.tap(findStored(ref), (lookup) => Effect.sync(() => keep(lookup)))
    })

  /** Lists the segments and the storyboard of a conversion in pages: a conversion has tens of thousands of files. */
  const listFiles = Effect.fnUntraced(function* (conversionId: string) {
    const files: Array<{ readonly name: string; readonly blobId: string | null; readonly text: string | null }> = []
    while (true) {
      const page = yield* sql`SELECT name, blob_id, playlist FROM conversion_file
        WHERE conversion_id = ${conversionId} AND (blob_id IS NOT NULL OR name = ${StreamFiles.storyboard})
          AND name > ${files.at(-1)?.name ?? ""} ORDER BY name LIMIT ${pageSize}`.pipe(
        Row.all((row) => ({
          name: Row.text(row, "name"),
          blobId: Row.orNull(Row.text, row, "blob_id"),
          text: Row.orNull(Row.text, row, "playlist")
        }))
      )
      files.push(...page)
      if (page.length < pageSize) return files
    }
  })

  return ConversionRepository.of({
    request: (conversion) => request(sql, conversion).pipe(operation("conversions.request")),

    listByContent: (bucket, blobId) =>
      read(
        (sql) => sql`SELECT ${sql.literal(columns)} FROM conversion
        WHERE blob_id = ${blobId} AND ${inBucket(sql, bucket)} ORDER BY format`
      ).pipe(Row.all(toConversion), operation("conversions.listByContent")),

    findStreamFile: (ref) =>
      Effect.withFiber(({ context }) =>
        lookups === undefined || Context.getOrUndefined(context, sql.transactionService) !== undefined
          ? findStored(ref)
          : findKept(lookups, ref)
      ).pipe(operation("conversions.findStreamFile")),

    findSegments: (conversionId, names) =>
      findSegments(read, conversionId, names).pipe(operation("conversions.findSegments")),

    remove: ({ blobId, bucket, sweepAt, format }) =>
      Effect.gen(function* () {
        // The update locks the row. A worker that publishes at the same time commits before it, or fails with `LeaseLost`.
        const removed = yield* sql`UPDATE conversion SET attempt = attempt + 1
          WHERE blob_id = ${blobId} AND format = ${format} AND ${inBucket(sql, bucket)} RETURNING id, file_id`.pipe(
          Row.first((row) => ({ conversionId: Row.text(row, "id"), fileId: Row.text(row, "file_id") }))
        )
        if (Option.isNone(removed)) return Option.none()
        const rest = yield* removeConversion(sql, removed.value.conversionId, millis(sweepAt))
        yield* record(sql, conversionEvent("stream.deleted", { ...bucket, ...removed.value, format }))
        return Option.some(rest)
      }).pipe(transaction(sql), Effect.flatMap(completeRemoval), operation("conversions.remove")),

    replaceDamaged: (segment) => replaceDamaged(sql, segment).pipe(operation("conversions.replaceDamaged")),

    claim: (terms) => claim(terms).pipe(operation("conversions.claim")),

    renew: (claim, leaseUntil) => ConversionClaims.renew(sql, claim, leaseUntil).pipe(operation("conversions.renew")),

    stage: (claim, blobs) => PublishSegments.stage(sql, claim, blobs).pipe(operation("conversions.stage")),

    publish: (claim, publication) =>
      PublishSegments.publish(sql, claim, publication).pipe(operation("conversions.publish")),

    append: (claim, addition) => PublishSegments.append(sql, claim, addition).pipe(operation("conversions.append")),

    fail: (claim, failure) => ConversionClaims.fail(sql, claim, failure).pipe(operation("conversions.fail")),

    release: (claim, terms) => ConversionClaims.release(sql, claim, terms).pipe(operation("conversions.release")),

    releaseDash: (claim, terms) =>
      ConversionClaims.releaseDash(sql, claim, terms).pipe(operation("conversions.releaseDash")),

    expireLeases: (now) => ConversionClaims.expireLeases(sql, now).pipe(operation("conversions.expireLeases")),

    queueDepth: (now, limit) => queueDepth(sql, now, limit).pipe(operation("conversions.queueDepth")),

    findCopy: ({ conversionId }) =>
      Effect.gen(function* () {
        const presentation =
          yield* sql`SELECT presentation FROM conversion WHERE id = ${conversionId} AND state = 'READY'`.pipe(
            Row.first((row) => toPresentation(row, "presentation"))
          )
        const playlists = yield* sql`SELECT name, playlist FROM conversion_file
          WHERE conversion_id = ${conversionId} AND playlist IS NOT NULL`.pipe(
          Row.all((row): readonly [string, string] => [Row.text(row, "name"), Row.text(row, "playlist")])
        )
        return Option.map(presentation, (found) => ({ presentation: found, playlists: new Map(playlists) }))
      }).pipe(operation("conversions.findCopy")),

    claimPoster: (terms) => claimPoster(sql, poll, terms).pipe(operation("conversions.claimPoster")),

    completePictures: (conversion) => completePictures(sql, conversion).pipe(operation("conversions.completePictures")),
    publishPoster: (task, poster) => publishPoster(sql, task, poster).pipe(operation("conversions.publishPoster")),

    findReady: (claim) =>
      Effect.gen(function* () {
        const other = yield* sql`SELECT id, mode, presentation FROM conversion
          WHERE blob_id = ${claim.blobId} AND ${inBucket(sql, claim)} AND format <> ${claim.format} AND state = 'READY'`.pipe(
          Row.first((row) => ({
            id: Row.text(row, "id"),
            mode: toMode(row),
            presentation: toPresentation(row, "presentation")
          }))
        )
        if (Option.isNone(other)) return Option.none()
        const { id, mode, presentation } = other.value
        if (presentation.isShared === true) {
          return Option.some({ conversionId: id, mode, presentation, segments: [], storyboard: null })
        }
        const files = yield* listFiles(id)
        const segments = files.flatMap(({ blobId, name }) => (blobId === null ? [] : [{ name, blobId }]))
        const storyboard = files.find(({ text }) => text !== null)?.text ?? null
        // The conversion may have been removed between the statements.
        const isLeft = yield* sql`SELECT 1 AS one FROM conversion WHERE id = ${id} AND state = 'READY'`
        return segments.length === 0 || isLeft.length === 0
          ? Option.none()
          : Option.some({ conversionId: id, mode, presentation, segments, storyboard })
      }).pipe(operation("conversions.findReady"))
  })
})

export const layer: Layer.Layer<ConversionRepository, never, SqlClient> = Layer.effect(ConversionRepository, make)
