import { expect, layer, vi } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Sample from "@holdfast/testing/metadata/Sample"
import { firstMissing, requires } from "@holdfast/testing/Requires"
import * as PgBouncer from "@holdfast/testing/servers/PgBouncer"
import * as Server from "@holdfast/testing/servers/Postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PostgresMetadata from "../src/PostgresMetadata.ts"

// Starting a server takes longer on a busy machine than vitest's default timeout.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

/** A store whose eight connections share two of the server. */
const store = Layer.unwrap(
  Effect.gen(function* () {
    const { createDatabase } = yield* Server.Postgres
    const url = yield* PgBouncer.start(yield* createDatabase, 2)
    return PostgresMetadata.layer({ url, maxConnections: 6, statementTimeout: "10 seconds", prepare: false })
  })
).pipe(Layer.provide(Server.layer({ locale: "C.UTF-8" })))

requires(firstMissing(Server.missing, PgBouncer.missing)).describe("PostgreSQL behind PgBouncer", () =>
  layer(store, { excludeTestServices: true, timeout: "1 minute" })((it) => {
    it.effect("transaction mode, prepare off: 300 changes and reads at the same time → all succeed", () =>
      Effect.gen(function* () {
        const files = yield* FileRepository
        const bucket = yield* Fixtures.bucket()
        const sweepAt = Sample.at(90_000)
        const one = Effect.fnUntraced(function* (index: number) {
          const file = yield* Fixtures.store(bucket, { name: `file-${index}` })
          const content = Sample.content(yield* Fixtures.stage(bucket))
          yield* files.replaceContent({ bucket, fileId: file.id, content, condition: {}, sweepAt })
          const selector = Fixtures.byId(file.id)
          const found = yield* files.find(bucket, selector)
          expect(found).toMatchObject({ value: { version: 2 } })
          yield* files.list({ bucket, query: { path: "/", recursive: true, name: "file" }, limit: 10 })
          if (index % 2 === 0) yield* files.remove({ bucket, selector, condition: {}, sweepAt })
        })
        yield* Effect.forEach(Array.from({ length: 50 }).keys(), one, { concurrency: 20 })
        const left = yield* files.list({ bucket, query: { path: "/", recursive: true }, limit: 1000 })
        expect(left.files).toHaveLength(25)
      })
    )
  })
)
