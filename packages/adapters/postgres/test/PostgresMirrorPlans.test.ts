import { expect, layer, vi } from "@effect/vitest"
import * as LargeMirrors from "@holdfast/testing/metadata/mirrors/LargeMirrors"
import { requires } from "@holdfast/testing/Requires"
import * as Server from "@holdfast/testing/servers/Postgres"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Plans from "./support/Plans.ts"
import * as Store from "./support/Store.ts"

// Starting a server takes longer on a busy machine than vitest's default timeout.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

/** The tables with many rows in this test. For a table with few rows PostgreSQL does not use an index. */
const largeTables = new Set(["file", "mirror_task"])

requires(Server.missing).describe("query plans of mirrors on PostgreSQL", () =>
  layer(Store.layer("en_US.UTF-8"), { excludeTestServices: true, timeout: "1 minute" })((it) => {
    it.effect("mirror statements with 40,000 files → index scans", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const crowd = yield* LargeMirrors.make(40_000)
        for (const isAnalysed of [false, true]) {
          if (isAnalysed) yield* sql`ANALYZE`
          const recorded = yield* LargeMirrors.statements(crowd)
          const used = new Map<string, ReadonlyArray<string | undefined>>()
          for (const [name, statements] of Object.entries(recorded)) {
            const explained = statements.filter(([text]) => !/^\s*INSERT INTO mirror_object/.test(text))
            const read = yield* Plans.planned(explained)
            const whole = read.filter((step) => step["Node Type"] === "Seq Scan")
            const tables = whole.map((step) => step["Relation Name"] ?? "")
            // Before ANALYZE, a sequential scan may be the cheaper plan.
            if (isAnalysed) expect([name, tables.filter((table) => largeTables.has(table))]).toEqual([name, []])
            used.set(
              name,
              read.map((step) => step["Index Name"])
            )
          }
          if (!isAnalysed) continue
          expect(used.get("due")).toContain("mirror_task_due")
          expect(used.get("retryTasks")).toContain("mirror_task_due")
          expect(used.get("filesPending")).toContain("mirror_task_pending")
          expect(used.get("filesFailed")).toContain("mirror_task_failed")
          expect(used.get("filesCopied")).toContain("mirror_task_copied")
          expect(used.get("find")).toEqual(
            expect.arrayContaining(["mirror_task_due", "mirror_task_failed", "mirror_task_copied"])
          )
          expect(used.get("claim")).toContain("mirror_task_due")
          expect(used.get("createTasks")).toContain("file_place")
        }
      })
    )
  })
)
