import { inspect } from "node:util"
import { expect, layer, vi } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import type { MetadataError } from "@holdfast/core/MetadataError"
import { operation } from "@holdfast/sql/SqlFailure"
import { transaction } from "@holdfast/sql/Transaction"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import { requires } from "@holdfast/testing/Requires"
import * as Postgres from "@holdfast/testing/servers/Postgres"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import * as PostgresMetadata from "../src/PostgresMetadata.ts"
import * as Store from "./support/Store.ts"

// Starting a server takes longer on a busy machine than vitest's default timeout.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const unavailable = { _tag: "MetadataError", reason: "Unavailable", isRetryable: true }

requires(Postgres.missing).describe("PostgreSQL server fails", () =>
  layer(Store.layer("C.UTF-8"), { excludeTestServices: true, timeout: "1 minute" })((it) => {
    it.effect("server stopped → Unavailable; started again → success", () =>
      Effect.gen(function* () {
        const server = yield* Postgres.Postgres
        const files = yield* FileRepository
        const bucket = yield* Fixtures.bucket()
        const file = yield* Fixtures.store(bucket)
        const find = files.find(bucket, Fixtures.byId(file.id))
        yield* server.stop()
        expect(yield* Effect.flip(find)).toMatchObject({ ...unavailable, operation: "files.find" })
        expect(yield* Effect.flip(Fixtures.store(bucket))).toMatchObject(unavailable)
        yield* server.start
        expect(yield* find).toEqual(Option.some(file))
        yield* Fixtures.store(bucket)
      })
    )

    it.effect("transaction: server stopped inside → Unavailable, not a defect", () =>
      Effect.gen(function* () {
        const server = yield* Postgres.Postgres
        const sql = yield* SqlClient
        const error = yield* sql`SELECT 1`.pipe(
          Effect.andThen(server.stop("immediate")),
          Effect.andThen(sql`SELECT 1`),
          transaction(sql),
          operation("test"),
          Effect.flip
        )
        expect(error).toMatchObject(unavailable)
        yield* server.start
        expect(yield* sql`SELECT 1 AS one`).toEqual([{ one: 1 }])
      })
    )

    it.effect("server crashes during concurrent writes → every acknowledged commit stored", () =>
      Effect.gen(function* () {
        const server = yield* Postgres.Postgres
        const files = yield* FileRepository
        const bucket = yield* Fixtures.bucket()
        const acknowledged: Array<string> = []
        for (let round = 1; round <= 2; round++) {
          const enough = yield* Deferred.make<void>()
          const write = Effect.gen(function* () {
            acknowledged.push((yield* Fixtures.store(bucket)).id)
            if (acknowledged.length >= round * 100) yield* Deferred.succeed(enough, undefined)
          })
          const writers = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => Effect.forkScoped(Effect.forever(write)))
          yield* Deferred.await(enough)
          yield* server.stop("immediate")
          for (const writer of writers) expect(yield* Effect.flip(Fiber.join(writer))).toMatchObject(unavailable)
          yield* server.start
        }
        for (const id of acknowledged) {
          const found = Option.getOrThrow(yield* files.find(bucket, Fixtures.byId(id)))
          const blob = yield* Fixtures.blob(found.content?.blobId ?? "")
          expect(blob).toMatchObject({ state: "READY", fileId: id })
        }
      })
    )

    it.effect("open: wrong or malformed URL → MetadataError with the cause, without any part of the URL", () =>
      Effect.gen(function* () {
        const { createDatabase } = yield* Postgres.Postgres
        const right = Redacted.value(yield* createDatabase)
        const secret = "open sesame?"
        const { host, hostname } = new URL(right)
        const malformed = /^The database cannot be opened: .*URL is not valid/
        const wrong: ReadonlyArray<readonly [url: string, reason: MetadataError["reason"], message: RegExp]> = [
          [
            right.replace(/:[^:@]*@/, `:${encodeURIComponent(secret)}@`),
            "Internal",
            /^The database cannot be opened: password authentication failed/
          ],
          [`${right}_not`, "Internal", /^The database cannot be opened: database ".*_not" does not exist/],
          [
            `postgres://me:${encodeURIComponent(secret)}@${hostname}:1/x`,
            "Unavailable",
            /^The database cannot be opened: connect ECONNREFUSED/
          ],
          [`postgres://me:${secret.slice(0, -1)}%@${host}/x`, "Internal", malformed],
          [`postgres://me:${secret}@[${host}/x`, "Internal", malformed],
          [`mysql://me:${secret}@${host}/x`, "Internal", malformed],
          [secret, "Internal", malformed]
        ]
        for (const [url, reason, message] of wrong) {
          const store = PostgresMetadata.layer({ url: Redacted.make(url) })
          const error = yield* Effect.flip(Effect.provide(Fixtures.tenant, store))
          expect(error).toMatchObject({ _tag: "MetadataError", reason, message: expect.stringMatching(message) })
          const printed = [inspect(error, { depth: 20, showHidden: true }), JSON.stringify(error), String(error)].join(
            "\n"
          )
          for (const part of [secret, "sesame", encodeURIComponent(secret), new URL(right).password, url]) {
            expect(printed).not.toContain(part)
          }
        }
      })
    )
  })
)
