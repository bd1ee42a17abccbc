import { spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { describe, expect, it } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import * as SqliteMetadata from "../src/SqliteMetadata.ts"
import * as Temporary from "./support/Temporary.ts"

const writer = join(import.meta.dirname, "programs", "writer.ts")

/** The process ended before it was killed. `message` is its standard error. */
class WriterFailed extends Data.TaggedError("WriterFailed")<{ readonly message: string }> {}

/** Runs a process that stores files, and kills it after it acknowledged `count` of them. Returns the acknowledged ids. */
const writeUntilKilled = (file: string, bucket: BucketRef, count: number) =>
  Effect.callback<ReadonlyArray<string>, WriterFailed>((resume) => {
    const child = spawn(process.execPath, [writer, file, bucket.tenantId, bucket.bucketId], {
      stdio: ["ignore", "pipe", "pipe"]
    })
    const acknowledged: Array<string> = []
    let stderr = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
    createInterface(child.stdout).on("line", (id) => {
      acknowledged.push(id)
      if (acknowledged.length === count) child.kill("SIGKILL")
    })
    child.once("error", (error) => resume(Effect.fail(new WriterFailed({ message: error.message }))))
    child.once("close", (_, signal) =>
      resume(signal === "SIGKILL" ? Effect.succeed(acknowledged) : Effect.fail(new WriterFailed({ message: stderr })))
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })

describe("SQLite process that is killed", () => {
  it.live(
    "two writers killed → every acknowledged commit stored, database consistent",
    () =>
      Effect.gen(function* () {
        const file = yield* Temporary.file
        const metadata = SqliteMetadata.layer({ file })
        const bucket = yield* Effect.provide(Fixtures.bucket(), metadata)
        const acknowledged: Array<string> = []
        for (const counts of [
          [37, 61],
          [113, 20]
        ]) {
          const ids = yield* Effect.forEach(counts, (count) => writeUntilKilled(file, bucket, count), {
            concurrency: "unbounded"
          })
          for (const [index, count] of counts.entries()) expect(ids[index]?.length).toBeGreaterThanOrEqual(count)
          acknowledged.push(...ids.flat())
        }

        yield* Effect.gen(function* () {
          const files = yield* FileRepository
          const sql = yield* SqlClient
          expect(yield* sql`PRAGMA integrity_check`.values).toEqual([["ok"]])
          expect(yield* sql`PRAGMA foreign_key_check`.values).toEqual([])
          for (const id of acknowledged) {
            const content = Option.flatMap(yield* files.find(bucket, Fixtures.byId(id)), (found) =>
              Option.fromNullishOr(found.content)
            )
            const blob = yield* Fixtures.blob(Option.getOrThrow(content).blobId)
            expect(blob).toMatchObject({ state: "READY", fileId: id })
          }
        }).pipe(Effect.provide(metadata))
      }),
    60_000
  )
})
