/**
 * Damage: the stored bytes of a content are not those that its record describes.
 */
import type * as DateTime from "effect/DateTime"
import type * as BlobKey from "../storage/BlobKey.ts"
import type { DamageKind } from "../storage/DamageKind.ts"

/** A blob that a row needs, with what its bytes must be. */
export interface CheckedBlob extends BlobKey.Parts {
  /** Bytes. */
  readonly size: number
  /** Hexadecimal. */
  readonly sha256: string
  /** The file whose content this blob is, or to whose conversion it belongs; null when there is none. */
  readonly fileId: string | null
}

/** A blob that was found damaged and is not repaired yet. */
export interface DamagedBlob extends CheckedBlob {
  readonly kind: DamageKind
  readonly foundAt: DateTime.Utc
  /** How many repairs were attempted. */
  readonly attempts: number
}
