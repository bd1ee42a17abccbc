/**
 * Finds one file of a stream.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { NotFound } from "@holdfast/core/Errors"
import { ContentNotUploaded } from "@holdfast/core/files/FileErrors"
import type { StreamFileRef, StreamLookup } from "@holdfast/core/conversions/ConversionRepository"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { bySelector } from "../files/FileRow.ts"
import type { ShortRead } from "../../Reads.ts"
import * as Row from "../Row.ts"
import { toFault, toState } from "./ConversionRow.ts"

/** Condition: the file has this name, or is the index from which a segment of this name may be cut. */
const isNamed = (sql: SqlClient, name: string): Fragment =>
  StreamFiles.parseSegment(name) === undefined
    ? sql`part.name = ${name}`
    : sql`part.name IN (${name}, ${StreamFiles.index})`

const toFound = (row: Row.Row, name: string): StreamLookup["found"] => {
  if (row.playlist !== null) return { _tag: "Playlist", text: Row.text(row, "playlist") }
  if (row.blob_id === null) {
    return name === StreamFiles.poster && row.poster_due !== null ? { _tag: "Pending" } : { _tag: "None" }
  }
  const blob = { blobId: Row.text(row, "blob_id"), size: Row.int(row, "size"), sha256: Row.text(row, "sha256") }
  const damaged = row.damage_kind !== null
  return Row.text(row, "part_name") === StreamFiles.index
    ? { _tag: "Packaged", index: blob, damaged: damaged || row.source_damage !== null }
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
 * of a segment; no presentation has both.
 */
export const findStreamFile = (read: ShortRead, { bucket, format, name, selector }: StreamFileRef) =>
  read(
    (sql) => sql`SELECT source.id AS file_id, source.blob_id AS source_id, conversion.id AS conversion_id,
      conversion.state, conversion.fault_code, conversion.fault_detail, conversion.poster_due, part.name AS part_name, part.blob_id, part.playlist,
      blob.size, blob.sha256, damage.kind AS damage_kind,
      source_damage.kind AS source_damage
    FROM (SELECT id, blob_id FROM file WHERE ${bySelector(sql, bucket, selector)}) AS source
      LEFT JOIN conversion ON conversion.blob_id = source.blob_id AND conversion.format = ${format}
      LEFT JOIN conversion_file AS part ON part.conversion_id = conversion.id AND ${isNamed(sql, name)}
      LEFT JOIN blob ON blob.id = part.blob_id
      LEFT JOIN damage ON damage.blob_id = part.blob_id
      LEFT JOIN damage AS source_damage ON source_damage.blob_id = source.blob_id AND part.name = ${StreamFiles.index}`
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
