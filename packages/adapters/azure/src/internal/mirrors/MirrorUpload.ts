/**
 * Uploads an object to a mirror target: the port's method `write`.
 */
import type { MirrorObject, WriteReceipt } from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import * as AzureFailure from "../AzureFailure.ts"
import type * as Connection from "../client/Connection.ts"
import * as Upload from "../uploads/Upload.ts"
import * as MirrorDescription from "./MirrorDescription.ts"
import * as MirrorObjects from "./MirrorObjects.ts"

/**
 * Implements the port's `write`. The object changes with the last request alone, which is made only for the declared
 * bytes.
 */
export const write = <E, R>(
  connection: Connection.Connection,
  sizes: Upload.PartSizes,
  object: MirrorObject,
  content: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<WriteReceipt, AzureFailure.AzureFailure | E, R> => {
  const settings: Upload.Settings = {
    ...sizes,
    name: object.name,
    fields: MirrorDescription.toFields(object.description),
    expectedBytes: object.size,
    reject: ({ digests: sha256, size }) =>
      size === object.size && sha256 === object.sha256
        ? undefined
        : AzureFailure.make("Damaged", "The bytes that were read are not the bytes of the file."),
    // The worker takes the object of an interrupted write for unknown. It must not wait for a service that hangs.
    isInterruptible: true
  }
  return Effect.flatMap(Upload.upload(connection, settings, content), ({ stored: etag }) =>
    MirrorObjects.toReceipt(etag)
  )
}
