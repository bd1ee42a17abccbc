/**
 * The port that hashes a content while it is read. Core has no hash function that takes bytes in parts.
 */
import * as Context from "effect/Context"

/** The SHA-256 of bytes that arrive in parts. */
export interface Sha256 {
  /** Takes the next bytes. Does not keep them. */
  readonly update: (bytes: Uint8Array) => void
  /** Returns the digest of all bytes so far, hexadecimal. No other method may be called afterwards. */
  readonly digest: () => string
}

export class ContentHasher extends Context.Service<ContentHasher, { readonly sha256: () => Sha256 }>()(
  "@holdfast/core/integrity/ContentHasher"
) {}
