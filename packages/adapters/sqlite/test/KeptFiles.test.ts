import { assert, describe, it } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import * as SqliteMetadata from "../src/SqliteMetadata.ts"
import * as Temporary from "./support/Temporary.ts"

/** A client with the database open, as each process has. */
const openClient = (file: string) => Layer.build(Layer.fresh(SqliteMetadata.layer({ file })))

describe("files that were read before", () => {
  it.live("change by the same or another client → the next read finds it; other bucket → none", () =>
    Effect.gen(function* () {
      const file = yield* Temporary.file
      const [own, other] = [yield* openClient(file), yield* openClient(file)]
      const bucket = yield* Effect.provideContext(Fixtures.bucket(), own)
      const foreign = yield* Effect.provideContext(Fixtures.bucket(), own)
      const stored = yield* Effect.provideContext(Fixtures.store(bucket), own)
      const selector = Fixtures.byId(stored.id)
      const files = Context.get(own, FileRepository)
      const find = Effect.map(files.find(bucket, selector), Option.getOrUndefined)

      for (const client of [own, other, own, other]) {
        assert.deepStrictEqual(yield* find, yield* find)
        const name = `${client === own ? "own" : "other"}-${(yield* find)?.name}`
        const at = yield* DateTime.now
        yield* Context.get(client, FileRepository).update({ bucket, selector, change: { name }, at })
        assert.strictEqual((yield* find)?.name, name)
        assert.strictEqual((yield* find)?.name, name)
      }
      assert.isTrue(Option.isNone(yield* files.find(foreign, selector)))
      assert.isTrue(Option.isNone(yield* files.find(bucket, { ...selector, folder: "/elsewhere/" })))
      assert.isTrue(Option.isSome(yield* files.find(bucket, { ...selector, folder: "/" })))

      const changed = yield* find
      if (changed !== undefined) Object.assign(changed.metadata, { changed: true })
      assert.notProperty((yield* find)?.metadata, "changed")

      yield* Context.get(other, FileRepository).remove({
        bucket,
        selector,
        condition: {},
        sweepAt: yield* DateTime.now
      })
      assert.isUndefined(yield* find)
    }).pipe(Effect.scoped)
  )

  it.live("change in a transaction → seen in it, and not after it was rolled back", () =>
    Effect.gen(function* () {
      const own = yield* openClient(yield* Temporary.file)
      const [sql, files] = [Context.get(own, SqlClient), Context.get(own, FileRepository)]
      const bucket = yield* Effect.provideContext(Fixtures.bucket(), own)
      const stored = yield* Effect.provideContext(Fixtures.store(bucket), own)
      const name = Effect.map(
        files.find(bucket, Fixtures.byId(stored.id)),
        Option.map((file) => file.name)
      )
      assert.deepStrictEqual(yield* name, Option.some(stored.name))
      const failed = Effect.gen(function* () {
        yield* sql`UPDATE file SET name = 'inside' WHERE id = ${stored.id}`
        assert.deepStrictEqual(yield* name, Option.some("inside"))
        return yield* Effect.fail("rolled back")
      })
      yield* Effect.flip(sql.withTransaction(failed))
      assert.deepStrictEqual(yield* name, Option.some(stored.name))
    }).pipe(Effect.scoped)
  )
})
