/**
 * A SecretBox of AES-256-GCM (NIST SP 800-38D) with a fresh 96-bit nonce per secret.
 *
 * A sealed text is `v1.<key id>.<nonce>.<ciphertext and tag>`, the last two in base64url. The key id and the context are
 * authenticated with it.
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

/** A configured key is not 32 bytes long. */
export class SecretKeyInvalid extends Data.TaggedError("SecretKeyInvalid")<{}> {
  readonly code = "internal"
  override readonly message = "A secret key must be exactly 32 bytes."
}

export interface AesSecretBoxOptions {
  /** 32 bytes. What is sealed from now on is sealed by this key. */
  readonly current: Redacted.Redacted<Uint8Array>
  /** Keys that were current earlier: they still open. */
  readonly former?: ReadonlyArray<Redacted.Redacted<Uint8Array>> | undefined
}

const nonceLength = 12
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** A key's id is the head of its SHA-256: it needs no setting of its own and tells nothing about the key. */
const importKey = (secret: Redacted.Redacted<Uint8Array>) =>
  Effect.gen(function* () {
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
  const bound = (keyId: string, context: string) => encoder.encode(`${keyId}.${context}`)

  return SecretBox.of({
    seal: (secret, context) =>
      Effect.gen(function* () {
        const nonce = yield* random.randomBytes(nonceLength)
        const sealed = yield* Effect.orDie(
          aead.encrypt(current.key, encoder.encode(Redacted.value(secret)), { nonce, aad: bound(current.id, context) })
        )
        return `v1.${current.id}.${Base64Url.encode(nonce)}.${Base64Url.encode(sealed)}`
      }),

    open: (text, context) =>
      Effect.gen(function* () {
        const [version, keyId, nonceText, sealedText, ...rest] = text.split(".")
        if (version !== "v1" || keyId === undefined || rest.length > 0) return yield* unreadable
        const key = keys.get(keyId)
        if (key === undefined) return yield* new SecretError({ reason: "UnknownKey" })
        const nonce = Base64Url.decode(nonceText ?? "")
        const sealed = Base64Url.decode(sealedText ?? "")
        if (Result.isFailure(nonce) || Result.isFailure(sealed)) return yield* unreadable
        const opened = yield* Effect.mapError(
          aead.decrypt(key, sealed.success, { nonce: nonce.success, aad: bound(keyId, context) }),
          () => unreadable
        )
        return Redacted.make(decoder.decode(opened))
      }),

    isStale: (text) => text.split(".")[1] !== current.id
  })
})

const unreadable = new SecretError({ reason: "Unreadable" })

/** A SecretBox over these keys. */
export const layer = (
  options: AesSecretBoxOptions
): Layer.Layer<SecretBox, SecretKeyInvalid, Aead.Aead | SecureRandom | Digest> => Layer.effect(SecretBox, make(options))
