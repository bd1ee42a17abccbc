/**
 * The layers for the mirror options of `open`.
 */
import * as Aead from "effect/crypto/Aead"
import type { Digest } from "effect/crypto/Digest"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { InvalidRequest } from "../../../Errors.ts"
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

/** Bytes of a secret key. */
const keyLength = 32

const decodeKey = (pointer: string, bytes: unknown): Redacted.Redacted<Uint8Array> => {
  if (!(bytes instanceof Uint8Array) || bytes.length !== keyLength) {
    throw InvalidRequest.at(pointer, `must be ${keyLength} bytes`)
  }
  return Redacted.make(bytes, { label: "SecretKey" })
}

/**
 * Returns the encryption of credentials; without a secret key the layer that refuses to encrypt. Throws `InvalidRequest`
 * for a key of another length.
 */
export const secretBox = ({
  formerSecretKeys = [],
  secretKey
}: OpenOptions): Layer.Layer<SecretBox.SecretBox, AesSecretBox.SecretKeyInvalid, SecureRandom | Digest> => {
  if (secretKey === undefined) return SecretBox.layerNone
  return AesSecretBox.layer({
    current: decodeKey("/secretKey", secretKey),
    former: formerSecretKeys.map((key, index) => decodeKey(`/formerSecretKeys/${index}`, key))
  }).pipe(Layer.provide(Aead.layerWebCrypto))
}

/** Returns the mirror worker where this process copies files. Throws `InvalidRequest` for an invalid `mirrorCopies`. */
export const worker = ({ mirrorCopies: concurrency = 16, secretKey }: OpenOptions) => {
  if (!Number.isInteger(concurrency) || concurrency < 0) {
    throw InvalidRequest.at("/mirrorCopies", "must be a whole number of at least 0")
  }
  // Without the key the worker could not decrypt the credentials of any mirror.
  return concurrency === 0 || secretKey === undefined ? Layer.empty : MirrorWorker.layer({ concurrency })
}
