/**
 * The check of the migration `mirror_times`, for the tests of both databases.
 */
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

/**
 * Runs the migrations before `mirror_times` on an empty database, inserts objects with the former tags, runs `mirror_times`,
 * and expects that the times are in their own column.
 */
export const check = <E, R, E2, R2>(
  former: Effect.Effect<unknown, E, R>,
  mirrorTimes: Effect.Effect<unknown, E2, R2>
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* former
    // More rows than one batch has.
    yield* sql`WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 4500)
      INSERT INTO mirror_object (mirror_id, name, file_id, tag) SELECT 'l', 'n' || i, 'f', 't@' || i FROM s`
    yield* sql`INSERT INTO mirror_object (mirror_id, name, file_id, tag)
      VALUES ('m', 'a', 'f', 'e-3@1795283272'), ('m', 'b', 'f', 'e@'), ('m', 'c', 'f', '0x8'), ('m', 'd', 'f', NULL)`
    yield* mirrorTimes
    const left = sql`SELECT name FROM mirror_object
      WHERE mirror_id = 'l' AND (tag <> 't' OR 'n' || last_modified <> name OR last_modified IS NULL)`
    expect(yield* left).toEqual([])
    const rows = sql`SELECT tag, last_modified FROM mirror_object WHERE mirror_id = 'm' ORDER BY name`
    expect((yield* rows.values).map(([tag, time]) => [tag, time === null ? null : Number(time)])).toEqual([
      ["e-3", 1795283272],
      ["e", null],
      ["0x8", null],
      [null, null]
    ])
  })
