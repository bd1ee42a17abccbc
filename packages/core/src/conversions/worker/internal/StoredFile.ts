/**
 * Reads a small stored file of a claimed conversion.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as BlobKey from "../../../storage/BlobKey.ts"
import { BlobStore } from "../../../storage/BlobStore.ts"
import { concat } from "../../../storage/ByteChunks.ts"
import { type ConversionClaim, LeaseLost } from "../../ConversionClaim.ts"
import { ConversionRepository } from "../../ConversionRepository.ts"

/** Returns the bytes of a file. Fails with `LeaseLost` if there is none of this name: the conversion was removed or replaced. */
export const read = Effect.fnUntraced(function* ({ bucketId, conversionId, tenantId }: ConversionClaim, name: string) {
  const [found] = yield* (yield* ConversionRepository).findSegments(conversionId, [name])
  if (found === undefined) return yield* new LeaseLost()
  const key = BlobKey.make({ tenantId, bucketId, blobId: found.blobId })
  return concat(yield* Stream.runCollect((yield* BlobStore).read(key)))
})
