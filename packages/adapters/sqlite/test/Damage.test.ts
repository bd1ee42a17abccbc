import { expect, layer } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as LargeRecount from "@holdfast/testing/metadata/usage/LargeRecount"
import * as UsageDrift from "@holdfast/testing/metadata/usage/UsageDrift"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import * as SqliteMetadata from "../src/SqliteMetadata.ts"

layer(SqliteMetadata.layer({ file: ":memory:" }))("SQLite with inconsistent or invalid rows", (it) => {
  it.effect("doomUnreferenced: READY blob without a file → listed without a file, then DOOMED", () =>
    Effect.gen(function* () {
      const blobs = yield* BlobRepository
      const sql = yield* SqlClient
      const bucket = yield* Fixtures.bucket()
      const [kept, lost] = [yield* Fixtures.store(bucket), yield* Fixtures.store(bucket)]
      yield* sql`DELETE FROM file WHERE id = ${lost.id}`
      expect(yield* Fixtures.blob(lost.content.blobId)).toMatchObject({ state: "READY", fileId: null })
      const both = [kept.content.blobId, lost.content.blobId]
      expect(yield* blobs.doomUnreferenced(both, Sample.at(5))).toBe(1)
      expect(yield* Fixtures.blob(kept.content.blobId)).toMatchObject({ state: "READY", fileId: kept.id })
      expect((yield* Fixtures.blob(lost.content.blobId))?.state).toBe("DOOMED")
      expect(yield* Fixtures.isDue(lost.content.blobId, Sample.at(4))).toBe(false)
      expect(yield* Fixtures.isDue(lost.content.blobId, Sample.at(5))).toBe(true)
    })
  )

  it.effect("recount: counters are wrong → found, repaired, exact again", () => UsageDrift.check)

  it.effect("recount: large bucket, files change meanwhile → exact", () => LargeRecount.check)

  it.effect("replaceContent: row of the previous blob missing → succeeds", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const sql = yield* SqlClient
      const bucket = yield* Fixtures.bucket()
      const file = yield* Fixtures.store(bucket)
      yield* sql`DELETE FROM blob WHERE id = ${file.content.blobId}`
      const content = Sample.content(yield* Fixtures.stage(bucket))
      const replaced = yield* files.replaceContent({
        bucket,
        fileId: file.id,
        content,
        condition: {},
        sweepAt: Sample.at()
      })
      expect(replaced.content).toEqual(content)
    })
  )

  it.effect("find: column with an invalid value → MetadataError with reason Internal", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const sql = yield* SqlClient
      const bucket = yield* Fixtures.bucket()
      const damages = [
        "metadata = '['",
        "metadata = '[]'",
        "headers = '[{}]'",
        "type = 'SOUND'",
        "size = 'x'",
        "etag = NULL"
      ]
      for (const damage of damages) {
        const file = yield* Fixtures.store(bucket)
        yield* sql`UPDATE file SET ${sql.literal(damage)} WHERE id = ${file.id}`
        const error = yield* Effect.flip(files.find(bucket, Fixtures.byId(file.id)))
        expect(error).toMatchObject({ _tag: "MetadataError", operation: "files.find", reason: "Internal" })
      }
    })
  )

  it.effect("insert: database full → StorageFull, nothing changed; space freed → succeeds", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const sql = yield* SqlClient
      const bucket = yield* Fixtures.bucket()
      const file = yield* Fixtures.store(bucket)
      const [[pages] = []] = yield* sql`PRAGMA page_count`.values
      yield* sql`PRAGMA max_page_count = ${sql.literal(String(pages))}`
      const large = { metadata: { text: "x".repeat(16_000) } }
      const error = yield* Effect.flip(Effect.forever(Fixtures.reserve(bucket, large)))
      expect(error).toMatchObject({ _tag: "MetadataError", reason: "StorageFull", isRetryable: false })
      expect(yield* files.find(bucket, Fixtures.byId(file.id))).toEqual(Option.some(file))
      yield* sql`PRAGMA max_page_count = 1073741823`
      yield* Fixtures.store(bucket)
    })
  )
})
