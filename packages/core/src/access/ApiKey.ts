/**
 * The format of keys: `hf_`, 32 random bytes in base64url (43 characters), then 6 characters of checksum.
 *
 * The checksum is the head of SHA-256 over what stands before it, in base64url: a typo, or a random text that looks like a key, is told
 * apart without a look-up, by us and by secret scanners. Only the SHA-256 of the whole key is ever stored.
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

/** A fresh key with what is stored of it. */
export interface Minted {
  /** Shown once, to whoever asked for the key. */
  readonly key: Redacted.Redacted
  /** SHA-256 of the key, hexadecimal. */
  readonly hash: string
  /** The first 8 characters, for display. */
  readonly prefix: string
}

const describe = (text: string) =>
  Effect.map(hashText(text), (hash): Minted => ({
    key: Redacted.make(text, { label: "ApiKey" }),
    hash: Hex.encode(hash),
    prefix: text.slice(0, 8)
  }))

/** Makes a fresh key. */
export const mint: Effect.Effect<Minted, never, SecureRandom | Digest> = Effect.gen(function* () {
  const random = yield* SecureRandom
  const body = `hf_${Base64Url.encode(yield* random.randomBytes(32))}`
  return yield* describe(body + (yield* checksum(body)))
})

/** Checks spelling and checksum of a key, and gives what is stored of it. Fails with `Unauthenticated` otherwise. */
export const parse = (text: string): Effect.Effect<Minted, Unauthenticated, Digest> =>
  Effect.gen(function* () {
    if (!shape.test(text)) return yield* new Unauthenticated()
    if ((yield* checksum(text.slice(0, bodyLength))) !== text.slice(bodyLength)) return yield* new Unauthenticated()
    return yield* describe(text)
  })

/** The actor that presents this key. The key's standing is looked up later, with each call. */
export const identify = (text: string): Effect.Effect<Actor.Actor, Unauthenticated, Digest> =>
  Effect.map(parse(text), ({ hash }) => Actor.key(hash))
