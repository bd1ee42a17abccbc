/**
 * Leases of uploads while a row of another tenant is locked for a long time, as by the removal of a large bucket.
 */
import * as PostgresMetadata from "@holdfast/postgres/PostgresMetadata"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import * as Requires from "@holdfast/testing/Requires"
import * as Postgres from "@holdfast/testing/servers/Postgres"
import * as Server from "@holdfast/postgres/Postgres"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { afterAll, assert, beforeAll, expect, it } from "vitest"
import * as TestServer from "../support/TestServer.ts"

/** Returns a body that sends its first bytes, and its last ones after `finish`. */
const slowBody = () => {
  const finished = Promise.withResolvers<void>()
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array(70_000)),
    pull: async (controller) => {
      await finished.promise
      controller.enqueue(new Uint8Array(10))
      controller.close()
    }
  })
  return { body, finish: () => finished.resolve() }
}

Requires.requires(Postgres.missing).describe("leases of uploads", () => {
  const postgres = ManagedRuntime.make(Postgres.layer({ locale: "C.UTF-8" }))
  let url: Redacted.Redacted
  let server: TestServer.TestServer
  let other: ManagedRuntime.ManagedRuntime<SqlClient, unknown>

  beforeAll(async () => {
    url = await postgres.runPromise(Effect.flatMap(Postgres.Postgres, ({ createDatabase }) => createDatabase))
    server = await TestServer.start({
      metadata: PostgresMetadata.layer({ url }),
      settings: { uploadLease: Duration.seconds(3) }
    })
    other = ManagedRuntime.make(Server.layer({ url }))
  }, 60_000)
  afterAll(async () => {
    await other.dispose()
    await server.close()
    await postgres.dispose()
  })

  const pendingOf = (bucketId: string) =>
    other.runPromise(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        return yield* sql<{
          due_at: bigint
        }>`SELECT due_at FROM blob WHERE bucket_id = ${bucketId} AND state = 'PENDING'`
      })
    )

  /** Locks the blobs of a bucket until `release`. */
  const lockBlobs = async (bucketId: string) => {
    const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const transaction = other.runPromise(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`SELECT id FROM blob WHERE bucket_id = ${bucketId} FOR UPDATE`.pipe(
          Effect.andThen(Effect.sync(() => locked.resolve())),
          Effect.andThen(Effect.promise(() => released.promise)),
          sql.withTransaction
        )
      })
    )
    await locked.promise
    return {
      release: () => {
        released.resolve()
        return transaction
      }
    }
  }

  it("the blob of another tenant's upload is locked → an upload outlives its lease and commits", async () => {
    const [locked, free] = [await server.makeBucket(), await server.makeBucket()]
    const blocked = await server.makeFile(locked, "old")
    const target = await server.makeFile(free, "old")

    const waiting = slowBody()
    const waitingUpload = server.post(`${blocked.path}/reupload`, { body: waiting.body })
    await expect.poll(async () => (await pendingOf(locked.bucketId)).length).toBe(1)
    const lock = await lockBlobs(locked.bucketId)

    const slow = slowBody()
    const upload = server.post(`${target.path}/reupload`, { body: slow.body })
    await expect.poll(async () => (await pendingOf(free.bucketId)).length).toBe(1)
    const [first] = await pendingOf(free.bucketId)
    assert(first !== undefined)

    // The first lease has ended, and another node expires uploads.
    await expect.poll(() => Date.now() > Number(first.due_at), { timeout: 20_000, interval: 50 }).toBe(true)
    await server.run(
      Effect.gen(function* () {
        yield* (yield* BlobRepository).expire({ before: yield* DateTime.now })
      })
    )
    slow.finish()
    assert.strictEqual((await upload).status, 200)
    await lock.release()
    waiting.finish()
    await waitingUpload
  }, 60_000)
})
