import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { createHmac, randomBytes } from "node:crypto"
import { assert, it } from "vitest"
import * as SigningSecret from "../../src/secrets/SigningSecret.ts"

it("derive → the HMAC of the text that signed links of former versions, and not printed", async () => {
  const key = randomBytes(32)
  const secret = await SigningSecret.derive(Redacted.make(new Uint8Array(key))).pipe(
    Effect.provide(Mac.layerWebCrypto.pipe(Layer.provide(SecureRandom.layerWebCrypto))),
    Effect.runPromise
  )
  const expected = createHmac("sha256", key).update("holdfast playback keys").digest("hex")
  assert.strictEqual(Buffer.from(Redacted.value(secret)).toString("hex"), expected)
  assert.strictEqual(String(secret), "<redacted:SigningSecret>")
})
