/**
 * The hash function for contents that the runtime has.
 */
import { type NodeCrypto, nodeCrypto } from "../secrets/NodeCrypto.ts"
import { ContentHasher } from "./ContentHasher.ts"

const make = ({ createHash }: NodeCrypto) =>
  ContentHasher.of({
    sha256: () => {
      const hash = createHash("sha256")
      return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest("hex") }
    }
  })

/** The hash function; undefined where the runtime has none that takes bytes in parts. */
export const native: ContentHasher["Service"] | undefined = nodeCrypto && make(nodeCrypto)
