/**
 * The headers of a delivery by which an endpoint verifies it: Standard Webhooks 1.0, with HMAC-SHA256.
 */
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

/** The text before the base64 of a secret. */
const prefix = "whsec_"

export interface Message {
  readonly id: string
  /** When the attempt is made, in epoch milliseconds. */
  readonly at: number
  readonly body: string
}

/** Returns the headers of a message. */
export type Sign = (message: Message) => Effect.Effect<Readonly<Record<string, string>>>

const encoder = new TextEncoder()

/** Returns the bytes that a secret encodes. It is `whsec_` and base64. */
const decode = (secret: Redacted.Redacted): Uint8Array => {
  const text = Redacted.value(secret)
  return Result.getOrThrow(Base64.decode(text.startsWith(prefix) ? text.slice(prefix.length) : text))
}

/** Returns what signs with all of these secrets: during a rotation an endpoint may know either of two. */
export const make = Effect.fnUntraced(function* (secrets: ReadonlyArray<Redacted.Redacted>) {
  const mac = yield* Mac.Mac
  const keys = yield* Effect.orDie(Effect.forEach(secrets, (secret) => Mac.key(Mac.hmacSha256, decode(secret))))
  const sign: Sign = ({ at, body, id }) => {
    const timestamp = String(Math.floor(at / 1000))
    const signed = encoder.encode(`${id}.${timestamp}.${body}`)
    return Effect.orDie(Effect.forEach(keys, (key) => mac.sign(key, signed))).pipe(
      Effect.map((tags) => ({
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": tags.map((tag) => `v1,${Base64.encode(tag)}`).join(" ")
      }))
    )
  }
  return sign
})
