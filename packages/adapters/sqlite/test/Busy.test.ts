import { describe, expect, it } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { SqlClient } from "effect/sql/SqlClient"
import * as SqliteMetadata from "../src/SqliteMetadata.ts"
import * as Temporary from "./support/Temporary.ts"

/** Opens two stores on one file, as two processes would. The second one has the given busy timeout, in milliseconds. */
const openTwo = Effect.fnUntraced(function* (busyTimeout: number) {
  const file = yield* Temporary.file
  const first = yield* Layer.build(SqliteMetadata.layer({ file }))
  const second = yield* Layer.build(SqliteMetadata.layer({ file, busyTimeout }))
  return { first, second }
})

/** Begins a transaction on a store. It ends when the test releases it. */
const holdLock = Effect.fnUntraced(function* (store: Context.Context<SqlClient>) {
  const sql = Context.get(store, SqlClient)
  const [begun, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const fiber = yield* Deferred.succeed(begun, undefined).pipe(
    Effect.andThen(Deferred.await(end)),
    sql.withTransaction,
    Effect.forkScoped
  )
  yield* Deferred.await(begun)
  return { release: Effect.andThen(Deferred.succeed(end, undefined), Fiber.join(fiber)) }
})

/** Waits for one turn of the event loop. */
const nextTurn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

describe("SQLite file that two processes have open", () => {
  it.live("write: another process has a transaction → waits without blocking its process or readers", () =>
    Effect.gen(function* () {
      const { first, second } = yield* openTwo(60_000)
      const bucket = yield* Effect.provide(Fixtures.bucket(), first)
      const stored = yield* Effect.provide(Fixtures.store(bucket), first)
      const lock = yield* holdLock(first)
      const tenant = Sample.tenant()
      const single = yield* Effect.forkScoped(Context.get(second, TenantRepository).create({ tenant }))
      const whole = yield* Effect.forkScoped(Effect.provide(Fixtures.store(bucket), second))
      const files = Context.get(second, FileRepository)
      for (let turn = 0; turn < 50; turn++) {
        expect(yield* files.find(bucket, Fixtures.byId(stored.id))).toEqual(Option.some(stored))
        yield* nextTurn
      }
      expect([single.pollUnsafe(), whole.pollUnsafe()]).toEqual([undefined, undefined])
      yield* lock.release
      yield* Fiber.join(single)
      const { id } = yield* Fiber.join(whole)
      expect(yield* Context.get(first, TenantRepository).find(tenant.id)).toEqual(Option.some(tenant))
      expect(Option.isSome(yield* Context.get(first, FileRepository).find(bucket, Fixtures.byId(id)))).toBe(true)
    })
  )

  it.live("write: lock held for longer than busyTimeout → Unavailable, retryable", () =>
    Effect.gen(function* () {
      const { first, second } = yield* openTwo(30)
      const lock = yield* holdLock(first)
      const tenants = Context.get(second, TenantRepository)
      const error = yield* Effect.flip(tenants.create({ tenant: Sample.tenant() }))
      expect(error).toMatchObject({ _tag: "MetadataError", reason: "Timeout", isRetryable: true })
      yield* lock.release
      yield* tenants.create({ tenant: Sample.tenant() })
    })
  )

  it.live("updateHeaders: 40 at the same time from two processes → every header stored", () =>
    Effect.gen(function* () {
      const { first, second } = yield* openTwo(60_000)
      const bucket = yield* Effect.provide(Fixtures.bucket(), first)
      const file = yield* Effect.provide(Fixtures.reserve(bucket), first)
      const stores = [first, second]
      yield* Effect.forEach(
        Array.from({ length: 40 }).keys(),
        (index) =>
          Effect.flatMap(FileRepository, (files) =>
            files.updateHeaders({
              bucket,
              selector: Fixtures.byId(file.id),
              change: (headers) => Result.succeed([...headers, { name: `x-${index}`, value: "" }]),
              at: Sample.at()
            })
          ).pipe(Effect.provide(stores[index % 2] ?? first)),
        { concurrency: "unbounded" }
      )
      const found = Option.getOrThrow(yield* Context.get(first, FileRepository).find(bucket, Fixtures.byId(file.id)))
      expect(found.headers).toHaveLength(40)
    })
  )
})
