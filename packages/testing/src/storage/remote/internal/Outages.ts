/**
 * Cut connections, and a service that is down.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as BlobKeys from "../../../data/BlobKeys.ts"
import * as Generate from "../../../data/Generate.ts"
import * as TcpProxy from "../../../servers/TcpProxy.ts"
import { mebibyte } from "../../contract/internal/Blobs.ts"
import * as RemoteStores from "../RemoteStores.ts"
import { RemoteStoreSubject, type FreshStore, type Store } from "../RemoteStoreSubject.ts"
import type { Settings, Tester } from "./Settings.ts"

const [key, other, third] = [BlobKeys.key(0), BlobKeys.key(1), BlobKeys.key(2)]

/** Opens a proxy in front of the service, and returns the service's URL through it. */
const openProxy = Effect.fnUntraced(function* ({ endpoint }: FreshStore) {
  const url = new URL(endpoint)
  const proxy = yield* TcpProxy.open(Number(url.port))
  url.port = String(proxy.port)
  return { proxy, endpoint: url.href.replace(/\/$/, "") }
})

/** Opens a store behind a proxy that cuts its connections once, after so many bytes to the service. */
const openCut = Effect.fnUntraced(function* (fresh: FreshStore, bytes: number, maxAttempts?: number) {
  const { endpoint, proxy } = yield* openProxy(fresh)
  const cutting = yield* Effect.forkChild(proxy.cutAfter(bytes), { startImmediately: true })
  const store = yield* fresh.open({ endpoint, ...(maxAttempts === undefined ? {} : { maxAttempts }) })
  return { store, wasCut: () => cutting.pollUnsafe() !== undefined }
})

/** Reads a blob, runs an effect after the first chunk, and returns the error and the number of bytes. */
const readUntilCut = <R>(store: Store, key: string, cut: Effect.Effect<void, never, R>) =>
  Effect.gen(function* () {
    let count = 0
    const error = yield* store.read(key).pipe(
      Stream.runForEach((chunk) => {
        const isFirst = count === 0
        count += chunk.byteLength
        return isFirst ? cut : Effect.void
      }),
      Effect.flip
    )
    return { count, error }
  })

/** Registers these tests of the suite. */
export const register = (it: Tester, { timeout }: Settings): void => {
  it.effect(
    "put: connection cut while a part is sent → sent again, stored",
    () =>
      Effect.gen(function* () {
        const fresh = yield* RemoteStores.fresh
        const { store, wasCut } = yield* openCut(fresh, 10 * mebibyte)
        const content = Generate.bytes(10, 20 * mebibyte)
        yield* store.put(key, Generate.stream(10, content.byteLength))
        assert.isTrue(wasCut())
        assert.isTrue((yield* RemoteStores.readAll(fresh.store, key)).equals(content))
        if (fresh.assertParts !== undefined) yield* fresh.assertParts(key, content.byteLength)
      }),
    timeout
  )

  it.effect.each([5000, 10 * mebibyte])(
    "put: connection cut after %i bytes, one attempt → Unavailable, nothing visible",
    (bytes) =>
      Effect.gen(function* () {
        const fresh = yield* RemoteStores.fresh
        const { store, wasCut } = yield* openCut(fresh, bytes, 1)
        const error = yield* Effect.flip(store.put(key, Generate.stream(11, 20 * mebibyte)))
        assert.deepStrictEqual([error.reason, error.operation], ["Unavailable", "put"])
        assert.isTrue(wasCut())
        yield* RemoteStores.assertAbsent(fresh.store, key)
        assert.deepStrictEqual(yield* Stream.runCollect(fresh.store.list("")), [])
      }),
    timeout
  )

  it.effect(
    "read: connection cut → Unavailable, without a second request",
    () =>
      Effect.gen(function* () {
        const fresh = yield* RemoteStores.fresh
        yield* fresh.store.put(key, Generate.stream(12, 40 * mebibyte))
        const { endpoint, proxy } = yield* openProxy(fresh)
        const store = yield* fresh.open({ endpoint })
        const { count, error } = yield* readUntilCut(store, key, proxy.cut)
        assert.deepStrictEqual([error.reason, error.operation], ["Unavailable", "read"])
        assert.isBelow(count, 40 * mebibyte)
      }),
    timeout
  )

  // Last: Ceph's gateway delays changes of buckets for half a minute after it was killed.
  it.effect(
    "service stops → a read fails, every call is Unavailable; service starts → calls succeed",
    () =>
      Effect.gen(function* () {
        const { start, stop } = yield* RemoteStoreSubject
        const { store } = yield* RemoteStores.fresh
        yield* store.put(key, Generate.stream(13, 10))
        yield* store.put(other, Generate.stream(14, 40 * mebibyte))
        const { count, error } = yield* readUntilCut(store, other, stop)
        assert.strictEqual(error.reason, "Unavailable")
        assert.isBelow(count, 40 * mebibyte)
        yield* RemoteStores.assertFail(store, third, RemoteStores.allCalls, "Unavailable")
        yield* start
        yield* store.check
        assert.deepStrictEqual(yield* store.stat(key), { size: 10 })
        assert.strictEqual((yield* Stream.runCollect(store.list(""))).length, 2)
      }),
    timeout
  )
}
