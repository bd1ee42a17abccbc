import { assert, describe, it } from "@effect/vitest"
import { SecretBox } from "@holdfast/core/secrets/SecretBox"
import { type DeliveryClaim, DeliveryRepository } from "@holdfast/core/webhooks/DeliveryRepository"
import { WebhookSender } from "@holdfast/core/webhooks/WebhookSender"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as Turn from "../../src/webhooks/worker/internal/Turn.ts"

const layerMac = Mac.layerWebCrypto.pipe(Layer.provide(SecureRandom.layerWebCrypto))

const box = Layer.succeed(SecretBox, {
  seal: () => Effect.die("not called"),
  open: () => Effect.succeed(Redacted.make("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")),
  isStale: () => false
})

const [first, second] = ["01890a5d-ac96-774b-bcce-b302099a8057", "01890a5d-ac96-774b-bcce-b302099a8058"] as const

const claim = {
  webhook: {
    id: "w",
    tenantId: "t",
    url: "https://example.com",
    secret: "sealed",
    formerSecret: null,
    failingSince: null
  },
  lease: "l",
  failures: 0,
  deliveries: [first, second].map((id) => ({
    id,
    action: "file.created",
    targetId: null,
    bucketId: null,
    detail: {},
    attempts: 0
  }))
} as unknown as DeliveryClaim

describe("Turn", () => {
  it.effect("sender never ends → a failed attempt after 20 seconds, and the turn ends", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const sender = Layer.succeed(WebhookSender, {
        send: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      })
      const progress = Turn.begin(claim)
      const turn = yield* Turn.run(progress, () => false).pipe(
        Effect.provide([layerMac, box, sender, Layer.mock(DeliveryRepository, {})]),
        Effect.forkChild
      )
      yield* Deferred.await(begun)
      yield* TestClock.adjust("20 seconds")
      yield* Fiber.join(turn)
      assert.deepStrictEqual(
        progress.attempts.map(({ attempt, deliveryId, next }) => [deliveryId, attempt.error, next.state]),
        [[first, "TIMEOUT", "PENDING"]]
      )
      assert.strictEqual(progress.webhook.failures, 1)
    })
  )
})
