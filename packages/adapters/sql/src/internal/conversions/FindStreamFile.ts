/**
 * Finds one file of a stream.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { NotFound } from "@holdfast/core/Errors"
import { ContentNotUploaded } from "@holdfast/core/files/FileErrors"
import type { SharedSegment, StreamFileRef, StreamLookup } from "@holdfast/core/conversions/ConversionRepository"
import * as HevcFiles from "@holdfast/core/transcoding/hevc/HevcFiles"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { bySelector } from "../files/FileRow.ts"
import type { ShortRead } from "../../Reads.ts"
import * as Row from "../Row.ts"
import { toFault, toState } from "./ConversionRow.ts"

/** Condition: the file has this name, or is that from which a segment of this name may be made. */
const isNamed = (sql: SqlClient, name: string): Fragment => {
  const isCut = StreamFiles.parseSegment(name) !== undefined || StreamFiles.parseRung(name) !== undefined
  const index = isCut ? [StreamFiles.index] : []
  const tracks = StreamFiles.parseTransport(name) === undefined ? [] : [StreamFiles.tracks]
  const hevc = HevcFiles.parse(name)
  const made = hevc === undefined ? [] : [hevc.audio === undefined ? HevcFiles.index : StreamFiles.tracks]
  return sql`part.name IN ${sql.in([name, ...index, ...tracks, ...made])}`
}

/**
 * A packaged presentation of an earlier version has both its index and the segments of HLS of its lower renditions: the stored segment is
 * found then.
 */
const storedFirst = (sql: SqlClient, name: string): Fragment =>
  StreamFiles.parseRung(name) === undefined
    ? sql``
    : sql` ORDER BY CASE WHEN part.name = ${name} THEN 0 ELSE 1 END LIMIT 1`

/** Condition: the file is one of the conversion, its own or one that it shares. */
const isOfConversion = (sql: SqlClient): Fragment =>
  sql.literal("part.conversion_id IN (conversion.id, conversion.shares_id)")

const toFound = (row: Row.Row, name: string): StreamLookup["found"] => {
  if (row.playlist !== null) return { _tag: "Playlist", text: Row.text(row, "playlist") }
  if (row.blob_id === null) {
    return name === StreamFiles.poster && row.poster_due !== null ? { _tag: "Pending" } : { _tag: "None" }
  }
  const blob = { blobId: Row.text(row, "blob_id"), size: Row.int(row, "size"), sha256: Row.text(row, "sha256") }
  const damaged = row.damage_kind !== null
  const partName = Row.text(row, "part_name")
  if (partName === StreamFiles.tracks) return { _tag: "Shared", tracks: blob, damaged }
  return partName === StreamFiles.index || partName === HevcFiles.index
    ? { _tag: "Packaged", index: blob, damaged, contentDamaged: row.source_damage !== null }
    : { _tag: "Segment", ...blob, damaged }
}

const toLookup = (row: Row.Row, name: string): StreamLookup | undefined =>
  row.source_id === null
    ? undefined
    : {
        fileId: Row.text(row, "file_id"),
        blobId: Row.text(row, "source_id"),
        conversion:
          row.state === null ? null : { id: Row.text(row, "conversion_id"), state: toState(row), fault: toFault(row) },
        found: toFound(row, name)
      }

/**
 * Finds the row of the file, its conversion and the file of the stream in one statement. A packaged presentation has its index instead
 * of a segment, and an encoded one that is shared its tracks instead of a segment of HLS; no segment has both.
 */
export const findStreamFile = (read: ShortRead, { bucket, format, name, selector }: StreamFileRef) =>
  read(
    (sql) => sql`SELECT source.id AS file_id, source.blob_id AS source_id, conversion.id AS conversion_id,
      conversion.state, conversion.fault_code, conversion.fault_detail,
      COALESCE(conversion.poster_due, (SELECT owner.poster_due FROM conversion AS owner WHERE owner.id = conversion.shares_id)) AS poster_due,
      part.name AS part_name, part.blob_id, part.playlist,
      blob.size, blob.sha256, damage.kind AS damage_kind,
      source_damage.kind AS source_damage
    FROM (SELECT id, blob_id FROM file WHERE ${bySelector(sql, bucket, selector)}) AS source
      LEFT JOIN conversion ON conversion.blob_id = source.blob_id AND conversion.format = ${format}
      LEFT JOIN conversion_file AS part ON ${isOfConversion(sql)} AND ${isNamed(sql, name)}
      LEFT JOIN blob ON blob.id = part.blob_id
      LEFT JOIN damage ON damage.blob_id = part.blob_id
      LEFT JOIN damage AS source_damage ON source_damage.blob_id = source.blob_id AND part.name IN ${sql.in([StreamFiles.index, HevcFiles.index])}${storedFirst(sql, name)}`
  ).pipe(
    Row.first((row) => toLookup(row, name)),
    Effect.flatMap(
      Effect.fnUntraced(function* (row) {
        if (Option.isNone(row)) return yield* new NotFound({ resource: "file" })
        if (row.value === undefined) return yield* new ContentNotUploaded()
        return row.value
      })
    )
  )

const toSegment = (row: Row.Row): SharedSegment => ({
  name: Row.text(row, "name"),
  blobId: Row.text(row, "blob_id"),
  size: Row.int(row, "size"),
  sha256: Row.text(row, "sha256"),
  damaged: row.damage_kind !== null
})

/** Finds segments of a conversion by their names. */
export const findSegments = (read: ShortRead, conversionId: string, names: ReadonlyArray<string>) =>
  read(
    (sql) => sql`SELECT part.name, part.blob_id, blob.size, blob.sha256, damage.kind AS damage_kind
    FROM conversion JOIN conversion_file AS part ON ${isOfConversion(sql)} AND part.name IN ${sql.in(names)}
      JOIN blob ON blob.id = part.blob_id
      LEFT JOIN damage ON damage.blob_id = part.blob_id
    WHERE conversion.id = ${conversionId}`
  ).pipe(Row.all(toSegment))
