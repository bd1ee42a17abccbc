/**
 * The part of `open` that is about mirrors.
 */
import * as Aead from "effect/crypto/Aead"
import type { Digest } from "effect/crypto/Digest"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { InvalidRequest } from "../Errors.ts"
import { MirrorTargets } from "../mirrors/targets/MirrorTarget.ts"
import * as MirrorWorker from "../mirrors/worker/MirrorWorker.ts"
import * as AesSecretBox from "../secrets/AesSecretBox.ts"
import * as SecretBox from "../secrets/SecretBox.ts"
import type { OpenOptions } from "./PromiseApi.ts"

/** A kind of place that buckets can be mirrored to, as its package's factory gives it: `s3Mirrors()`. */
export interface MirrorsAdapter {
  readonly targets: MirrorTargets["Service"]["open"]
}

/** Where mirrors may lead; to other buckets of the same Holdfast they always may. */
export const targets = ({ mirrors = [] }: OpenOptions): Layer.Layer<MirrorTargets> =>
  Layer.succeed(
    MirrorTargets,
    MirrorTargets.of({ open: Object.assign({}, ...mirrors.map((adapter) => adapter.targets)) })
  )

const keyLength = 32

const secretOf = (option: string, bytes: unknown): Redacted.Redacted<Uint8Array> => {
  if (!(bytes instanceof Uint8Array) || bytes.length !== keyLength) {
    throw InvalidRequest.at(option, `must be ${keyLength} bytes`)
  }
  return Redacted.make(bytes, { label: "SecretKey" })
}

/** What seals credentials, or says that nothing does. Throws for a key that is none. */
export const secretBox = ({
  formerSecretKeys = [],
  secretKey
}: OpenOptions): Layer.Layer<SecretBox.SecretBox, AesSecretBox.SecretKeyInvalid, SecureRandom | Digest> => {
  if (secretKey === undefined) return SecretBox.layerNone
  return AesSecretBox.layer({
    current: secretOf("/secretKey", secretKey),
    former: formerSecretKeys.map((key, index) => secretOf(`/formerSecretKeys/${index}`, key))
  }).pipe(Layer.provide(Aead.layerWebCrypto))
}

/** What copies, where this process is to. Throws for an option that is none. */
export const worker = ({ mirrorCopies: concurrency = 16, secretKey }: OpenOptions) => {
  if (!Number.isInteger(concurrency) || concurrency < 0) {
    throw InvalidRequest.at("/mirrorCopies", "must be a whole number of at least 0")
  }
  // Without the key no mirror's credentials can be opened.
  return concurrency === 0 || secretKey === undefined ? Layer.empty : MirrorWorker.layer({ concurrency })
}
