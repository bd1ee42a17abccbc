/**
 * Uploads an object to a mirror target: the port's method `write`.
 */
import type { MirrorObject, WriteReceipt } from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type * as Connection from "../client/Connection.ts"
import * as S3Failure from "../S3Failure.ts"
import * as Multipart from "../uploads/Multipart.ts"
import * as Upload from "../uploads/Upload.ts"
import * as MirrorDescription from "./MirrorDescription.ts"
import * as MirrorObjects from "./MirrorObjects.ts"

const mebibyte = 1024 * 1024

/**
 * Returns sizes with which an object fits into `maxParts` parts. Larger parts are sent one at a time, to save memory.
 */
const fit = ({ concurrency, partBytes }: Upload.PartSizes, size: number): Upload.PartSizes => {
  const least = Math.ceil(size / Multipart.maxParts / mebibyte) * mebibyte
  return least > partBytes ? { partBytes: least, concurrency: 1 } : { partBytes, concurrency }
}

/** Finds the object after its upload: the last chance to notice that a service has lost some of its parts. */
const findUploaded = (connection: Connection.Connection, { name, size }: MirrorObject) =>
  MirrorObjects.find(connection, name).pipe(
    Effect.flatMap(
      Option.match({
        onNone: () => Effect.fail(S3Failure.make("Damaged", "The object was missing after its upload.")),
        onSome: ({ object }) =>
          object.size === size
            ? Effect.succeed(MirrorObjects.receiptOf(object))
            : Effect.fail(S3Failure.make("Damaged", `The service stored ${object.size} bytes instead of ${size}.`))
      })
    )
  )

/** Implements the port's `write`. */
export const write = Effect.fnUntraced(function* <E, R>(
  connection: Connection.Connection,
  sizes: Upload.PartSizes,
  object: MirrorObject,
  content: Stream.Stream<Uint8Array, E, R>,
  source: MirrorDescription.Source
): Effect.fn.Return<WriteReceipt, S3Failure.S3Failure | E, R> {
  const settings: Upload.Settings = {
    ...fit(sizes, object.size),
    address: yield* MirrorObjects.addressOf(connection, object.name),
    fields: yield* MirrorDescription.toFields(object, source),
    expectedBytes: object.size,
    reject: ({ digests: sha256, size }) =>
      size === object.size && sha256 === object.sha256
        ? undefined
        : S3Failure.make("Damaged", "The bytes that were read are not the bytes of the file."),
    isInterruptible: true
  }
  const { stored } = yield* Upload.upload(connection, settings, content)
  const receipt = stored === undefined ? undefined : MirrorObjects.toReceipt(stored)
  return receipt ?? (yield* findUploaded(connection, object))
})
