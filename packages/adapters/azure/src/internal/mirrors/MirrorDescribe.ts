/**
 * Gives an object of a mirror target another description: the port's method `describe`.
 */
import type { MirrorObject, WriteReceipt } from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as Effect from "effect/Effect"
import type * as AzureFailure from "../AzureFailure.ts"
import type * as Connection from "../client/Connection.ts"
import * as MirrorDescription from "./MirrorDescription.ts"
import * as MirrorObjects from "./MirrorObjects.ts"

/** Makes a request conditional on the state of the object that an entity tag belongs to. */
const ifMatch = (etag: string | undefined) => (etag === undefined ? {} : { conditions: { ifMatch: etag } })

/**
 * Implements the port's `describe`. It takes two requests, each of which replaces everything that it sets: after a
 * failure between them, or a lost answer, both can be repeated. The metadata comes last, since its marks identify an
 * object that is complete. An object that another program changes meanwhile stays as it is.
 */
export const describe = Effect.fnUntraced(function* (
  connection: Connection.Connection,
  { description, name }: MirrorObject
): Effect.fn.Return<WriteReceipt, AzureFailure.AzureFailure> {
  const found = yield* connection.call((container, abortSignal) =>
    container.getBlobClient(name).getProperties({ abortSignal })
  )
  // The request clears every header that is absent, and the MD5 belongs to the bytes.
  const checksum = found.contentMD5 === undefined ? {} : { blobContentMD5: found.contentMD5 }
  const withHeaders = yield* connection.call((container, abortSignal) =>
    container
      .getBlobClient(name)
      .setHTTPHeaders(
        { ...MirrorDescription.toHeaders(description), ...checksum },
        { abortSignal, ...ifMatch(found.etag) }
      )
  )
  const { etag } = yield* connection.call((container, abortSignal) =>
    container
      .getBlobClient(name)
      .setMetadata(MirrorDescription.toMetadata(description), { abortSignal, ...ifMatch(withHeaders.etag) })
  )
  return yield* MirrorObjects.toReceipt(etag)
})
