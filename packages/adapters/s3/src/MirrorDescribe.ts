/**
 * Another description for an object that stands: S3 copies it onto itself.
 */
import type { HeadObjectCommandOutput } from "@aws-sdk/client-s3"
import type { MirrorObject, WriteReceipt } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { MirrorTargetError } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Client from "./Client.ts"
import type * as MirrorConnection from "./MirrorConnection.ts"
import * as MirrorErrors from "./MirrorErrors.ts"
import * as MirrorFields from "./MirrorFields.ts"
import * as MirrorObjects from "./MirrorObjects.ts"
import * as Multipart from "./Multipart.ts"

/** Parts of a copy that are made at once; the service makes them by itself. */
const concurrency = 4

/** What is copied: only the object that was seen, even if another one takes its place meanwhile. */
const sourceOf = ({ Bucket, Key }: Client.Target, { ETag }: HeadObjectCommandOutput) => ({
  CopySource: encodeURI(Bucket) + "/" + Key.split("/").map(encodeURIComponent).join("/"),
  ...(ETag === undefined ? {} : { CopySourceIfMatch: ETag })
})

/** What the copy would lose. */
const keptOf = ({ StorageClass }: HeadObjectCommandOutput) => (StorageClass === undefined ? {} : { StorageClass })

const inParts = (
  connection: MirrorConnection.Connection,
  target: Client.Target,
  fields: MirrorFields.Fields,
  { answer, object }: MirrorObjects.Head,
  copyBytes: number
): Effect.Effect<void, MirrorTargetError> => {
  const partBytes = Math.max(copyBytes, Math.ceil(object.size / Multipart.maxParts))
  const numbers = Array.from({ length: Math.ceil(object.size / partBytes) }, (_, index) => index + 1)
  return Effect.uninterruptibleMask((restore) =>
    Multipart.run(connection, "describe", { ...target, ...fields, ...keptOf(answer) }, (upload) =>
      Effect.forEach(
        numbers,
        (number) => {
          const [first, end] = [(number - 1) * partBytes, Math.min(number * partBytes, object.size)]
          const range = { PartNumber: number, CopySourceRange: `bytes=${first}-${end - 1}` }
          return connection
            .call("describe", (client, sdk, options) =>
              client.send(new sdk.UploadPartCopyCommand({ ...upload, ...sourceOf(target, answer), ...range }), options)
            )
            .pipe(
              Effect.flatMap(({ CopyPartResult }) =>
                Multipart.completed(connection, "describe", number, CopyPartResult?.ETag)
              )
            )
        },
        { concurrency }
      ).pipe(restore)
    )
  )
}

const atOnce = (
  connection: MirrorConnection.Connection,
  target: Client.Target,
  fields: MirrorFields.Fields,
  { answer }: MirrorObjects.Head
) =>
  connection.call("describe", (client, sdk, options) =>
    client.send(
      new sdk.CopyObjectCommand({
        ...target,
        ...sourceOf(target, answer),
        ...fields,
        ...keptOf(answer),
        MetadataDirective: "REPLACE"
      }),
      options
    )
  )

/** As the port's `describe`. */
export const describe = (
  connection: MirrorConnection.Connection,
  copyBytes: number,
  { description, name }: MirrorObject
): Effect.Effect<WriteReceipt, MirrorTargetError> =>
  Effect.gen(function* () {
    const target = yield* connection.target("describe", name)
    const fields = yield* MirrorFields.of("describe", description)
    const find = Effect.flatMap(MirrorObjects.head(connection, "describe", name), (found) =>
      Option.isSome(found) ? Effect.succeed(found.value) : Effect.fail(MirrorErrors.notFound("describe"))
    )
    const head = yield* find
    const isLarge = head.object.size > copyBytes
    // Ceph's gateway decodes the source of a part twice: it finds another object, or none, or crashes. So it is written anew.
    if (isLarge && name.includes("%")) return yield* MirrorErrors.notFound("describe")
    yield* isLarge ? inParts(connection, target, fields, head, copyBytes) : atOnce(connection, target, fields, head)
    return MirrorObjects.receipt((yield* find).object)
  })
