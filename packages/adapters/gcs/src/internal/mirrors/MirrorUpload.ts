/**
 * Uploads an object to a mirror target: the port's method `write`.
 */
import type { MirrorObject, WriteReceipt } from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type * as Connection from "../client/Connection.ts"
import * as GcsFailure from "../GcsFailure.ts"
import * as Upload from "../uploads/Upload.ts"
import * as MirrorDescription from "./MirrorDescription.ts"
import * as MirrorObjects from "./MirrorObjects.ts"

/**
 * Implements the port's `write`. An interrupted write that has replaced the object stays: the former object could not
 * be restored.
 */
export const write = <E, R>(
  connection: Connection.Connection,
  partBytes: number,
  object: MirrorObject,
  content: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<WriteReceipt, GcsFailure.GcsFailure | E, R> => {
  const settings: Upload.Settings = {
    partBytes,
    name: object.name,
    fields: MirrorDescription.toFields(object.description),
    expectedBytes: object.size,
    reject: ({ digests: { sha256 }, size }) =>
      size === object.size && sha256 === object.sha256
        ? undefined
        : GcsFailure.make("Damaged", "The bytes that were read are not the bytes of the file."),
    // The worker takes the object of an interrupted write for unknown. It must not wait for a service that hangs.
    isInterruptible: true
  }
  return Effect.map(Upload.upload(connection, settings, content), ({ stored }) => MirrorObjects.toReceipt(stored))
}
