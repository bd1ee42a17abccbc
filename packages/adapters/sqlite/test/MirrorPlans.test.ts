import { expect, layer } from "@effect/vitest"
import * as LargeMirrors from "@holdfast/testing/metadata/mirrors/LargeMirrors"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as SqliteMetadata from "../src/SqliteMetadata.ts"

/** Full scans that are cheap: of the statement's own values, and of parts of a statement that have a limit. */
const allowedScans =
  /^SCAN (json_each VIRTUAL TABLE|CONSTANT ROW|(part|page|pending|other|seen|fair|f|p|z|c)( |$)|\(subquery-\d+\)$)/

layer(SqliteMetadata.layer({ file: ":memory:" }))("query plans of mirrors", (it) => {
  it.effect("mirror statements with 20,000 files → index searches", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* LargeMirrors.make(100)
      const recorded = yield* LargeMirrors.statements(yield* LargeMirrors.make(20_000))
      const steps = new Map<string, ReadonlyArray<string>>()
      for (const [name, statements] of Object.entries(recorded)) {
        expect(statements.length).toBeGreaterThan(0)
        const plans = yield* Effect.forEach(statements, ([text, parameters]) =>
          sql.unsafe<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, parameters)
        )
        const details = plans.flat().map(({ detail }) => detail)
        expect(details.filter((detail) => detail.startsWith("SCAN ") && !allowedScans.test(detail))).toEqual([])
        steps.set(name, details)
      }
      const due = "mirror_task_due (mirror_id=?"
      expect(steps.get("due")).toContain(`SEARCH t USING INDEX ${due})`)
      expect(steps.get("due")?.join()).toContain("SEARCH mirror USING INDEX mirror_work (id>?)")
      expect(steps.get("claim")).toContain(`SEARCH mirror_task USING INDEX ${due} AND due_at<?)`)
      expect(steps.get("createTasks")?.join()).toMatch(
        /SEARCH file USING INDEX file_place \(bucket_id=\? AND \(path,name\)>/
      )
      expect(steps.get("filesPending")?.join()).toContain("mirror_task_pending")
      expect(steps.get("filesFailed")?.join()).toContain("mirror_task_failed")
      expect(steps.get("filesCopied")?.join()).toContain("mirror_task_copied")
      expect(steps.get("retryTasks")).toContain(`SEARCH mirror_task USING INDEX ${due} AND due_at>?)`)
    })
  )
})
