import { expect, layer, vi } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import * as LargeBucket from "@holdfast/testing/metadata/files/LargeBucket"
import * as Statements from "@holdfast/testing/metadata/Statements"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Sample from "@holdfast/testing/metadata/Sample"
import { requires } from "@holdfast/testing/Requires"
import * as Server from "@holdfast/testing/servers/Postgres"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Plans from "./support/Plans.ts"
import * as Store from "./support/Store.ts"

// Starting a server takes longer on a busy machine than vitest's default timeout.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

/** Runs the only statement of an effect and returns the steps of its plan that read files. */
const explain = Effect.fnUntraced(function* (list: Effect.Effect<unknown, unknown>) {
  const statements = yield* Statements.record(list)
  expect(statements).toHaveLength(1)
  return (yield* Plans.executed(statements)).filter((step) => step["Relation Name"] === "file")
})

requires(Server.missing).describe("query plans on PostgreSQL", () =>
  layer(Store.layer("en_US.UTF-8"), { excludeTestServices: true, timeout: "1 minute" })((it) => {
    it.effect("list and listFolders with 100,000 files → one index scan, no more rows read than returned", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const files = yield* FileRepository
        const bucket = yield* LargeBucket.create(100_000)
        yield* sql`ANALYZE file`

        for (const list of yield* LargeBucket.lists(bucket, 100)) {
          const read = yield* explain(list)
          expect(read.map((step) => [step["Node Type"], step["Index Name"]])).toEqual([["Index Scan", "file_place"]])
          // One row more than the page holds shows that another page follows.
          expect(read.map(Plans.rowsRead)).toEqual([101])
        }
        const foreign = { ...bucket, tenantId: yield* Fixtures.tenant }
        for (const list of yield* LargeBucket.lists(foreign, 100)) {
          expect((yield* explain(list)).map(Plans.rowsRead)).toEqual([0])
        }
        for (const list of yield* LargeBucket.filters(bucket, 100)) {
          const statements = yield* Statements.record(list)
          const read = (yield* Plans.executed(statements)).filter((step) => step["Relation Name"] === "file")
          expect(read.reduce((sum, step) => sum + Plans.rowsRead(step), 0)).toBeLessThanOrEqual(4000)
        }
        const read = yield* explain(files.listFolders({ bucket, path: "/", limit: 100 }))
        expect(new Set(read.map((step) => step["Index Name"]))).toEqual(new Set(["file_place"]))
        expect(read.reduce((sum, step) => sum + Plans.rowsRead(step), 0)).toBeLessThanOrEqual(4)
        expect(yield* files.listFolders({ bucket, path: "/", limit: 100 })).toEqual(["/0/", "/1/", "/2/"])
        const [found] = yield* explain(files.find(bucket, Fixtures.byId("fil_5")))
        expect(found).toMatchObject({ "Node Type": "Index Scan", "Index Name": "file_pkey", "Actual Rows": 1 })

        const keyed = yield* LargeBucket.createContents(20_000)
        yield* sql`ANALYZE file`
        for (const limit of [100, 1000]) {
          for (const list of yield* LargeBucket.keyLists(keyed, limit)) {
            const read = (yield* Plans.executed(yield* Statements.record(list))).filter(
              (step) => step["Relation Name"] === "file"
            )
            expect(new Set(read.map((step) => step["Index Name"]))).toEqual(new Set(["file_key"]))
            // The first entries, those of a scan of groups, and the contents among these.
            expect(read.reduce((sum, step) => sum + Plans.rowsRead(step), 0)).toBeLessThanOrEqual(3 * (limit + 1))
          }
        }

        yield* sql`INSERT INTO blob (id, tenant_id, bucket_id, state, size, sha256, file_id, created_at)
          SELECT blob_id, tenant_id, bucket_id, 'READY', size, sha256, id, 0 FROM file WHERE bucket_id = ${keyed.bucketId}`
        yield* sql`ANALYZE blob`
        const content = Effect.map(Fixtures.stage(keyed), Sample.content)
        const file = Sample.file({ version: 1, content: yield* content })
        const replacement = { fileId: file.id, content: yield* content, condition: {}, sweepAt: Sample.at() }
        const statements = [
          yield* Statements.record(files.insert(keyed, file)),
          yield* Statements.record(files.replaceContent({ bucket: keyed, ...replacement }))
        ]
        for (const statement of statements) {
          expect(statement).toHaveLength(1)
          const steps = yield* Plans.planned(statement)
          const scans = steps.filter((step) => ["blob", "file"].includes(step["Relation Name"] ?? ""))
          const scanned = scans.filter((step) => step["Node Type"] !== "ModifyTable")
          expect(scanned.map((step) => step["Node Type"])).not.toContain("Seq Scan")
          expect(scanned).not.toHaveLength(0)
        }
      })
    )
  })
)
