import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as LargeBucket from "@holdfast/testing/metadata/files/LargeBucket"
import * as Statements from "@holdfast/testing/metadata/Statements"
import * as Effect from "effect/Effect"
import * as SqliteStatement from "../../src/internal/SqliteStatement.ts"
import * as SqliteMetadata from "../../src/SqliteMetadata.ts"
import * as Temporary from "../support/Temporary.ts"

/** Opens a database and returns a function that counts the statements which SQLite prepares meanwhile. */
const open = (file: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new DatabaseSync(file)),
      (database) => Effect.sync(() => database.close())
    ),
    (database) => {
      let steps = 0
      // SQLite asks for permission while it prepares a statement, and prepares all anew after the function has changed.
      database.setAuthorizer(() => {
        steps++
        return 0
      })
      const countWhile = (run: () => unknown): number => {
        steps = 0
        run()
        return steps
      }
      return { database, countWhile }
    }
  )

describe("statements of SQLite", () => {
  it.live("lists of files and keys run again with other limits → not prepared again", () =>
    Effect.gen(function* () {
      const file = yield* Temporary.file
      const recorded = yield* Effect.gen(function* () {
        const bucket = yield* LargeBucket.createContents(100)
        const lists = [...(yield* LargeBucket.lists(bucket, 10)), ...(yield* LargeBucket.keyLists(bucket, 10))]
        const statements = yield* Effect.forEach(lists, (list) => Statements.record<unknown, unknown, never>(list))
        return statements.flat()
      }).pipe(Effect.provide(SqliteMetadata.layer({ file })))
      assert.isAbove(recorded.length, 10)

      const { countWhile, database } = yield* open(file)
      for (const [text, parameters] of recorded) {
        assert.isAbove(
          countWhile(() => database.prepare(text)),
          0
        )
        const statement = SqliteStatement.prepare(database, text)
        const last = parameters.length - 1
        for (const limit of [10, 11, 10]) {
          const others = parameters.map((value, index) => (index === last && value === 10 ? limit : value))
          assert.strictEqual(
            countWhile(() => statement.rows(others)),
            0,
            text
          )
        }
      }
    }).pipe(Effect.scoped)
  )
})
