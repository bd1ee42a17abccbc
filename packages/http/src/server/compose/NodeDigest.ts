/**
 * Effect's `Digest` on Node's one-shot `hash`. That function is synchronous: the hash of a key is computed during
 * requests, and WebCrypto's detour through another thread would cost more than the hash. It is meant for short inputs;
 * the contents of files are hashed as streams.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Algorithm, Digest } from "effect/crypto/Digest"
import { hash } from "node:crypto"

const nodeNames: Readonly<Record<Algorithm["name"], string>> = {
  MD5: "md5",
  "SHA-1": "sha1",
  "SHA-256": "sha256",
  "SHA-384": "sha384",
  "SHA-512": "sha512"
}

export const layer: Layer.Layer<Digest> = Layer.succeed(
  Digest,
  Digest.of({
    digest: (algorithm, data) => Effect.sync(() => hash(nodeNames[algorithm.name], data, "buffer")),
    digestHex: (algorithm, data) => Effect.sync(() => hash(nodeNames[algorithm.name], data, "hex"))
  })
)
