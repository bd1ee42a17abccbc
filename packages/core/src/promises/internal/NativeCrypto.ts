/**
 * Hashes and HMACs of the runtime, where it has `node:crypto`, as Node.js, Bun and Deno have. They are synchronous: for the few bytes of a
 * key, WebCrypto's detour through another thread takes ten times as long as the hash.
 */
import * as Effect from "effect/Effect"
import { type Algorithm, Digest, layerWebCrypto } from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Layer from "effect/Layer"
import { type Hashing, type NodeCrypto, nodeCrypto } from "../../secrets/NodeCrypto.ts"

const native = nodeCrypto

/** Returns the name that OpenSSL has for an algorithm, such as `sha256`. */
const nameOf = (name: Algorithm["name"]): string => name.replace("-", "").toLowerCase()

/** Copies the bytes of Node's buffer, which is a view of a larger one. */
const bytesOf = (hashing: Hashing): Uint8Array => new Uint8Array(hashing.digest())

export const layerDigest: Layer.Layer<Digest> =
  native === undefined
    ? layerWebCrypto
    : Layer.succeed(
        Digest,
        Digest.of({
          digest: ({ name }, data) => Effect.sync(() => bytesOf(native.createHash(nameOf(name)).update(data))),
          digestHex: ({ name }, data) => Effect.sync(() => native.createHash(nameOf(name)).update(data).digest("hex"))
        })
      )

type Hmac = (name: Algorithm["name"], key: Uint8Array, data: Uint8Array) => Uint8Array

/** Makes the HMAC. It converts each key once, which takes four times as long as the HMAC of a key. */
const makeHmac = ({ createHmac, createSecretKey }: NodeCrypto): Hmac => {
  const converted = new WeakMap<Uint8Array, object>()
  return (name, key, data) => {
    const secret = converted.get(key) ?? createSecretKey(key)
    converted.set(key, secret)
    return bytesOf(createHmac(nameOf(name), secret).update(data))
  }
}

export const layerMac: Layer.Layer<Mac.Mac, never, SecureRandom> = Mac.layerWebCryptoWith({
  hmac: native && makeHmac(native)
})
