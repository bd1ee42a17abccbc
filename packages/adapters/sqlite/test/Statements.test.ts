import { expect, layer } from "@effect/vitest"
import { AccessRepository } from "@holdfast/core/access/AccessRepository"
import { AccountRepository } from "@holdfast/core/accounts/AccountRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as Statements from "@holdfast/testing/metadata/Statements"
import * as World from "@holdfast/testing/metadata/World"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as SqliteMetadata from "../src/SqliteMetadata.ts"

/** The verbs of statements. */
const verbs = (recorded: ReadonlyArray<Statements.Statement>) => recorded.map(([text]) => text.trim().split(" ")[0])

const count = 100_000

/** Many files in few folders, each below one more. */
const fill = Effect.fnUntraced(function* () {
  const sql = yield* SqlClient
  const bucket = yield* World.bucket()
  yield* sql`WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < ${count})
    INSERT INTO file (id, tenant_id, bucket_id, path, name, version, metadata, headers, created_at, updated_at)
    SELECT 'fil_' || i, ${bucket.tenantId}, ${bucket.bucketId}, '/' || (i % 3) || '/below/', i, 0, '{}', '[]', 0, 0 FROM s`
  return bucket
})

layer(SqliteMetadata.layer({ file: ":memory:" }))("statements", (it) => {
  it.effect("a key's standing takes one", () =>
    Effect.gen(function* () {
      const tenantId = yield* World.tenant
      const { user } = yield* World.member(tenantId)
      const key = Sample.accountKey()
      yield* (yield* AccountRepository).putKey(user.id, key)
      const access = yield* AccessRepository
      expect(verbs(yield* Statements.of(access.byKey(key.hash, tenantId)))).toEqual(["SELECT"])
      expect(verbs(yield* Statements.of(access.byAccount(user.id, tenantId)))).toEqual(["SELECT"])
    })
  )

  it.effect("a file is found by one, announced by one, stored by two and replaced by two", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const blobs = yield* BlobRepository
      const bucket = yield* World.bucket()
      const file = yield* World.store(bucket)
      const blobId = Sample.id("blb")
      expect(verbs(yield* Statements.of(files.find(bucket, World.byId(file.id))))).toEqual(["SELECT"])
      const staging = blobs.stage(bucket, blobId, Sample.at(), Sample.at(9))
      expect(verbs(yield* Statements.of(staging))).toEqual(["INSERT"])
      const replacing = files.replaceContent(bucket, file.id, Sample.content(blobId), {}, { sweepAt: Sample.at(9) })
      expect(verbs(yield* Statements.of(replacing))).toEqual(["UPDATE", "UPDATE"])
      const made = Sample.file({ version: 1, content: Sample.content(yield* World.stage(bucket)) })
      expect(verbs(yield* Statements.of(files.insert(bucket, made)))).toEqual(["UPDATE", "INSERT"])
      expect(verbs(yield* Statements.of(files.insert(bucket, Sample.file())))).toEqual(["INSERT"])
    })
  )

  it.effect("lists seek in one index, however many files there are", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const files = yield* FileRepository
      const bucket = yield* fill()
      const deep = { path: "/1/below/", name: "5" }
      const all = { path: "/", recursive: true }
      const level = { path: "/1/below/", recursive: false }
      const lists = [
        files.list(bucket, all, undefined, 100),
        files.list(bucket, all, deep, 100),
        files.list(bucket, level, deep, 100),
        files.list(bucket, { ...level, name: "77" }, undefined, 100),
        files.listFolders(bucket, "/", undefined, 100),
        files.listFolders(bucket, "/", "/0/", 100)
      ]
      for (const list of lists) {
        const [[text, parameters] = ["", []], ...more] = yield* Statements.of<unknown, unknown, never>(list)
        expect(more).toEqual([])
        const plan = yield* sql.unsafe<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, parameters)
        const steps = plan.map(({ detail }) => detail).filter((detail) => /\bfile\b/.test(detail))
        expect(steps.length).toBeGreaterThan(0)
        for (const step of steps) expect(step).toMatch(/^SEARCH file USING INDEX file_place \(bucket_id=\? AND .*path/)
      }
      expect(yield* files.listFolders(bucket, "/", undefined, 100)).toEqual(["/0/", "/1/", "/2/"])
    })
  )
})
