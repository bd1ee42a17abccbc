import { assert, describe, it } from "@effect/vitest"
import * as Signature from "@holdfast/core/webhooks/Signature"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Webhook } from "standardwebhooks"

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const former = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
const body = JSON.stringify({ type: "file.created", data: { name: "Zoë" } })

const layerMac = Mac.layerWebCrypto.pipe(Layer.provide(SecureRandom.layerWebCrypto))

const signWith = (...secrets: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sign = yield* Signature.make(secrets.map((text) => Redacted.make(text)))
    return yield* sign({ id: "evt_1", at: yield* Clock.currentTimeMillis, body })
  }).pipe(Effect.provide(layerMac))

const verifies = (secret: string, headers: Readonly<Record<string, string>>, text = body): boolean => {
  try {
    new Webhook(secret).verify(text, { ...headers })
    return true
  } catch {
    return false
  }
}

describe("Signature", () => {
  it.live("one secret → the library of Standard Webhooks verifies id, time and body", () =>
    Effect.gen(function* () {
      const headers = yield* signWith(secret)
      assert.isTrue(verifies(secret, headers))
      assert.isFalse(verifies(former, headers))
      assert.isFalse(verifies(secret, headers, `${body} `))
      assert.isFalse(verifies(secret, { ...headers, "webhook-id": "evt_2" }))
      assert.isFalse(
        verifies(secret, { ...headers, "webhook-timestamp": String(Number(headers["webhook-timestamp"]) - 1) })
      )
    })
  )

  it.live("two secrets, during a rotation → either of them verifies", () =>
    Effect.gen(function* () {
      const headers = yield* signWith(secret, former)
      assert.isTrue(verifies(secret, headers))
      assert.isTrue(verifies(former, headers))
    })
  )
})
