/**
 * The ScrubRepository in SQL.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import { type ScrubClaim, ScrubRepository } from "@holdfast/core/integrity/ScrubRepository"
import { millis } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { operation } from "../../SqlFailure.ts"
import { transaction } from "../../Transaction.ts"

const toClaim: Row.FromRow<ScrubClaim> = (row) => ({
  name: Row.text(row, "name"),
  lease: Row.text(row, "lease"),
  position: Row.text(row, "position"),
  startedAt: Row.instant(row, "started_at"),
  totals: { blobs: Row.int(row, "blobs"), bytes: Row.int(row, "bytes"), damaged: Row.int(row, "damaged") }
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient

  return ScrubRepository.of({
    claim: ({ lease, leaseUntil, name, now, restart, restartBefore }) => {
      // No right clock gives these times: without the comparison no scrub would begin for as long as the clock was ahead.
      const latest = DateTime.addDuration(leaseUntil, DateTime.distance(now, leaseUntil))
      const isFree = sql`name = ${name} AND (lease IS NULL OR lease_until <= ${millis(now)}
        OR lease_until > ${millis(latest)})`
      const isOver = sql`finished_at IS NOT NULL AND (started_at < ${millis(restartBefore)}
        OR started_at > ${millis(latest)})`
      const begins = restart ? sql`1 = 1` : isOver
      return Effect.gen(function* () {
        yield* sql`INSERT INTO scrub (name, position, started_at, blobs, bytes, damaged, lease_until)
          VALUES (${name}, '', ${millis(now)}, 0, 0, 0, 0) ON CONFLICT (name) DO NOTHING`
        yield* sql`UPDATE scrub SET position = '', started_at = ${millis(now)}, finished_at = NULL, blobs = 0, bytes = 0,
          damaged = 0 WHERE ${isFree} AND ${begins}`
        return yield* sql`UPDATE scrub SET lease = ${lease}, lease_until = ${millis(leaseUntil)}
          WHERE ${isFree} AND finished_at IS NULL
          RETURNING name, lease, position, started_at, blobs, bytes, damaged`.pipe(Row.first(toClaim))
      }).pipe(
        transaction(sql),
        (claiming) =>
          // Selects before it writes: mostly no scrub is due, and a write on SQLite blocks all writers.
          Effect.flatMap(
            sql`SELECT name FROM scrub WHERE name = ${name} AND NOT (${isFree} AND (finished_at IS NULL OR ${begins}))`,
            (rows) => (rows.length > 0 ? Effect.succeed(Option.none<ScrubClaim>()) : claiming)
          ),
        operation("scrubs.claim")
      )
    },

    save: ({ added, claim, leaseUntil, position }) =>
      sql`UPDATE scrub SET position = ${position}, lease_until = ${millis(leaseUntil)}, blobs = blobs + ${added.blobs},
          bytes = bytes + ${added.bytes}, damaged = damaged + ${added.damaged}
        WHERE name = ${claim.name} AND lease = ${claim.lease} RETURNING name`.pipe(
        Effect.map((rows) => rows.length > 0),
        operation("scrubs.save")
      ),

    release: ({ lease, name }, finishedAt) =>
      sql`UPDATE scrub SET lease = NULL, finished_at = ${finishedAt === null ? null : millis(finishedAt)}
        WHERE name = ${name} AND lease = ${lease}`.pipe(Effect.asVoid, operation("scrubs.release"))
  })
})

export const layer: Layer.Layer<ScrubRepository, never, SqlClient> = Layer.effect(ScrubRepository, make)
