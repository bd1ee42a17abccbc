/**
 * The hash function for contents, from Node.
 */
import { ContentHasher, type Sha256 } from "@holdfast/core/integrity/ContentHasher"
import * as Layer from "effect/Layer"
import { createHash } from "node:crypto"

/** Begins to hash a content. */
export const sha256 = (): Sha256 => {
  const hash = createHash("sha256")
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest("hex") }
}

export const layer: Layer.Layer<ContentHasher> = Layer.succeed(ContentHasher, ContentHasher.of({ sha256 }))
