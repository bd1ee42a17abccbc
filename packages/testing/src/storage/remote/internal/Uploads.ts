/**
 * Contents of more than one part.
 */
import { assert } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as BlobKeys from "../../../data/BlobKeys.ts"
import * as Generate from "../../../data/Generate.ts"
import { mebibyte } from "../../contract/internal/Blobs.ts"
import * as RemoteStores from "../RemoteStores.ts"
import type { FreshStore } from "../RemoteStoreSubject.ts"
import type { Settings, Tester } from "./Settings.ts"

const key = BlobKeys.key(0)

const assertPending = ({ pendingUploads }: FreshStore, expected: ReadonlyArray<string>) =>
  pendingUploads === undefined
    ? Effect.void
    : Effect.map(pendingUploads, (pending) => assert.deepStrictEqual(pending, expected))

/** Registers these tests of the suite. */
export const register = (it: Tester, { timeout }: Settings): void => {
  it.effect.each([8, 9, 16, 24, 37])(
    "put: %i MiB and one byte → stored in parts, no upload pending",
    (size) =>
      Effect.gen(function* () {
        const fresh = yield* RemoteStores.fresh
        const content = Generate.bytes(size, size * mebibyte + 1)
        const receipt = yield* fresh.store.put(key, Generate.stream(size, content.byteLength, [300_001]))
        assert.deepStrictEqual(receipt, { size: content.byteLength, sha256: Generate.sha256(content) })
        assert.isTrue((yield* RemoteStores.readAll(fresh.store, key)).equals(content))
        yield* assertPending(fresh, [])
        if (fresh.assertParts !== undefined) yield* fresh.assertParts(key, content.byteLength)
      }),
    timeout
  )

  it.effect(
    "put: content of exactly one part → stored",
    () =>
      Effect.gen(function* () {
        const { store } = yield* RemoteStores.fresh
        yield* store.put(key, Generate.stream(1, RemoteStores.partBytes))
        const content = yield* RemoteStores.readAll(store, key)
        assert.isTrue(content.equals(Generate.bytes(1, RemoteStores.partBytes)))
      }),
    timeout
  )

  it.effect(
    "put: content fails or dies after some parts → its own error, the former blob unchanged, no upload pending",
    () =>
      Effect.gen(function* () {
        const fresh = yield* RemoteStores.fresh
        const { store } = fresh
        yield* store.put(key, Generate.stream(2, 1000))
        const parts = Generate.stream(3, 20 * mebibyte)
        const error = yield* Effect.flip(store.put(key, Stream.concat(parts, Stream.fail("cut"))))
        assert.strictEqual(error, "cut")
        yield* assertPending(fresh, [])
        const exit = yield* Effect.exit(store.put(key, Stream.concat(parts, Stream.die(new Error("a bug")))))
        assert.isTrue(Exit.hasDies(exit))
        yield* assertPending(fresh, [])
        assert.deepStrictEqual(yield* store.stat(key), { size: 1000 })
      }),
    timeout
  )

  it.effect(
    "put: parts in progress → nothing visible; interrupted → nothing visible, no upload pending",
    () =>
      Effect.gen(function* () {
        const fresh = yield* RemoteStores.fresh
        const { store } = fresh
        const reached = yield* Deferred.make<void>()
        const waiting = Stream.fromEffect(Effect.andThen(Deferred.succeed(reached, undefined), Effect.never))
        const content = Stream.concat(Generate.stream(4, 20 * mebibyte), waiting)
        const putting = yield* Effect.forkChild(store.put(key, content))
        yield* Deferred.await(reached)
        yield* assertPending(fresh, [key])
        yield* RemoteStores.assertAbsent(store, key)
        assert.deepStrictEqual(yield* Stream.runCollect(store.list("")), [])
        yield* Fiber.interrupt(putting)
        yield* assertPending(fresh, [])
        yield* RemoteStores.assertAbsent(store, key)
        yield* store.remove(key)
      }),
    timeout
  )
}
