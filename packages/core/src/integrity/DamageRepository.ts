/**
 * The port that stores which blobs are damaged. Each method is one atomic step.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { MetadataError } from "../MetadataError.ts"
import type * as BlobKey from "../storage/BlobKey.ts"
import type { DamageKind } from "../storage/DamageKind.ts"
import type { CheckedBlob, DamagedBlob } from "./Damage.ts"

export class DamageRepository extends Context.Service<
  DamageRepository,
  {
    /** Finds a READY blob, with what its bytes must be. */
    readonly find: (blobId: string) => Effect.Effect<Option.Option<CheckedBlob>, MetadataError>

    /**
     * Records that a READY blob is damaged; ignores other blobs. The file whose content it is has `damaged` from then on. Returns
     * whether the damage was not recorded before. A repair is due at once.
     */
    readonly record: (damage: {
      readonly blob: BlobKey.Parts
      readonly kind: DamageKind
      readonly at: DateTime.Utc
    }) => Effect.Effect<boolean, MetadataError>

    /**
     * Records that a blob is not damaged any more. Returns whether it still has a row, and whether damage was recorded. Without a
     * row, the bytes belong to nothing.
     */
    readonly clear: (
      blobId: string
    ) => Effect.Effect<{ readonly hasRow: boolean; readonly wasDamaged: boolean }, MetadataError>

    /**
     * Claims at most `limit` damaged blobs whose repair is due, the oldest first: no other process claims them before `leaseUntil`.
     * Forgets the damage of blobs that are not READY any more. Counts as an attempt. With `exceptTenants`, claims no blob of these tenants,
     * and looks at the thousand oldest due ones only.
     */
    readonly claimDue: (terms: {
      readonly limit: number
      readonly exceptTenants?: ReadonlyArray<string>
      readonly now: DateTime.Utc
      readonly leaseUntil: DateTime.Utc
    }) => Effect.Effect<ReadonlyArray<DamagedBlob>, MetadataError>

    /** Makes the next repair of a damaged blob due at a time. */
    readonly postpone: (blobId: string, dueAt: DateTime.Utc) => Effect.Effect<void, MetadataError>
  }
>()("@holdfast/core/integrity/DamageRepository") {}
