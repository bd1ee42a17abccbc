import { expect, layer, vi } from "@effect/vitest"
import { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import * as LargeMirrors from "@holdfast/testing/metadata/mirrors/LargeMirrors"
import * as MirrorFixtures from "@holdfast/testing/metadata/mirrors/MirrorFixtures"
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

/** Statements that only read. Both mirrors have more files than are counted. */
const reads = ["due", "find", "filesPending", "filesFailed", "filesCopied"] as const

requires(Server.missing).describe("rows that statements of mirrors read on PostgreSQL", () =>
  layer(Store.layer("C.UTF-8"), { excludeTestServices: true, timeout: "1 minute" })((it) => {
    it.effect("mirrors with 4,000 and with 40,000 files, before and after ANALYZE → reads touch as many rows", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const [few, many] = [yield* LargeMirrors.make(4000), yield* LargeMirrors.make(40_000)]
        const recorded = [yield* LargeMirrors.statements(few), yield* LargeMirrors.statements(many)] as const
        const countRows = (statements: ReadonlyArray<Statements.Statement>) =>
          Effect.map(Plans.executed(statements), (steps) => steps.reduce((sum, step) => sum + Plans.rowsRead(step), 0))
        for (const analysed of ["without statistics", "with statistics"]) {
          if (analysed === "with statistics") yield* sql`VACUUM ANALYZE`
          for (const name of reads) {
            const rows = yield* countRows(recorded[0][name])
            expect([name, analysed, yield* countRows(recorded[1][name])]).toEqual([
              name,
              analysed,
              expect.toSatisfy((more: number) => more <= 1.5 * rows + 20)
            ])
          }
        }
      })
    )

    it.effect("first tasks of mirrors with 4,000 and with 40,000 files → created by reading as many blocks", () =>
      Effect.gen(function* () {
        const tasks = yield* MirrorTaskRepository
        const countBlocks = Effect.fnUntraced(function* (count: number) {
          const { bucket } = yield* LargeMirrors.make(count)
          const made = MirrorFixtures.newMirror(bucket)
          yield* (yield* MirrorRepository).create(made)
          const statements = yield* Statements.record(
            tasks.createTasks({ mirrorId: made.id, limit: 20, now: Sample.at() })
          )
          return yield* Plans.blocksRead(statements)
        })
        const few = yield* countBlocks(4000)
        expect(yield* countBlocks(40_000)).toBeLessThanOrEqual(1.5 * few + 20)
      })
    )
  })
)
