/**
 * The format of API keys: `hf_`, 32 random bytes in base64url (43 characters), then 6 characters of checksum.
 *
 * The checksum is the beginning of the SHA-256 of the text before it, in base64url. With it the service and secret
 * scanners recognise a typo, or a random text of the same shape, without a look-up. Only the SHA-256 of the whole key is
 * stored.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Digest, sha256 } from "effect/crypto/Digest"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Hex from "effect/encoding/Hex"
import * as Actor from "../Actor.ts"
import { Unauthenticated } from "../Errors.ts"

const shape = /^hf_[A-Za-z0-9_-]{49}$/
const bodyLength = 3 + 43
const encoder = new TextEncoder()

const hashText = (text: string) =>
  Effect.flatMap(Digest, (digest) => Effect.orDie(digest.digest(sha256, encoder.encode(text))))

const checksum = (body: string) =>
  Effect.map(hashText(body), (hash) => Base64Url.encode(hash.subarray(0, 5)).slice(0, 6))

/** A key with the parts of it that are stored. */
export interface HashedKey {
  /** The key itself. It is shown once, in the response that creates it. */
  readonly key: Redacted.Redacted
  /** SHA-256 of the key, hexadecimal. */
  readonly hash: string
  /** The first 8 characters, for display. */
  readonly prefix: string
}

const hashKey = (text: string) =>
  Effect.map(hashText(text), (hash): HashedKey => ({
    key: Redacted.make(text, { label: "ApiKey" }),
    hash: Hex.encode(hash),
    prefix: text.slice(0, 8)
  }))

/** Creates a new random key. */
export const mint: Effect.Effect<HashedKey, never, SecureRandom | Digest> = Effect.gen(function* () {
  const random = yield* SecureRandom
  const body = `hf_${Base64Url.encode(yield* random.randomBytes(32))}`
  return yield* hashKey(body + (yield* checksum(body)))
})

/** Checks the format and the checksum of a key and hashes it. Fails with `Unauthenticated` when either is wrong. */
export const parse = Effect.fnUntraced(function* (text: string): Effect.fn.Return<HashedKey, Unauthenticated, Digest> {
  if (!shape.test(text)) return yield* new Unauthenticated()
  if ((yield* checksum(text.slice(0, bodyLength))) !== text.slice(bodyLength)) return yield* new Unauthenticated()
  return yield* hashKey(text)
})

/** Returns the actor that presents this key. `Access` looks up later, with each call, whether the key is valid. */
export const identify = (text: string): Effect.Effect<Actor.Actor, Unauthenticated, Digest> =>
  Effect.map(parse(text), ({ hash }) => Actor.key(hash))
