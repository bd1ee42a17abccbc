/**
 * Reads stored files of a claimed conversion that describe its segments.
 */
import * as Effect from "effect/Effect"
import { DamageReports } from "../../../integrity/DamageReports.ts"
import { BlobStore } from "../../../storage/BlobStore.ts"
import { type ConversionClaim, LeaseLost } from "../../ConversionClaim.ts"
import { ConversionRepository } from "../../ConversionRepository.ts"
import * as StoredParts from "../../internal/StoredParts.ts"

/** Returns a file as a source. Fails with `LeaseLost` if there is none of this name: the conversion was removed or replaced. */
export const open = Effect.fnUntraced(function* (claim: ConversionClaim, name: string) {
  const find = StoredParts.make(yield* ConversionRepository, yield* BlobStore, yield* DamageReports)
  const part = (yield* find(claim, claim.conversionId, [name])).get(name)
  return part === undefined ? yield* new LeaseLost() : StoredParts.sourceOf(part)
})

/** Returns the bytes of a small file. Fails likewise. */
export const read = (claim: ConversionClaim, name: string) =>
  Effect.flatMap(open(claim, name), ({ readRange, size }) => readRange({ offset: 0, length: size }))
