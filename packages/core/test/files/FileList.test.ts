import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { StoredFile } from "@holdfast/core/files/File"
import * as FileList from "@holdfast/core/files/FileList"
import { FileRepository } from "@holdfast/core/files/FileRepository"

const fileOf = (name: string): StoredFile => ({
  id: name,
  name,
  path: "/",
  alias: null,
  version: 0,
  metadata: {},
  headers: [],
  createdAt: DateTime.makeUnsafe(0),
  updatedAt: DateTime.makeUnsafe(0),
  content: null,
  damaged: false
})

/** A repository with endless lists, which notes what it reads for whom. Reads of the tenant `stalled` wait for `release`. */
const makeRepository = (reads: Array<string>, release: Deferred.Deferred<void>): FileRepository["Service"] =>
  ({
    list: ({ bucket: { bucketId, tenantId }, limit }) =>
      Effect.gen(function* () {
        reads.push(`${bucketId} ${limit}`)
        if (tenantId === "stalled") yield* Deferred.await(release)
        const files = Array.from({ length: limit }, (_, i) => fileOf(`${i}`))
        return { files, next: { path: "/", name: "last" } }
      })
  }) as Partial<FileRepository["Service"]> as FileRepository["Service"]

describe("FileList", () => {
  it.effect(
    "large pages of one tenant at once → read one after the other; small ones and other tenants do not wait",
    () =>
      Effect.gen(function* () {
        const reads: Array<string> = []
        const release = yield* Deferred.make<void>()
        const list = yield* Effect.provideService(FileList.make, FileRepository, makeRepository(reads, release))
        const page = (tenantId: string, bucketId: string, limit: number) =>
          Effect.flatMap(FileList.decode({ recursive: true }), (query) =>
            list({ tenantId, bucketId }, { limit }, query)
          )
        const fork = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

        const first = yield* fork(page("stalled", "a", 1000))
        const second = yield* fork(page("stalled", "b", 1000))
        const small = yield* fork(page("stalled", "c", 100))
        assert.strictEqual((yield* page("other", "d", 1000)).items.length, 1000)
        assert.deepStrictEqual(reads, ["a 100", "c 100", "d 100", "d 300", "d 300", "d 300"])

        yield* Deferred.succeed(release, undefined)
        for (const fiber of [first, second]) assert.strictEqual((yield* Fiber.join(fiber)).items.length, 1000)
        assert.strictEqual((yield* Fiber.join(small)).items.length, 100)
        assert.deepStrictEqual(
          reads.filter((read) => /^[ab]/.test(read)),
          ["a 100", "a 300", "a 300", "a 300", "b 100", "b 300", "b 300", "b 300"]
        )
      })
  )
})
