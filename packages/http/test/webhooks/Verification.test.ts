/**
 * The verification of signatures as the page on webhooks shows it.
 */
import * as Signature from "@holdfast/core/webhooks/Signature"
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { expect, it } from "vitest"

const verify = (secret: string, headers: Headers, body: string): boolean => {
  const [id, time, signatures] = ["id", "timestamp", "signature"].map((name) => headers.get(`webhook-${name}`) ?? "")
  const mac = createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
  const expected = Buffer.from(`v1,${mac.update(`${id}.${time}.${body}`).digest("base64")}`)
  if (!(Math.abs(Date.now() / 1000 - Number(time)) < 300)) return false
  const given = (signatures ?? "").split(" ").map((signature) => Buffer.from(signature))
  return given.some((one) => one.length === expected.length && timingSafeEqual(one, expected))
}

const makeSecret = () => `whsec_${randomBytes(24).toString("base64")}`

const sign = (secrets: ReadonlyArray<string>, body: string, at = Date.now()): Promise<Headers> =>
  Signature.make(secrets.map((secret) => Redacted.make(secret))).pipe(
    Effect.flatMap((sign) => sign({ id: "evt_1", at, body })),
    Effect.map((headers) => new Headers(headers)),
    Effect.provide(Mac.layerWebCrypto.pipe(Layer.provide(SecureRandom.layerWebCrypto))),
    Effect.runPromise
  )

it("verify: one secret, either secret of a rotation → true", async () => {
  const [former, current] = [makeSecret(), makeSecret()]
  expect(verify(current, await sign([current], "{}"), "{}")).toBe(true)
  const both = await sign([current, former], "{}")
  expect([verify(former, both, "{}"), verify(current, both, "{}")]).toEqual([true, true])
})

it("verify: another secret, body or id, an old or no time, no headers → false", async () => {
  const secret = makeSecret()
  const headers = await sign([secret], "{}")
  expect(verify(makeSecret(), headers, "{}")).toBe(false)
  expect(verify(secret, headers, "{ }")).toBe(false)
  const other = new Headers(headers)
  other.set("webhook-id", "evt_2")
  expect(verify(secret, other, "{}")).toBe(false)
  expect(verify(secret, await sign([secret], "{}", Date.now() - 600_000), "{}")).toBe(false)
  expect(verify(secret, new Headers(), "{}")).toBe(false)
})
