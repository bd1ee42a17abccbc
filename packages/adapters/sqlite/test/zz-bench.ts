import * as Effect from "effect/Effect"
import * as DateTime from "effect/DateTime"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { AccessRepository } from "@holdfast/core/access/AccessRepository"
import { AccountRepository } from "@holdfast/core/accounts/AccountRepository"
import { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import { SqlClient } from "effect/sql/SqlClient"
import * as SqliteMetadata from "../src/SqliteMetadata.ts"
const time =
  (name: string, n: number) =>
  <A, E, R>(e: (i: number) => Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      for (let i = 0; i < n / 5; i++) yield* e(i)
      const c0 = process.cpuUsage()
      const t0 = performance.now()
      for (let i = 0; i < n; i++) yield* e(i)
      const c = process.cpuUsage(c0)
      const ms = performance.now() - t0
      console.log(
        name.padEnd(34),
        ((ms * 1000) / n).toFixed(2),
        "us wall",
        ((c.user + c.system) / n).toFixed(2),
        "us cpu",
        Math.round((n * 1000) / ms),
        "/s"
      )
    })
const at = DateTime.makeUnsafe(1_700_000_000_000)
const program = Effect.gen(function* () {
  const files = yield* FileRepository,
    access = yield* AccessRepository,
    accounts = yield* AccountRepository,
    tenants = yield* TenantRepository,
    buckets = yield* BucketRepository,
    blobs = yield* BlobRepository
  const acc = yield* accounts.findOrCreate({ id: "acc_1", email: "a@b" })
  yield* tenants.create(
    { id: "ten_1", name: "t", subdomain: "sub", createdAt: at, updatedAt: at },
    { id: "mem_1", user: acc, role: { id: "role_admin", name: "Admin" }, createdAt: at, updatedAt: at }
  )
  yield* accounts.putKey("acc_1", { id: "key_1", name: "k", hash: "h", prefix: "p", createdAt: at })
  yield* buckets.create("ten_1", { id: "bkt_1", name: "b", createdAt: at, updatedAt: at })
  const bucket = { tenantId: "ten_1", bucketId: "bkt_1" }
  const file = (i: number, content: boolean) => ({
    id: "fil_" + i,
    name: "n" + i,
    path: "/",
    alias: null,
    version: 1,
    metadata: {},
    headers: [{ name: "x-a", value: "b" }],
    createdAt: at,
    updatedAt: at,
    content: content
      ? {
          blobId: "blb_" + i,
          size: 5,
          sha256: "abc",
          etag: '"abc"',
          contentType: "text/plain",
          type: "TEXT" as const,
          storedAt: at
        }
      : null
  })
  const N = Number(process.env.N ?? 20000)
  let n = 0
  const sql = yield* SqlClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      for (let i = 0; i < N; i++) {
        yield* blobs.stage(bucket, "blb_" + i, at, at)
        yield* files.insert(bucket, file(i, true))
      }
      n = N
    })
  )
  yield* time("find by id", 50000)((i) => files.find(bucket, { _tag: "Id", id: "fil_" + ((i * 7919) % N) }))
  yield* time("byKey", 50000)(() => access.byKey("h", "ten_1"))
  yield* time(
    "list 100 of N, deep",
    1000
  )((i) => files.list(bucket, { path: "/", recursive: false }, { path: "/", name: "n" + (i % 10) }, 100))
  yield* time("listFolders", 5000)(() => files.listFolders(bucket, "/", undefined, 100))
  yield* time(
    "stage+insert",
    1000
  )(() => {
    const i = n++
    return Effect.andThen(blobs.stage(bucket, "blb_" + i, at, at), files.insert(bucket, file(i, true)))
  })
})
const f = process.argv[2] ?? ":memory:"
await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(SqliteMetadata.layer({ file: f }))) as any)
