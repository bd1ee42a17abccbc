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

/** Two stores on one file, as two processes have them; the second waits for as long as it is told. */
const pair = Effect.fnUntraced(function* (busyTimeout: number) {
  const file = yield* Temporary.file
  const first = yield* Layer.build(SqliteMetadata.layer({ file }))
  const second = yield* Layer.build(SqliteMetadata.layer({ file, busyTimeout }))
  return { first, second }
})

/** Begins a transaction of a store that ends when it is told to. */
const occupy = Effect.fnUntraced(function* (store: Context.Context<SqlClient>) {
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

/** Lets everything run that is ready to. */
const nextTurn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

describe("a file that several processes have open", () => {
  it.live("a writer waits for another's transaction, and stops neither its process nor its readers", () =>
    Effect.gen(function* () {
      const { first, second } = yield* pair(60_000)
      const bucket = yield* Effect.provide(Fixtures.bucket(), first)
      const stored = yield* Effect.provide(Fixtures.store(bucket), first)
      const occupied = yield* occupy(first)
      const tenant = Sample.tenant()
      const single = yield* Effect.forkScoped(Context.get(second, TenantRepository).create({ tenant }))
      const whole = yield* Effect.forkScoped(Effect.provide(Fixtures.store(bucket), second))
      const files = Context.get(second, FileRepository)
      for (let turn = 0; turn < 50; turn++) {
        expect(yield* files.find(bucket, Fixtures.byId(stored.id))).toEqual(Option.some(stored))
        yield* nextTurn
      }
      expect([single.pollUnsafe(), whole.pollUnsafe()]).toEqual([undefined, undefined])
      yield* occupied.release
      yield* Fiber.join(single)
      const { id } = yield* Fiber.join(whole)
      expect(yield* Context.get(first, TenantRepository).find(tenant.id)).toEqual(Option.some(tenant))
      expect(Option.isSome(yield* Context.get(first, FileRepository).find(bucket, Fixtures.byId(id)))).toBe(true)
    })
  )

  it.live("a lock that is not released in time makes the store unavailable for now", () =>
    Effect.gen(function* () {
      const { first, second } = yield* pair(30)
      const occupied = yield* occupy(first)
      const tenants = Context.get(second, TenantRepository)
      const error = yield* Effect.flip(tenants.create({ tenant: Sample.tenant() }))
      expect(error).toMatchObject({ _tag: "MetadataError", reason: "Unavailable", isRetryable: true })
      yield* occupied.release
      yield* tenants.create({ tenant: Sample.tenant() })
    })
  )

  it.live("changes of two processes do not lose each other", () =>
    Effect.gen(function* () {
      const { first, second } = yield* pair(60_000)
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
