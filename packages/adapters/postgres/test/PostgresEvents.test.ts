import { expect, layer, vi } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as Statements from "@holdfast/testing/metadata/Statements"
import { requires } from "@holdfast/testing/Requires"
import * as Server from "@holdfast/testing/servers/Postgres"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Store from "./support/Store.ts"

// Starting a server takes longer on a busy machine than vitest's default timeout.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

requires(Server.missing).describe("events on PostgreSQL", () =>
  layer(Store.layer("C.UTF-8"), { excludeTestServices: true, timeout: "1 minute" })((it) => {
    it.effect("insert and replaceContent → one statement with the event; in a transaction two", () =>
      Effect.gen(function* () {
        const [files, sql] = [yield* FileRepository, yield* SqlClient]
        const bucket = yield* Fixtures.bucket()
        const file = Sample.file({ version: 1, content: Sample.content(yield* Fixtures.stage(bucket)) })
        expect(yield* Statements.record(files.insert(bucket, file))).toHaveLength(1)
        const replace = Effect.gen(function* () {
          const content = Sample.content(yield* Fixtures.stage(bucket))
          const change = files.replaceContent({ bucket, fileId: file.id, content, condition: {}, sweepAt: Sample.at() })
          return { alone: change, inTransaction: sql.withTransaction(change) }
        })
        expect(yield* Statements.record((yield* replace).alone)).toHaveLength(1)
        expect(yield* Statements.record((yield* replace).inTransaction)).toHaveLength(2)
        const other = Sample.file({ version: 1, content: Sample.content(yield* Fixtures.stage(bucket)) })
        expect(yield* Statements.record(sql.withTransaction(files.insert(bucket, other)))).toHaveLength(2)
      })
    )
  })
)
