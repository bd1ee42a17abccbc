/**
 * The layers for the secrets among the options of `open`.
 */
import * as Aead from "effect/crypto/Aead"
import type { Digest } from "effect/crypto/Digest"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as AesSecretBox from "../../../secrets/AesSecretBox.ts"
import * as SecretBox from "../../../secrets/SecretBox.ts"
import * as SigningSecret from "../../../secrets/SigningSecret.ts"
import * as NativeCrypto from "../NativeCrypto.ts"
import type { OpenOptions } from "./OpenOptions.ts"

const redact = (bytes: Uint8Array) => Redacted.make(bytes, { label: "SecretKey" })

/** Returns the encryption of credentials; without a secret key the layer that refuses to encrypt. */
export const secretBox = ({
  formerSecretKeys = [],
  secretKey
}: OpenOptions): Layer.Layer<SecretBox.SecretBox, AesSecretBox.SecretKeyInvalid, SecureRandom | Digest> => {
  if (secretKey === undefined) return SecretBox.layerNone
  return AesSecretBox.layer({ current: redact(secretKey), former: formerSecretKeys.map(redact) }).pipe(
    Layer.provide(Aead.layerWebCrypto)
  )
}

/** Returns the secret that signs playback keys and links: the given one, or that of the secret key. */
export const signingSecret = ({ secretKey, signingSecret }: OpenOptions): Layer.Layer<never, never, SecureRandom> => {
  if (signingSecret !== undefined) {
    return Layer.succeed(SigningSecret.SigningSecret, Redacted.make(signingSecret, { label: "SigningSecret" }))
  }
  if (secretKey === undefined) return Layer.empty
  return Layer.effect(SigningSecret.SigningSecret, SigningSecret.derive(redact(secretKey))).pipe(
    Layer.provide(NativeCrypto.layerMac)
  )
}
