/**
 * Gives an object of a mirror target another description: the port's method `describe`. S3 copies the object onto
 * itself.
 */
import type { HeadObjectCommandOutput } from "@aws-sdk/client-s3"
import type { MirrorObject, WriteReceipt } from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as MultipartUpload from "@holdfast/core/storage/MultipartUpload"
import * as Effect from "effect/Effect"
import type * as Connection from "../client/Connection.ts"
import type { ObjectAddress } from "../client/ObjectAddress.ts"
import * as S3Failure from "../S3Failure.ts"
import * as Multipart from "../uploads/Multipart.ts"
import { type Fields, minPartBytes } from "../uploads/Upload.ts"
import * as MirrorDescription from "./MirrorDescription.ts"
import * as MirrorObjects from "./MirrorObjects.ts"

/** S3's limit for one copy. */
const maxCopyBytes = 5 * 1024 ** 3

/** Returns the largest object that is copied in one request, within S3's limits. */
export const copyBytes = (configured = maxCopyBytes): number =>
  Math.min(maxCopyBytes, Math.max(minPartBytes, configured))

/** How many parts are copied at a time. The service copies them by itself. */
const concurrency = 4

/** The source of the copy: the object that was found, and not another object that replaces it meanwhile. */
const sourceOf = ({ Bucket, Key }: ObjectAddress, { ETag }: HeadObjectCommandOutput) => ({
  CopySource: encodeURI(Bucket) + "/" + Key.split("/").map(encodeURIComponent).join("/"),
  ...(ETag === undefined ? {} : { CopySourceIfMatch: ETag })
})

/** Fields that a copy would otherwise lose. */
const keptFields = ({ StorageClass }: HeadObjectCommandOutput) => (StorageClass === undefined ? {} : { StorageClass })

const copyInParts = (
  connection: Connection.Connection,
  address: ObjectAddress,
  fields: Fields,
  { object, output }: MirrorObjects.Head,
  maxBytes: number
): Effect.Effect<void, S3Failure.S3Failure> => {
  const partBytes = Math.max(maxBytes, Math.ceil(object.size / Multipart.maxParts))
  const numbers = Array.from({ length: Math.ceil(object.size / partBytes) }, (_, index) => index + 1)
  return MultipartUpload.run({
    begin: Multipart.begin(connection, { ...address, ...fields, ...keptFields(output) }),
    send: (upload) =>
      Effect.forEach(
        numbers,
        (number) => {
          const [first, end] = [(number - 1) * partBytes, Math.min(number * partBytes, object.size)]
          const range = { PartNumber: number, CopySourceRange: `bytes=${first}-${end - 1}` }
          return connection
            .call((client, sdk, options) =>
              client.send(new sdk.UploadPartCopyCommand({ ...upload, ...sourceOf(address, output), ...range }), options)
            )
            .pipe(Effect.flatMap(({ CopyPartResult }) => Multipart.toCompleted(number, CopyPartResult?.ETag)))
        },
        { concurrency }
      ),
    complete: (upload, parts) => Multipart.complete(connection, upload, parts),
    abort: (upload) => Multipart.discard(connection, upload)
  })
}

const copyWhole = (
  connection: Connection.Connection,
  address: ObjectAddress,
  fields: Fields,
  { output }: MirrorObjects.Head
) =>
  connection.call((client, sdk, options) =>
    client.send(
      new sdk.CopyObjectCommand({
        ...address,
        ...sourceOf(address, output),
        ...fields,
        ...keptFields(output),
        MetadataDirective: "REPLACE"
      }),
      options
    )
  )

const notFound = () => S3Failure.make("NoObject", "The bucket has no such object.")

/** Implements the port's `describe`. Objects of more than `maxBytes` bytes are copied in parts. */
export const describe = Effect.fnUntraced(function* (
  connection: Connection.Connection,
  maxBytes: number,
  object: MirrorObject,
  source: MirrorDescription.Source
): Effect.fn.Return<WriteReceipt, S3Failure.S3Failure> {
  const { name } = object
  const address = yield* MirrorObjects.addressOf(connection, name)
  const fields = yield* MirrorDescription.toFields(object, source)
  const get = Effect.flatMap(MirrorObjects.find(connection, name), Effect.fromOption(notFound))
  const head = yield* get
  const isLarge = head.object.size > maxBytes
  // Ceph's gateway decodes the source of a part twice: it finds another object, or none, or crashes. `NotFound` has
  // the mirror write the object anew instead.
  if (isLarge && name.includes("%")) return yield* notFound()
  yield* isLarge
    ? copyInParts(connection, address, fields, head, maxBytes)
    : copyWhole(connection, address, fields, head)
  return MirrorObjects.receiptOf((yield* get).object)
})
