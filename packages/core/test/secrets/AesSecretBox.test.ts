import { assert, describe, it } from "@effect/vitest"
import * as Aead from "effect/crypto/Aead"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as AesSecretBox from "@holdfast/core/secrets/AesSecretBox"
import { SecretBox } from "@holdfast/core/secrets/SecretBox"

const Crypto = Layer.mergeAll(Aead.layerWebCrypto, Digest.layerWebCrypto).pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto)
)
const key = (fill: number, length = 32) => Redacted.make(new Uint8Array(length).fill(fill))
const box = (current: number, ...former: ReadonlyArray<number>) =>
  AesSecretBox.layer({ current: key(current), former: former.map((fill) => key(fill)) }).pipe(Layer.provide(Crypto))
const secret = Redacted.make("s3cr3t-ключ-😀")

const sealed = (context: string) => SecretBox.use(({ seal }) => seal(secret, context))
const opened = (text: string, context: string) =>
  SecretBox.use(({ open }) => Effect.map(open(text, context), Redacted.value))

describe("AesSecretBox", () => {
  it.effect("seal and open: same secret twice → different sealed texts, both open", () =>
    Effect.gen(function* () {
      const one = yield* sealed("mir_1")
      const two = yield* sealed("mir_1")
      assert.notStrictEqual(one, two)
      assert.notInclude(one, "s3cr3t")
      assert.strictEqual(yield* opened(one, "mir_1"), Redacted.value(secret))
    }).pipe(Effect.provide(box(1)))
  )

  it.effect("open: another context, altered text or another key → SecretError", () =>
    Effect.gen(function* () {
      const text = yield* Effect.provide(sealed("mir_1"), box(1))
      const inBox = (layer: ReturnType<typeof box>, value: string, context: string) =>
        Effect.map(Effect.flip(Effect.provide(opened(value, context), layer)), (error) =>
          error._tag === "SecretError" ? error.reason : error._tag
        )
      assert.strictEqual(yield* inBox(box(1), text, "mir_2"), "Unreadable")
      const at = text.length - 3
      const flipped = text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1)
      assert.strictEqual(yield* inBox(box(1), flipped, "mir_1"), "Unreadable")
      assert.strictEqual(yield* inBox(box(2), text, "mir_1"), "UnknownKey")
      for (const broken of ["", "v1", "v2.a.b.c", "v1.a.b.c.d", `${text}!`]) {
        assert.match(yield* inBox(box(1), broken, "mir_1"), /Unreadable|UnknownKey/)
      }
    })
  )

  it.effect("open and isStale: sealed with a former key → opens, and is stale", () =>
    Effect.gen(function* () {
      const old = yield* Effect.provide(sealed("x"), box(1))
      yield* Effect.gen(function* () {
        const { isStale } = yield* SecretBox
        assert.strictEqual(yield* opened(old, "x"), Redacted.value(secret))
        assert.isTrue(isStale(old))
        assert.isFalse(isStale(yield* sealed("x")))
      }).pipe(Effect.provide(box(2, 1)))
    })
  )

  it.effect("layer: key of 31 bytes → SecretKeyInvalid", () =>
    Effect.gen(function* () {
      const layer = AesSecretBox.layer({ current: key(1, 31) }).pipe(Layer.provide(Crypto))
      const error = yield* Effect.flip(Effect.provide(sealed("x"), layer))
      assert.strictEqual(error._tag, "SecretKeyInvalid")
    })
  )
})
