/**
 * Mirror targets in buckets of S3 or of compatible services.
 *
 * The key of an object is its path and name. Its description is stored as headers and metadata. Its tag is the entity
 * tag, which does not depend on the description, so that a receipt also has the second of the last change. A process
 * that dies during a multipart upload leaves parts, which are invisible but use space. Other programs may be uploading
 * to the same bucket, so that a lifecycle rule of the bucket has to remove such parts.
 */
import type { MirrorTarget, Open } from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as TargetCheck from "@holdfast/core/mirrors/targets/TargetCheck"
import type { S3Location } from "@holdfast/core/mirrors/targets/types/S3TargetType"
import * as RemoteBlobStore from "@holdfast/core/storage/RemoteBlobStore"
import * as RemoteFailure from "@holdfast/core/storage/RemoteFailure"
import * as Endpoint from "@holdfast/outbound/Endpoint"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as BlobObjects from "./internal/blobs/BlobObjects.ts"
import * as Configuration from "./internal/client/Configuration.ts"
import * as Connection from "./internal/client/Connection.ts"
import * as Sdk from "./internal/client/Sdk.ts"
import * as LoopGuard from "./internal/mirrors/LoopGuard.ts"
import * as MirrorDescribe from "./internal/mirrors/MirrorDescribe.ts"
import * as MirrorObjects from "./internal/mirrors/MirrorObjects.ts"
import * as MirrorUpload from "./internal/mirrors/MirrorUpload.ts"
import * as S3Errors from "./internal/S3Errors.ts"
import * as S3Failure from "./internal/S3Failure.ts"
import type * as S3Options from "./S3Options.ts"
import * as Upload from "./internal/uploads/Upload.ts"

const checkEndpoint = ({ endpoint }: S3Location): Effect.Effect<void, S3Failure.S3Failure> => {
  const parsed = endpoint === undefined ? undefined : Endpoint.parse(endpoint)
  return parsed !== undefined && Result.isFailure(parsed)
    ? Effect.fail(S3Failure.make("Refused", `The endpoint is not valid. ${parsed.failure}`))
    : Effect.void
}

const secretsOf = ({ accessKeyId, secretAccessKey }: S3Location): ReadonlyArray<string> =>
  [Redacted.value(secretAccessKey), accessKeyId].filter((secret) => secret !== "")

/** Returns the function that opens targets. It makes no request. The SDK is loaded with the first target. */
export const open =
  (options: S3Options.MirrorOptions): Open<S3Location> =>
  (location, source) =>
    Effect.gen(function* () {
      const toError = S3Errors.toTargetError(secretsOf(location))
      const connection = yield* checkEndpoint(location).pipe(
        Effect.andThen(Sdk.inSteps),
        Effect.andThen(Connection.make(Configuration.forTarget(options, location), location.bucketName)),
        Effect.mapError(toError("open"))
      )
      const sizes = Upload.partSizes(options)
      const guard = LoopGuard.make()
      const copyBytes = MirrorDescribe.copyBytes(options.copyBytes)
      const methods: Omit<MirrorTarget, "check"> = {
        write: (object, content) =>
          RemoteFailure.mapFailure(
            S3Failure.isFailure,
            toError("write")
          )(guard.run(object, MirrorUpload.write(connection, sizes, object, content, source))),
        describe: (object) =>
          Effect.mapError(
            guard.run(object, MirrorDescribe.describe(connection, copyBytes, object, source)),
            toError("describe")
          ),
        remove: (name) => Effect.mapError(MirrorObjects.remove(connection, name, source), toError("remove")),
        stat: (name) => Effect.mapError(MirrorObjects.stat(connection, name), toError("stat")),
        read: (name) =>
          Stream.mapError(
            RemoteBlobStore.readObject(BlobObjects.open(connection, name, undefined), S3Failure.bodyFailures),
            toError("read")
          ),
        list: Stream.mapError(MirrorObjects.list(connection), toError("list"))
      }
      const list = Effect.mapError(MirrorObjects.checkListing(connection), toError("check"))
      return { ...methods, check: TargetCheck.run(methods, list) }
    })
