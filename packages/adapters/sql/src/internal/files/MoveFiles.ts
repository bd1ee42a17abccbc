/**
 * Moves files to other places of their bucket.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { NotFound, PreconditionFailed } from "@holdfast/core/Errors"
import { FileExists } from "@holdfast/core/files/FileErrors"
import * as FileName from "@holdfast/core/files/FileName"
import type { Place } from "@holdfast/core/files/FileRef"
import type { Conflict, FileMove, MovedFile } from "@holdfast/core/files/FileRepository"
import * as Precondition from "@holdfast/core/files/Precondition"
import type * as DateTime from "effect/DateTime"
import * as Constraint from "../Constraint.ts"
import { millis, tableOf } from "../Dialect.ts"
import { recordAll } from "../events/RecordEvent.ts"
import * as Row from "../Row.ts"
import { transaction } from "../../Transaction.ts"
import { fileEvent } from "./FileEvents.ts"
import { inBucket } from "./FileRow.ts"
import { inParts, lockFiles, type PlacedFile, placedColumns, toPlaced } from "./FileSets.ts"
import { deleteRows } from "./RemoveFiles.ts"

interface PlacedId extends Place {
  readonly id: string
}

/** A locked file, and the place that it is to have. */
interface PlannedMove {
  readonly file: PlacedFile
  readonly to: Place
}

/** Locked files of one bucket, and how they are moved. */
interface PlannedMoves {
  readonly bucket: BucketRef
  readonly moves: ReadonlyArray<PlannedMove>
  readonly conflict: Conflict
  /** Whether a file at the place of another one is to be moved too, so that `replace` must not remove it. */
  readonly isToBeMoved: (file: PlacedId) => boolean
  readonly at: DateTime.Utc
  readonly sweepAt: DateTime.Utc
}

/** A path ends with a slash and a name has none, so that the text is of one place only. */
const textOf = ({ name, path }: Place): string => path + name

/** Locks the files at these places. */
const lockPlaces = (sql: SqlClient, bucket: BucketRef, places: ReadonlyArray<Place>) => {
  const rows = places.map(({ name, path }) => ({ at_path: path, at_name: name }))
  // The order of the tables and the name of the index keep SQLite, which has no statistics, from reading all files.
  const file = sql.literal(sql.onDialectOrElse({ pg: () => "file", orElse: () => "file INDEXED BY file_place" }))
  return sql`SELECT ${sql.literal(placedColumns)}
    FROM ${tableOf(sql, { name: "place", columns: ["at_path", "at_name"], rows })} CROSS JOIN ${file}
    WHERE ${inBucket(sql, bucket)} AND path = at_path AND name = at_name
    ${sql.literal(sql.onDialectOrElse({ pg: () => "FOR UPDATE OF file", orElse: () => "" }))}`.pipe(Row.all(toPlaced))
}

/** Whether the marker of a folder is removed instead of moved: the root has none, and another folder keeps its own. */
const isRedundant = ({ conflict, isToBeMoved }: PlannedMoves, to: Place, occupant: PlacedId | undefined): boolean =>
  to.name === "" &&
  (to.path === "/" ||
    (occupant !== undefined &&
      (conflict.onConflict === "rename" || (conflict.onConflict === "fail" && !isToBeMoved(occupant)))))

/** Decides the places of the files, and which files are removed. Fails with `FileExists` where that is not possible. */
const resolve = Effect.fnUntraced(function* (planned: PlannedMoves, existing: ReadonlyArray<PlacedFile>) {
  const { conflict, isToBeMoved, moves } = planned
  const { replaceable } = conflict
  const mayReplace = ({ id }: PlacedFile) => replaceable === undefined || replaceable.has(id)
  const occupied = new Map<string, PlacedId>(existing.map((file) => [textOf(file), file]))
  const existingById = new Map(existing.map((file) => [file.id, file]))
  const removed: Array<PlacedFile> = []
  const resolved: Array<PlannedMove> = []
  let renamed = 0
  for (const { file, to } of moves) {
    const occupant = occupied.get(textOf(to))
    if (isRedundant(planned, to, occupant)) {
      removed.push(file)
      continue
    }
    let place = to
    if (occupant !== undefined) {
      const other = existingById.get(occupant.id)
      if (conflict.onConflict === "rename") {
        const number = renamed++ === 0 ? "" : String(renamed)
        place = { path: to.path, name: FileName.withSuffix(to.name, conflict.suffix + number) }
      } else if (
        conflict.onConflict === "replace" &&
        other !== undefined &&
        mayReplace(other) &&
        !isToBeMoved(occupant)
      ) {
        removed.push(other)
      } else {
        return yield* new FileExists({
          existingId: occupant.id,
          fileId: moves.length === 1 ? undefined : file.id
        })
      }
    }
    occupied.set(textOf(place), { ...place, id: file.id })
    resolved.push({ file, to: place })
  }
  return { removed, resolved }
})

const changeRows = (sql: SqlClient, bucket: BucketRef, moves: ReadonlyArray<PlannedMove>, at: DateTime.Utc) =>
  inParts(moves, (part) =>
    Effect.gen(function* () {
      const columns = ["file_id", "to_path", "to_name"] as const
      const rows = part.map(({ file, to }) => ({ file_id: file.id, to_path: to.path, to_name: to.name }))
      yield* sql`UPDATE file SET path = to_path, name = to_name, updated_at = ${millis(at)}
        FROM ${tableOf(sql, { name: "moved", columns, rows })} WHERE file.id = file_id`
      const events = part.map(({ file, to }) =>
        fileEvent(
          bucket,
          "file.updated",
          { ...to, id: file.id },
          {
            fields: [...(to.path === file.path ? [] : ["path"]), ...(to.name === file.name ? [] : ["name"])],
            from: textOf(file)
          }
        )
      )
      yield* recordAll(sql, bucket, events)
    })
  )

/** Moves locked files, in a transaction. Returns their new places. */
export const moveLocked = Effect.fnUntraced(function* (sql: SqlClient, planned: PlannedMoves) {
  const { at, bucket, moves, sweepAt } = planned
  const existing = yield* lockPlaces(
    sql,
    bucket,
    moves.map(({ to }) => to)
  )
  const { removed, resolved } = yield* resolve(planned, existing)
  yield* deleteRows(sql, { bucket, files: removed, sweepAt })
  yield* changeRows(sql, bucket, resolved, at)
  return resolved.map(({ file, to }): MovedFile => ({ id: file.id, path: to.path, name: to.name }))
})

/** Attempts of a move whose new place another transaction takes meanwhile. */
const maxAttempts = 5

/** Runs a move in a transaction, and again when a file appears at a new place meanwhile: the next attempt resolves the conflict. */
export const movingTransaction =
  (sql: SqlClient) =>
  <A, E, R>(move: Effect.Effect<A, E, R>) =>
    Effect.retry(transaction(sql)(move), {
      while: Constraint.isViolationOf(Constraint.filePlace),
      times: maxAttempts - 1
    })

/** Moves the files of a set. */
export const moveFiles = (sql: SqlClient, move: FileMove) =>
  Effect.gen(function* () {
    const { condition = {}, to } = move
    const files = yield* lockFiles(sql, move, "FOR NO KEY UPDATE")
    // The place of a marker is that of its folder: it moves with the folder only.
    const markers = files.filter(({ name }) => name === "").map(({ id }) => id)
    if (markers.length > 0) return yield* NotFound.ofFiles(markers, move.fileIds)
    if (!files.every(({ etag }) => Precondition.holds(condition, etag === null ? null : { etag }))) {
      return yield* new PreconditionFailed()
    }
    const places = files.map((file) => ({ file, to: { path: to.path ?? file.path, name: to.name ?? file.name } }))
    const moves = places.filter(({ file, to }) => textOf(file) !== textOf(to))
    const ids = new Set(move.fileIds)
    const moved = yield* moveLocked(sql, { ...move, moves, isToBeMoved: ({ id }) => ids.has(id) })
    const byId = new Map(moved.map((file) => [file.id, file]))
    return places.map(({ file, to }): MovedFile => byId.get(file.id) ?? { id: file.id, path: to.path, name: to.name })
  }).pipe(movingTransaction(sql))
