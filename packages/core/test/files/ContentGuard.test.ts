import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { TypeNotAllowed } from "@holdfast/core/buckets/ContentRules"
import * as ContentGuard from "@holdfast/core/files/ContentGuard"
import * as WholeContents from "@holdfast/core/storage/WholeContents"
import { headLength } from "@holdfast/core/files/FileSignature"

const source = (...sizes: ReadonlyArray<number>) =>
  Stream.fromIterable(sizes.map((size, index) => new Uint8Array(size).fill(index + 1)))

const run = (sizes: ReadonlyArray<number>, expected: { limit: number; length?: number }) =>
  Effect.exit(
    Effect.flatMap(ContentGuard.make(source(...sizes), expected), ({ content }) => Stream.runCollect(content))
  )

describe("ContentGuard", () => {
  it.effect.each([
    { sizes: [5, 5], expected: { limit: 10 }, fails: undefined },
    { sizes: [5, 6], expected: { limit: 10 }, fails: "ContentTooLarge" },
    { sizes: [], expected: { limit: 0 }, fails: undefined },
    { sizes: [1], expected: { limit: 0 }, fails: "ContentTooLarge" },
    { sizes: [3, 4], expected: { limit: 10, length: 7 }, fails: undefined },
    { sizes: [3, 4], expected: { limit: 10, length: 8 }, fails: "LengthMismatch" },
    { sizes: [3, 4], expected: { limit: 10, length: 6 }, fails: "LengthMismatch" },
    { sizes: [], expected: { limit: 10, length: 1 }, fails: "LengthMismatch" },
    { sizes: [1], expected: { limit: 10, length: 11 }, fails: "ContentTooLarge" }
  ])("make: %j", ({ expected, fails, sizes }) =>
    Effect.gen(function* () {
      const exit = yield* run(sizes, expected)
      if (fails === undefined) assert.isTrue(Exit.isSuccess(exit))
      else assert.include(JSON.stringify(exit), fails)
    })
  )

  it.effect.each([
    { size: 10, expected: { limit: 10 }, fails: undefined },
    { size: 11, expected: { limit: 10 }, fails: "ContentTooLarge" },
    { size: 0, expected: { limit: 0 }, fails: undefined },
    { size: 7, expected: { limit: 10, length: 7 }, fails: undefined },
    { size: 7, expected: { limit: 10, length: 8 }, fails: "LengthMismatch" },
    { size: 7, expected: { limit: 10, length: 6 }, fails: "LengthMismatch" },
    { size: 1, expected: { limit: 10, length: 11 }, fails: "ContentTooLarge" }
  ])("make, all bytes known: %j", ({ expected, fails, size }) =>
    Effect.gen(function* () {
      const content = WholeContents.stream(new Uint8Array(size).fill(1))
      const exit = yield* Effect.exit(ContentGuard.make(content, expected))
      if (Exit.isSuccess(exit)) {
        assert.isUndefined(fails)
        assert.strictEqual(exit.value.head().length, size)
        // The store gets the bytes, too.
        assert.strictEqual(WholeContents.bytesOf(exit.value.content)?.length, size)
      } else assert.include(JSON.stringify(exit), fails ?? "no error")
    })
  )

  it.effect("all bytes known, first bytes refused → the error; fewer than headLength → not checked yet", () =>
    Effect.gen(function* () {
      const checkHead = () => Effect.fail(new TypeNotAllowed({ contentType: "a/b", allowedTypes: ["c/d"] }))
      const make = (size: number) =>
        Effect.exit(ContentGuard.make(WholeContents.stream(new Uint8Array(size)), { limit: 1e6, checkHead }))
      assert.isTrue(Exit.isFailure(yield* make(headLength)))
      assert.isTrue(Exit.isSuccess(yield* make(headLength - 1)))
    })
  )

  it.effect("declared length above the limit → ContentTooLarge, nothing is read", () =>
    Effect.gen(function* () {
      const unread = Stream.die("The content must not be read.")
      const error = yield* Effect.flip(ContentGuard.make(unread, { limit: 10, length: 11 }))
      assert.strictEqual(error._tag, "ContentTooLarge")
    })
  )

  it.effect("head: content in several chunks → its first headLength bytes", () =>
    Effect.gen(function* () {
      const guarded = yield* ContentGuard.make(source(10, headLength, 10), { limit: 1e6 })
      yield* Stream.runDrain(guarded.content)
      assert.strictEqual(guarded.head().length, headLength)
      assert.deepStrictEqual([...guarded.head().subarray(8, 12)], [1, 1, 2, 2])
    })
  )
})
