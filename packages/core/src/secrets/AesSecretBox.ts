/**
 * A SecretBox that encrypts with AES-256-GCM (NIST SP 800-38D), with a new random 96-bit nonce for each secret.
 *
 * A sealed text is `v1.<key id>.<nonce>.<ciphertext and tag>`, the last two in base64url. The key id and the context are
 * the additional authenticated data.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Aead from "effect/crypto/Aead"
import { Digest, sha256 } from "effect/crypto/Digest"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Base64Url from "effect/encoding/Base64Url"
import { SecretBox, SecretError } from "./SecretBox.ts"

/** A configured key does not have 32 bytes. */
export class SecretKeyInvalid extends Data.TaggedError("SecretKeyInvalid")<{}> {
  readonly code = "internal"
  override readonly message = "A secret key must be exactly 32 bytes."
}

export interface AesSecretBoxOptions {
  /** The key that seals new secrets: 32 bytes. */
  readonly current: Redacted.Redacted<Uint8Array>
  /** Former keys. They still open the secrets that they sealed. */
  readonly former?: ReadonlyArray<Redacted.Redacted<Uint8Array>> | undefined
}

const nonceLength = 12
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Imports a key. Its id is the beginning of its SHA-256, which needs no setting of its own and does not reveal the key. */
const importKey = Effect.fnUntraced(function* (secret: Redacted.Redacted<Uint8Array>) {
  const bytes = Redacted.value(secret)
  const digest = yield* Digest
  const hash = yield* Effect.orDie(digest.digest(sha256, bytes))
  const key = yield* Effect.mapError(Aead.key(Aead.aes256Gcm, bytes), () => new SecretKeyInvalid())
  return { id: Base64Url.encode(hash.subarray(0, 6)), key }
})

const make = Effect.fnUntraced(function* (options: AesSecretBoxOptions) {
  const aead = yield* Aead.Aead
  const random = yield* SecureRandom
  const current = yield* importKey(options.current)
  const former = yield* Effect.forEach(options.former ?? [], importKey)
  const keys = new Map([...former, current].map(({ id, key }) => [id, key]))
  const additionalData = (keyId: string, context: string) => encoder.encode(`${keyId}.${context}`)

  return SecretBox.of({
    seal: Effect.fnUntraced(function* (secret, context) {
      const nonce = yield* random.randomBytes(nonceLength)
      const sealed = yield* Effect.orDie(
        aead.encrypt(current.key, encoder.encode(Redacted.value(secret)), {
          nonce,
          aad: additionalData(current.id, context)
        })
      )
      return `v1.${current.id}.${Base64Url.encode(nonce)}.${Base64Url.encode(sealed)}`
    }),

    open: Effect.fnUntraced(function* (text, context) {
      const [version, keyId, nonceText, sealedText, ...rest] = text.split(".")
      if (version !== "v1" || keyId === undefined || rest.length > 0) return yield* unreadable
      const key = keys.get(keyId)
      if (key === undefined) return yield* new SecretError({ reason: "UnknownKey" })
      const nonce = Base64Url.decode(nonceText ?? "")
      const sealed = Base64Url.decode(sealedText ?? "")
      if (Result.isFailure(nonce) || Result.isFailure(sealed)) return yield* unreadable
      const opened = yield* Effect.mapError(
        aead.decrypt(key, sealed.success, { nonce: nonce.success, aad: additionalData(keyId, context) }),
        () => unreadable
      )
      return Redacted.make(decoder.decode(opened))
    }),

    isStale: (text) => text.split(".")[1] !== current.id
  })
})

const unreadable = new SecretError({ reason: "Unreadable" })

/** The SecretBox with these keys. */
export const layer = (
  options: AesSecretBoxOptions
): Layer.Layer<SecretBox, SecretKeyInvalid, Aead.Aead | SecureRandom | Digest> => Layer.effect(SecretBox, make(options))
