/**
 * The layers for the mirror options of `open`.
 */
import * as Aead from "effect/crypto/Aead"
import type { Digest } from "effect/crypto/Digest"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { MirrorTargets } from "../../../mirrors/targets/MirrorTarget.ts"
import * as MirrorWorker from "../../../mirrors/worker/MirrorWorker.ts"
import * as AesSecretBox from "../../../secrets/AesSecretBox.ts"
import * as SecretBox from "../../../secrets/SecretBox.ts"
import type { OpenOptions } from "./OpenOptions.ts"

/** Returns the openers of all target types. The core itself opens other buckets of this deployment. */
export const targets = ({ mirrors = [] }: OpenOptions): Layer.Layer<MirrorTargets> =>
  Layer.succeed(
    MirrorTargets,
    MirrorTargets.of({ open: Object.assign({}, ...mirrors.map((adapter) => adapter.targets)) })
  )

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

/** Returns the mirror worker where this process copies files. Without the key it could not decrypt the credentials of any mirror. */
export const worker = ({ mirrorCopies: concurrency = 16, secretKey }: OpenOptions) =>
  concurrency === 0 || secretKey === undefined ? Layer.empty : MirrorWorker.layer({ concurrency })
