import { assert, describe, it } from "@effect/vitest"
import * as BlobError from "@holdfast/core/storage/BlobError"
import * as RemoteBlobStore from "@holdfast/core/storage/RemoteBlobStore"
import * as RemoteFailure from "@holdfast/core/storage/RemoteFailure"
import * as BlobKeys from "@holdfast/testing/data/BlobKeys"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

class Failure extends Data.TaggedError("Failure")<{
  readonly kind: RemoteFailure.Kind
  readonly message: string
}> {}

const makeFailure = (kind: RemoteFailure.Kind) => (message: string) => new Failure({ kind, message })

const bytes = Generate.bytes(1, 1000)

/** A store whose requests are recorded. Objects have 1,000 bytes. A request with `down` in its name fails. */
const makeStore = (prefix = "") => {
  const requests: Array<string> = []
  const request = <A>(text: string, answer: A): Effect.Effect<A, Failure> =>
    Effect.suspend(() => {
      requests.push(text)
      return text.includes("down") ? Effect.fail(makeFailure("Unavailable")("down")) : Effect.succeed(answer)
    })
  const store = RemoteBlobStore.make<Failure>({
    name: "test",
    prefix,
    requests: {
      put: (name, content) =>
        Effect.andThen(request(`put ${name}`, undefined), Stream.runCollect(content)).pipe(
          Effect.map((chunks) => {
            const content = Buffer.concat(chunks)
            return { size: content.byteLength, sha256: Generate.sha256(content) }
          })
        ),
      head: (name) => request(`head ${name}`, { size: 1000 }),
      open: (name, range) => {
        const part = range === undefined ? bytes : bytes.subarray(range.offset, range.offset + range.length)
        const body = (async function* () {
          yield part
          if (range?.offset === 7) throw new Error("cut")
        })()
        return request(`open ${name}`, { body, contentLength: part.byteLength, contentRange: undefined })
      },
      remove: (name) => request(`remove ${name}`, undefined),
      list: (within) =>
        Stream.fromEffect(request(`list ${within}`, undefined)).pipe(
          Stream.flatMap(() =>
            Stream.make({ name: prefix + BlobKeys.key(0), size: 1 }, { name: `${prefix}notes.txt`, size: 2 })
          )
        ),
      check: request("check", undefined)
    },
    isFailure: (error) => error instanceof Failure,
    toError: (operation) => (cause) =>
      new BlobError.BlobError({ reason: RemoteFailure.blobReasons[cause.kind], operation, cause }),
    unexpected: makeFailure("Internal"),
    cut: makeFailure("Unavailable"),
    fromBody: (cause) => makeFailure("Unavailable")(String(cause))
  })
  return { store, requests }
}

const key = BlobKeys.key(0)

describe("RemoteBlobStore", () => {
  it.effect("every method: names with the prefix", () =>
    Effect.gen(function* () {
      const { requests, store } = makeStore("files/")
      const receipt = yield* store.put(key, Stream.make(bytes))
      assert.deepStrictEqual(receipt, { size: 1000, sha256: Generate.sha256(bytes) })
      assert.deepStrictEqual(yield* store.stat(key), { size: 1000 })
      assert.isTrue(Buffer.concat(yield* Stream.runCollect(store.read(key))).equals(bytes))
      yield* store.remove(key)
      yield* store.check
      assert.deepStrictEqual(yield* Stream.runCollect(store.list("ten")), [{ key, size: 1 }])
      assert.deepStrictEqual(requests, [
        `put files/${key}`,
        `head files/${key}`,
        `open files/${key}`,
        `remove files/${key}`,
        "check",
        "list files/ten"
      ])
    })
  )

  it.effect("key that is not a blob key → Internal, no request", () =>
    Effect.gen(function* () {
      const { requests, store } = makeStore()
      for (const [operation, call] of [
        ["put", store.put("../a", Stream.make(bytes))],
        ["read", Stream.runDrain(store.read("../a"))],
        ["read", Stream.runDrain(store.read("../a", { range: { offset: 0, length: 0 } }))],
        ["stat", store.stat("../a")],
        ["remove", store.remove("../a")]
      ] as const) {
        const error = yield* Effect.flip<unknown, BlobError.BlobError, never>(call)
        assert.deepStrictEqual([error.operation, error.reason], [operation, "Internal"])
      }
      assert.deepStrictEqual(requests, [])
    })
  )

  it.effect("request fails → the error has the operation", () =>
    Effect.gen(function* () {
      const { store } = makeStore("down/")
      for (const [operation, call] of [
        ["put", store.put(key, Stream.make(bytes))],
        ["read", Stream.runDrain(store.read(key))],
        ["read", Stream.runDrain(store.read(key, { range: { offset: 0, length: 0 } }))],
        ["stat", store.stat(key)],
        ["remove", store.remove(key)],
        ["list", Stream.runDrain(store.list(""))]
      ] as const) {
        const error = yield* Effect.flip<unknown, BlobError.BlobError, never>(call)
        assert.deepStrictEqual([error.operation, error.reason], [operation, "Unavailable"])
      }
    })
  )

  it.effect("put: content fails → its own error", () =>
    Effect.gen(function* () {
      const { store } = makeStore()
      assert.strictEqual(yield* Effect.flip(store.put(key, Stream.fail("cut"))), "cut")
    })
  )

  it.effect("read: range → its bytes; empty range → only the size is requested", () =>
    Effect.gen(function* () {
      const { requests, store } = makeStore()
      const read = (offset: number, length: number) =>
        Effect.map(Stream.runCollect(store.read(key, { range: { offset, length } })), (chunks) => Buffer.concat(chunks))
      assert.isTrue((yield* read(10, 20)).equals(bytes.subarray(10, 30)))
      assert.strictEqual((yield* read(10, 0)).byteLength, 0)
      assert.deepStrictEqual(requests, [`open ${key}`, `head ${key}`])
    })
  )

  it.effect("read: body throws, or is shorter than requested → Unavailable, Internal", () =>
    Effect.gen(function* () {
      const { store } = makeStore()
      const readError = (offset: number, length: number) =>
        Effect.flip(Stream.runDrain(store.read(key, { range: { offset, length } })))
      assert.deepStrictEqual(
        [yield* readError(7, 20), yield* readError(990, 20)].map(({ operation, reason }) => [operation, reason]),
        [
          ["read", "Unavailable"],
          ["read", "Internal"]
        ]
      )
    })
  )
})
