/**
 * Reads stored files of a claimed conversion that describe its segments.
 */
import * as Effect from "effect/Effect"
import { DamageReports } from "../../../integrity/DamageReports.ts"
import * as ContentSource from "../../../packaging/ContentSource.ts"
import { BlobStore } from "../../../storage/BlobStore.ts"
import { type ConversionClaim, LeaseLost } from "../../ConversionClaim.ts"
import { ConversionRepository } from "../../ConversionRepository.ts"
import * as StoredParts from "../../internal/StoredParts.ts"

/** Makes what finds a file by its name. */
export const makeFind = Effect.fnUntraced(function* (claim: ConversionClaim) {
  const find = StoredParts.make(yield* ConversionRepository, yield* BlobStore, yield* DamageReports)
  return (name: string) => find(claim, claim.conversionId, [name])
})

/** Returns a file. Fails with `LeaseLost` if there is none of this name: the conversion was removed or replaced. */
export const find = Effect.fnUntraced(function* (claim: ConversionClaim, name: string) {
  const part = (yield* (yield* makeFind(claim))(name)).get(name)
  return part ?? (yield* new LeaseLost())
})

/** Returns the bytes of a small file. Fails likewise. */
export const read = (claim: ConversionClaim, name: string) =>
  Effect.flatMap(find(claim, name), ({ size, stored }) => ContentSource.readRange(stored, { offset: 0, length: size }))
