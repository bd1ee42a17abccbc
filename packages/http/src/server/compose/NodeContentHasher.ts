/**
 * The hash function for contents, from Node.
 */
import { ContentHasher } from "@holdfast/core/integrity/ContentHasher"
import * as Layer from "effect/Layer"
import { createHash } from "node:crypto"

export const layer: Layer.Layer<ContentHasher> = Layer.succeed(
  ContentHasher,
  ContentHasher.of({
    sha256: () => {
      const hash = createHash("sha256")
      return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest("hex") }
    }
  })
)
