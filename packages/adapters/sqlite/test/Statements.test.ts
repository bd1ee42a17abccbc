import { expect, layer } from "@effect/vitest"
import { AccessRepository } from "@holdfast/core/access/AccessRepository"
import { AccountRepository } from "@holdfast/core/accounts/AccountRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import * as LargeBucket from "@holdfast/testing/metadata/files/LargeBucket"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as Statements from "@holdfast/testing/metadata/Statements"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as SqliteMetadata from "../src/SqliteMetadata.ts"

/** Returns the first keyword of each statement. */
const verbs = (recorded: ReadonlyArray<Statements.Statement>) => recorded.map(([text]) => text.trim().split(" ")[0])

layer(SqliteMetadata.layer({ file: ":memory:" }))("SQL statements", (it) => {
  it.effect("findByKey and findByAccount → one SELECT each", () =>
    Effect.gen(function* () {
      const tenantId = yield* Fixtures.tenant
      const { user } = yield* Fixtures.member(tenantId)
      const key = Sample.accountKey()
      yield* (yield* AccountRepository).putKey(user.id, key)
      const access = yield* AccessRepository
      expect(verbs(yield* Statements.record(access.findByKey({ hash: key.hash, tenantId })))).toEqual(["SELECT"])
      expect(verbs(yield* Statements.record(access.findByAccount({ accountId: user.id, tenantId })))).toEqual([
        "SELECT"
      ])
    })
  )

  it.effect(
    "find → 1 statement; stage → 1; insert with content → 3; replaceContent → 3; insert without content → 2",
    () =>
      Effect.gen(function* () {
        const files = yield* FileRepository
        const blobs = yield* BlobRepository
        const bucket = yield* Fixtures.bucket()
        const file = yield* Fixtures.store(bucket)
        const blobId = Sample.id("blb")
        expect(verbs(yield* Statements.record(files.find(bucket, Fixtures.byId(file.id))))).toEqual(["SELECT"])
        const staging = blobs.stage({ bucket, blobId, at: Sample.at(), leaseUntil: Sample.at(9) })
        expect(verbs(yield* Statements.record(staging))).toEqual(["INSERT"])
        const replacing = files.replaceContent({
          bucket,
          fileId: file.id,
          content: Sample.content(blobId),
          condition: {},
          sweepAt: Sample.at(9)
        })
        expect(verbs(yield* Statements.record(replacing))).toEqual(["UPDATE", "INSERT", "UPDATE"])
        const made = Sample.file({ version: 1, content: Sample.content(yield* Fixtures.stage(bucket)) })
        expect(verbs(yield* Statements.record(files.insert(bucket, made)))).toEqual(["UPDATE", "INSERT", "INSERT"])
        expect(verbs(yield* Statements.record(files.insert(bucket, Sample.file())))).toEqual(["INSERT", "INSERT"])
      })
  )

  it.effect("list, listFolders and listKeys with 100,000 files → searches in one index", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const files = yield* FileRepository
      const bucket = yield* LargeBucket.create(100_000)
      const lists = [
        ...(yield* LargeBucket.lists(bucket, 100)),
        files.listFolders({ bucket, path: "/", limit: 100 }),
        files.listFolders({ bucket, path: "/", after: "/0/", limit: 100 })
      ]
      for (const list of lists) {
        const [[text, parameters] = ["", []], ...more] = yield* Statements.record<unknown, unknown, never>(list)
        expect(more).toEqual([])
        const plan = yield* sql.unsafe<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, parameters)
        const steps = plan.map(({ detail }) => detail).filter((detail) => /\bfile\b/.test(detail))
        expect(steps.length).toBeGreaterThan(0)
        for (const step of steps) {
          expect(step).toMatch(/^SEARCH file USING (COVERING )?INDEX file_place \(bucket_id=\? AND .*path/)
        }
      }
      for (const list of yield* LargeBucket.filters(bucket, 100)) {
        for (const [text, parameters] of yield* Statements.record(list)) {
          const plan = yield* sql.unsafe<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, parameters)
          const details = plan.map(({ detail }) => detail)
          // A page visits at most 1,000 folders, and sorts them. It also sorts the rows that it has found, and the end of what it has read.
          const sorted = details.filter((_, index) => details[index + 1]?.includes("TEMP B-TREE"))
          if (!details.includes("SCAN folders"))
            expect(["SCAN found", "SCAN part"]).toEqual(expect.arrayContaining(sorted))
          for (const step of details.filter((detail) => /\bfile\b/.test(detail))) {
            expect(step).toMatch(/^SEARCH file USING (COVERING )?INDEX file_(place|type) \(bucket_id=\? AND .*path/)
          }
        }
      }
      expect(yield* files.listFolders({ bucket, path: "/", limit: 100 })).toEqual(["/0/", "/1/", "/2/"])

      const keyed = yield* LargeBucket.createContents(20_000)
      for (const list of yield* LargeBucket.keyLists(keyed, 100)) {
        for (const [text, parameters] of yield* Statements.record(list)) {
          const plan = yield* sql.unsafe<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, parameters)
          for (const { detail } of plan.filter(({ detail }) => /\bfile\b/.test(detail))) {
            expect(detail).toMatch(/^SEARCH file USING (COVERING )?INDEX file_key \(bucket_id=\? AND <expr>/)
          }
        }
      }
    })
  )
})
