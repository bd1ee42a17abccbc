import { assert, describe, it } from "@effect/vitest"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as ApiKey from "@holdfast/core/access/ApiKey"

const Crypto = Layer.mergeAll(SecureRandom.layerWebCrypto, Digest.layerWebCrypto)

describe("ApiKey", () => {
  it.layer(Crypto)((it) => {
    it.effect("mint → key of the documented format; parse and identify return the same hash", () =>
      Effect.gen(function* () {
        const minted = yield* ApiKey.mint
        const key = Redacted.value(minted.key)
        assert.match(key, /^hf_[A-Za-z0-9_-]{49}$/)
        assert.match(minted.hash, /^[0-9a-f]{64}$/)
        assert.strictEqual(minted.prefix, key.slice(0, 8))
        const parsed = yield* ApiKey.parse(key)
        assert.strictEqual(parsed.hash, minted.hash)
        assert.deepStrictEqual(yield* ApiKey.identify(key), { _tag: "Key", isParent: false, hash: minted.hash })
      })
    )

    it.effect("parse: typo in any one character → Unauthenticated, without a look-up", () =>
      Effect.gen(function* () {
        const key = Redacted.value((yield* ApiKey.mint).key)
        for (let at = 0; at < key.length; at++) {
          const typo = key.slice(0, at) + (key[at] === "A" ? "B" : "A") + key.slice(at + 1)
          const error = yield* Effect.flip(ApiKey.parse(typo))
          assert.strictEqual(error.code, "unauthenticated", `at ${at}`)
        }
      })
    )

    it.effect("parse: text that is not a key → Unauthenticated", () =>
      Effect.gen(function* () {
        const key = Redacted.value((yield* ApiKey.mint).key)
        for (const text of [
          "",
          "hf_",
          "hf_x",
          key + "A",
          ` ${key}`,
          key.slice(0, -1),
          key.toUpperCase(),
          "x".repeat(1e6)
        ]) {
          assert.strictEqual((yield* Effect.flip(ApiKey.parse(text))).code, "unauthenticated")
        }
      })
    )

    it.effect("mint: key is printed or serialised → redacted", () =>
      Effect.gen(function* () {
        const minted = yield* ApiKey.mint
        assert.notInclude(`${String(minted.key)} ${JSON.stringify(minted)}`, Redacted.value(minted.key))
      })
    )
  })
})
