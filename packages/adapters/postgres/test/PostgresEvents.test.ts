import { expect, layer, vi } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as Statements from "@holdfast/testing/metadata/Statements"
import { requires } from "@holdfast/testing/Requires"
import * as Server from "@holdfast/testing/servers/Postgres"
import * as Effect from "effect/Effect"
import * as Store from "./support/Store.ts"

// Starting a server takes longer on a busy machine than vitest's default timeout.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

requires(Server.missing).describe("events on PostgreSQL", () =>
  layer(Store.layer("C.UTF-8"), { excludeTestServices: true, timeout: "1 minute" })((it) => {
    it.effect("insert and replaceContent → the event is part of a statement: 2 round trips in the transaction", () =>
      Effect.gen(function* () {
        const files = yield* FileRepository
        const bucket = yield* Fixtures.bucket()
        const file = Sample.file({ version: 1, content: Sample.content(yield* Fixtures.stage(bucket)) })
        expect(yield* Statements.record(files.insert(bucket, file))).toHaveLength(2)
        const content = Sample.content(yield* Fixtures.stage(bucket))
        const replacement = { bucket, fileId: file.id, content, condition: {}, sweepAt: Sample.at() }
        expect(yield* Statements.record(files.replaceContent(replacement))).toHaveLength(2)
      })
    )
  })
)
