import { expect, layer, vi } from "@effect/vitest"
import * as LargeMirrors from "@holdfast/testing/metadata/mirrors/LargeMirrors"
import { requires } from "@holdfast/testing/Requires"
import * as Server from "@holdfast/testing/servers/Postgres"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Plans from "./support/Plans.ts"
import * as Store from "./support/Store.ts"

// A server is started, which takes a busy machine longer than vitest gives by default.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

/** The tables that have many rows here; for the few rows of another one no index is worth its while. */
const crowded = new Set(["file", "mirror_task"])

requires(Server.missing).describe("statements of mirrors on PostgreSQL", () =>
  layer(Store.layer("en_US.UTF-8"), { excludeTestServices: true, timeout: "1 minute" })((it) => {
    it.effect("seek in indexes, however many files there are", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const crowd = yield* LargeMirrors.make(40_000)
        for (const isAnalysed of [false, true]) {
          if (isAnalysed) yield* sql`ANALYZE`
          const recorded = yield* LargeMirrors.statements(crowd)
          const used = new Map<string, ReadonlyArray<string | undefined>>()
          for (const [name, statements] of Object.entries(recorded)) {
            const explained = statements.filter(([text]) => !/^\s*(SET|INSERT INTO mirror_object)/.test(text))
            const read = yield* Plans.planned(explained)
            const whole = read.filter((step) => step["Node Type"] === "Seq Scan")
            const tables = whole.map((step) => step["Relation Name"] ?? "")
            // How far a mirror is takes a look at each of its files, but not at each other one for that.
            if (name === "find") expect(read.map((step) => step["Join Type"])).not.toContain("Anti")
            // Before the tables are analysed it may well be cheaper to read one once.
            else if (isAnalysed) expect([name, tables.filter((table) => crowded.has(table))]).toEqual([name, []])
            used.set(
              name,
              read.map((step) => step["Index Name"])
            )
          }
          if (!isAnalysed) continue
          expect(used.get("due")).toContain("mirror_task_due")
          expect(used.get("claim")).toContain("mirror_task_due")
          expect(used.get("createTasks")).toContain("file_place")
        }
      })
    )
  })
)
