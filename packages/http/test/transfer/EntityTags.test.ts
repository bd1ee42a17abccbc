import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "fast-check"
import * as EntityTags from "../../src/transfer/request/EntityTags.ts"

describe("EntityTags.parse", () => {
  it.each<[header: string, expected: "*" | ReadonlyArray<string> | undefined]>([
    ["*", "*"],
    ['"a"', ['"a"']],
    ['""', ['""']],
    ['W/"a"', ['W/"a"']],
    ['"a", "b"', ['"a"', '"b"']],
    ['"a","b" ,\tW/"c"', ['"a"', '"b"', 'W/"c"']],
    [', "a",, "b",', ['"a"', '"b"']],
    ['"a,b"', ['"a,b"']],
    ['"*"', ['"*"']],
    ['"é!#~"', ['"é!#~"']],
    ["", undefined],
    [",", undefined],
    ["a", undefined],
    ['"a', undefined],
    ['a"', undefined],
    ['w/"a"', undefined],
    ['W/ "a"', undefined],
    ['"a" "b"', undefined],
    ['"a b"', undefined],
    ['"a"b', undefined],
    ['*, "a"', undefined],
    ['"a", *', undefined],
    ['"a";q=1', undefined]
  ])("%j → %j", (header, expected) => {
    assert.deepStrictEqual(EntityTags.parse(header), expected)
  })

  it("any list of tags → the same tags", () => {
    const character = FastCheck.oneof(
      FastCheck.constant(0x21),
      FastCheck.integer({ min: 0x23, max: 0x7e }),
      FastCheck.integer({ min: 0x80, max: 0xff })
    )
    const tag = FastCheck.tuple(FastCheck.boolean(), FastCheck.array(character)).map(
      ([isWeak, codes]) => `${isWeak ? "W/" : ""}"${String.fromCharCode(...codes)}"`
    )
    const separator = FastCheck.constantFrom(",", ", ", " ,\t", ",,", ", ,")
    FastCheck.assert(
      FastCheck.property(FastCheck.array(tag, { minLength: 1 }), separator, (tags, between) => {
        assert.deepStrictEqual(EntityTags.parse(tags.join(between)), tags)
      })
    )
  })
})

describe("EntityTags.precondition", () => {
  it.effect("If-Match and If-None-Match → both conditions", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* EntityTags.precondition({}), { ifMatch: undefined, ifNoneMatch: undefined })
      assert.deepStrictEqual(yield* EntityTags.precondition({ "if-match": '"a"', "if-none-match": "*" }), {
        ifMatch: ['"a"'],
        ifNoneMatch: "*"
      })
    })
  )

  it.effect.each(["if-match", "if-none-match"])("malformed %s → InvalidRequest that names the header", (name) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(EntityTags.precondition({ [name]: "abc" }))
      assert.strictEqual(error._tag, "InvalidRequest")
      assert.include(error.errors[0]?.detail.toLowerCase(), name)
    })
  )
})
