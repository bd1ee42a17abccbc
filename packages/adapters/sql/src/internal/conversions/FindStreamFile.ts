/**
 * Finds one file of a stream.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { NotFound } from "@holdfast/core/Errors"
import { ContentNotUploaded } from "@holdfast/core/files/FileErrors"
import type { StreamFileRef, StreamLookup } from "@holdfast/core/conversions/ConversionRepository"
import { bySelector } from "../files/FileRow.ts"
import type { ShortRead } from "../../Reads.ts"
import * as Row from "../Row.ts"
import { toFault, toState } from "./ConversionRow.ts"

const toFound = (row: Row.Row): StreamLookup["found"] => {
  if (row.playlist !== null) return { _tag: "Playlist", text: Row.text(row, "playlist") }
  if (row.blob_id === null) return { _tag: "None" }
  return {
    _tag: "Segment",
    blobId: Row.text(row, "blob_id"),
    size: Row.int(row, "size"),
    sha256: Row.text(row, "sha256"),
    damaged: row.damage_kind !== null
  }
}

const toLookup = (row: Row.Row) => ({
  hasContent: row.source_id !== null,
  lookup: {
    fileId: Row.text(row, "file_id"),
    conversion:
      row.state === null ? null : { id: Row.text(row, "conversion_id"), state: toState(row), fault: toFault(row) },
    found: toFound(row)
  } satisfies StreamLookup
})

/** Finds the row of the file, its conversion and the file of the stream in one statement. */
export const findStreamFile = (read: ShortRead, { bucket, format, name, selector }: StreamFileRef) =>
  read(
    (sql) => sql`SELECT source.id AS file_id, source.blob_id AS source_id, conversion.id AS conversion_id,
      conversion.state, conversion.fault_code, conversion.fault_detail, part.blob_id, part.playlist,
      blob.size, blob.sha256, damage.kind AS damage_kind
    FROM (SELECT id, blob_id FROM file WHERE ${bySelector(sql, bucket, selector)}) AS source
      LEFT JOIN conversion ON conversion.blob_id = source.blob_id AND conversion.format = ${format}
      LEFT JOIN conversion_file AS part ON part.conversion_id = conversion.id AND part.name = ${name}
      LEFT JOIN blob ON blob.id = part.blob_id
      LEFT JOIN damage ON damage.blob_id = part.blob_id`
  ).pipe(
    Row.first(toLookup),
    Effect.flatMap(
      Effect.fnUntraced(function* (row) {
        if (Option.isNone(row)) return yield* new NotFound({ resource: "file" })
        if (!row.value.hasContent) return yield* new ContentNotUploaded()
        return row.value.lookup
      })
    )
  )
