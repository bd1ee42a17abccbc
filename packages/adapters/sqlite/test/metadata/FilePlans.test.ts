import { expect, layer } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as Statements from "@holdfast/testing/metadata/Statements"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as SqliteMetadata from "../../src/SqliteMetadata.ts"

/** Returns how a recorded effect reads the tables of files and blobs. */
const plansOf = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const recorded = yield* Statements.record(self)
    const plans = yield* Effect.forEach(recorded, ([text, parameters]) =>
      sql.unsafe<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, parameters)
    )
    return plans.flat().flatMap(({ detail }) => (/^(SEARCH|SCAN) (file|blob)\b/.test(detail) ? [detail] : []))
  })

/** A search for one row of the table. */
const searchOfOneRow =
  /^SEARCH (file|blob) USING (COVERING )?INDEX (\w+ \(id=\?\)|file_place \(bucket_id=\? AND path=\? AND name=\?\))$/

layer(SqliteMetadata.layer({ file: ":memory:" }))("query plans of files", (it) => {
  it.effect("move and removeMany → each file is found by its id or its place, never by reading the bucket", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const stored = yield* Effect.forEach(["a", "b", "c", "d"], (name) => Fixtures.store(bucket, { path: "/", name }))
      const set = { bucket, fileIds: stored.map(({ id }) => id), sweepAt: Sample.at() }
      const conflict = { onConflict: "replace", suffix: "x" } as const
      const steps = [
        ...(yield* plansOf(files.move({ ...set, to: { path: "/to/" }, conflict, at: Sample.at() }))),
        ...(yield* plansOf(files.move({ ...set, folder: "/to/", to: { path: "/on/" }, conflict, at: Sample.at() }))),
        ...(yield* plansOf(files.removeMany({ ...set, folder: "/on/" })))
      ]
      expect(steps.length).toBeGreaterThan(6)
      expect(steps.filter((step) => !searchOfOneRow.test(step))).toEqual([])
    })
  )
})
