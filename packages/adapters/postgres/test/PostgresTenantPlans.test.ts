/**
 * What statements on the rows of one tenant read beside those of many others, whose rows are older: an id has the time of its row.
 */
import { expect, layer, vi } from "@effect/vitest"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import { MemberRepository } from "@holdfast/core/members/MemberRepository"
import { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
import { TokenRepository } from "@holdfast/core/tokens/TokenRepository"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as Statements from "@holdfast/testing/metadata/Statements"
import { requires } from "@holdfast/testing/Requires"
import * as Server from "@holdfast/testing/servers/Postgres"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Plans from "./support/Plans.ts"
import * as Store from "./support/Store.ts"

// Starting a server takes longer on a busy machine than vitest's default timeout.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

/** Other tenants, and the rows of each kind that all of them have together; the tenant in question has as many. */
const others = 100
const rows = 5000

/** Inserts the rows of the other tenants, whose ids are less than those of the last one. Returns the id of that tenant. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient
  const id = (kind: string, number: string) =>
    sql.literal(`'${kind}_' || substr(CAST(100000000 + ${number} AS text), 2)`)
  const last = others + 1
  const owner = `CASE WHEN n <= ${rows} THEN 1 + n % ${others} ELSE ${last} END`
  const numbers = sql.literal(`generate_series(1, ${2 * rows}) AS s (n)`)
  yield* sql`INSERT INTO tenant (id, name, subdomain, created_at, updated_at)
    SELECT ${id("ten", "n")}, 'x', 'x' || n, 0, 0 FROM generate_series(1, ${sql.literal(String(last))}) AS s (n)`
  yield* sql`INSERT INTO account (id, email, email_key) SELECT ${id("acc", "n")}, 'x', 'x' || n FROM ${numbers}`
  yield* sql`INSERT INTO member (id, tenant_id, account_id, role, created_at, updated_at)
    SELECT ${id("mem", "n")}, ${id("ten", owner)}, ${id("acc", "n")}, 'role_admin', 0, 0 FROM ${numbers}`
  yield* sql`INSERT INTO api_key (id, hash, prefix, name, account_id, tenant_id, member_id, created_at)
    SELECT ${id("tok", "n")}, 'x' || n, 'x', 'x', ${id("acc", "n")}, ${id("ten", owner)}, ${id("mem", "n")}, 0 FROM ${numbers}`
  yield* sql`INSERT INTO bucket (id, tenant_id, name, created_at, updated_at)
    SELECT ${id("bkt", "n")}, ${id("ten", owner)}, 'x' || n, 0, 0 FROM ${numbers}`
  yield* sql`INSERT INTO share (id, tenant_id, bucket_id, hash, name, path, may, created_at, updated_at)
    SELECT ${id("shr", "n")}, ${id("ten", owner)}, ${id("bkt", "n")}, 'x' || n, 'x', '/', '[]', 0, 0 FROM ${numbers}`
  yield* sql`INSERT INTO mirror (id, tenant_id, bucket_id, name, place, secret, revision, paused, removed, failures, retry_at, filling,
      fill_path, fill_name, sync_wanted, sync_done, sync_until, created_at, updated_at)
    SELECT ${id("mir", "n")}, ${id("ten", owner)}, ${id("bkt", "n")}, 'x', '{}', 'x', 1, 0, 0, 0, 0, 0, '', '', 0, 0, 0, 0, 0
    FROM ${numbers}`
  yield* sql`INSERT INTO upload (id, tenant_id, bucket_id, blob_id, mode, terms, received, state, epoch, revision, created_at, expires_at)
    SELECT ${id("upl", "n")}, ${id("ten", owner)}, ${id("bkt", "n")}, 'x' || n, 'APPEND', '{}', 0, 'DONE', 0, 0, 0, 0 FROM ${numbers}`
  yield* sql`ANALYZE`
  return { last: `ten_${String(last).padStart(8, "0")}`, first: "ten_00000001" }
})

/** Runs an effect in a transaction that is rolled back. */
const undone = Effect.fnUntraced(function* <A, E, R>(self: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient
  const rolledBack = yield* Effect.flip(sql.withTransaction(Effect.flatMap(self, (value) => Effect.fail({ value }))))
  return (rolledBack as { readonly value: A }).value
})

const rowsOf = (steps: ReadonlyArray<Plans.ExecutedStep>) =>
  steps.reduce((sum, step) => sum + (step["Relation Name"] === undefined ? 0 : Plans.rowsRead(step)), 0)

requires(Server.missing).describe("plans of tenants on PostgreSQL", () =>
  layer(Store.layer("en_US.UTF-8"), { excludeTestServices: true, timeout: "1 minute" })((it) => {
    it.effect(
      "many older tenants → lists, a small tenant's removal and the end of an invitation read none of their rows",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient
          const [members, tenants] = [yield* MemberRepository, yield* TenantRepository]
          const { first, last } = yield* fill

          const page = { tenantId: last, limit: 100 }
          const [tokens, buckets] = [yield* TokenRepository, yield* BucketRepository]
          const lists = [
            yield* Statements.record(members.list(page)),
            yield* Statements.record(tokens.list(page)),
            yield* Statements.record(buckets.list(page))
          ]
          for (const list of lists) {
            // Each member is read with its account.
            expect(rowsOf(yield* Plans.executed(list))).toBeLessThanOrEqual(2 * page.limit)
          }

          const removal = {
            tenantId: last,
            memberId: "mem_00010000",
            created: { _tag: "End" as const },
            at: Sample.at()
          }
          const removed = yield* undone(Statements.record(members.remove(removal)))
          expect(rowsOf(yield* undone(Plans.executed(removed)))).toBeLessThan(500)

          const statements = yield* undone(
            Statements.record(tenants.remove({ tenantId: first, force: true, sweepAt: Sample.at() }))
          )
          const steps = yield* undone(Plans.executed(statements))
          // A tenant has 50 rows in each of the tables here, which several statements read.
          expect(rowsOf(steps)).toBeLessThan(2000)

          const invited = { ...Sample.member(), status: "INVITED" as const }
          yield* members.add(last, invited)
          // The statistics of the session count what its transaction has read so far. A plan shows nothing of foreign keys.
          const scanned = sql`SELECT CAST(seq_tup_read AS integer) AS rows FROM pg_stat_xact_user_tables WHERE relname = 'api_key'`
          const read = yield* sql.withTransaction(
            Effect.andThen(members.remove(Fixtures.removal(last, invited.id)), scanned)
          )
          expect(read).toEqual([{ rows: 0 }])
        })
    )
  })
)
