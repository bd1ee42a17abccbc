/**
 * Mirror targets in containers of Azure Blob Storage.
 *
 * Azure shows nothing of a blob before its last byte has arrived. A write that fails may leave blocks, which are
 * invisible: the service drops them after a week, or with the next write of the object.
 */
import type { MirrorTarget, Open } from "@holdfast/core/mirrors/targets/MirrorTarget"
import { MirrorTargetError } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import * as TargetCheck from "@holdfast/core/mirrors/targets/TargetCheck"
import type { AzureBlobLocation } from "@holdfast/core/mirrors/targets/types/AzureBlobTargetType"
import * as RemoteBlobStore from "@holdfast/core/storage/RemoteBlobStore"
import * as RemoteFailure from "@holdfast/core/storage/RemoteFailure"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as AzureErrors from "./internal/AzureErrors.ts"
import * as AzureFailure from "./internal/AzureFailure.ts"
import type * as AzureOptions from "./AzureOptions.ts"
import * as BlobObjects from "./internal/blobs/BlobObjects.ts"
import * as Connection from "./internal/client/Connection.ts"
import * as BlobListing from "./internal/client/BlobListing.ts"
import * as Sdk from "./internal/client/Sdk.ts"
import * as MirrorDescribe from "./internal/mirrors/MirrorDescribe.ts"
import * as MirrorDescription from "./internal/mirrors/MirrorDescription.ts"
import * as MirrorNames from "./internal/mirrors/MirrorNames.ts"
import * as MirrorObjects from "./internal/mirrors/MirrorObjects.ts"
import * as MirrorUpload from "./internal/mirrors/MirrorUpload.ts"
import * as BlockList from "./internal/uploads/BlockList.ts"
import * as Upload from "./internal/uploads/Upload.ts"

/** Fails with the first fault, before any request. */
const failOnFault = (
  operation: string,
  ...faults: ReadonlyArray<string | undefined>
): Effect.Effect<void, MirrorTargetError> => {
  const detail = faults.find((fault) => fault !== undefined)
  return detail === undefined
    ? Effect.void
    : Effect.fail(new MirrorTargetError({ reason: "Invalid", operation, detail }))
}

/** Returns the function that opens targets. It makes no request. The SDK is loaded with the first target. */
export const open =
  (options: AzureOptions.MirrorOptions): Open<AzureBlobLocation> =>
  ({ containerName, ...account }) =>
    Effect.gen(function* () {
      yield* Sdk.inSteps
      const connection = yield* Connection.make({ ...options, account, container: containerName }).pipe(
        Effect.mapError(AzureErrors.toTargetError("open"))
      )
      const sizes = Upload.partSizes(options)
      const largest = sizes.partBytes * BlockList.maxBlocks

      const methods: Omit<MirrorTarget, "check"> = {
        write: (object, content) =>
          failOnFault(
            "write",
            MirrorNames.findFault(object.name),
            MirrorDescription.findFault(object.description),
            object.size > largest ? `The object is larger than ${largest} bytes.` : undefined
          ).pipe(
            Effect.andThen(MirrorUpload.write(connection, sizes, object, content)),
            RemoteFailure.mapFailure(AzureFailure.isFailure, AzureErrors.toTargetError("write"))
          ),

        describe: (object) =>
          failOnFault(
            "describe",
            MirrorNames.findFault(object.name),
            MirrorDescription.findFault(object.description)
          ).pipe(
            Effect.andThen(
              Effect.mapError(MirrorDescribe.describe(connection, object), AzureErrors.toTargetError("describe"))
            )
          ),

        // An object whose name Azure cannot store does not exist.
        remove: (name) =>
          MirrorNames.findFault(name) === undefined
            ? Effect.mapError(MirrorObjects.remove(connection, name), AzureErrors.toTargetError("remove"))
            : Effect.void,

        stat: (name) =>
          MirrorNames.findFault(name) === undefined
            ? Effect.mapError(MirrorObjects.stat(connection, name), AzureErrors.toTargetError("stat"))
            : Effect.succeedNone,

        read: (name) =>
          MirrorNames.findFault(name) === undefined
            ? Stream.mapError(
                RemoteBlobStore.readObject(BlobObjects.open(connection, name, undefined), AzureFailure.bodyFailures),
                AzureErrors.toTargetError("read")
              )
            : Stream.fail(AzureErrors.toTargetError("read")(AzureFailure.make("NoObject", "The name is not valid."))),

        list: Stream.mapError(MirrorObjects.list(connection), AzureErrors.toTargetError("list"))
      }
      const { remove, write } = methods
      const list = Effect.mapError(BlobListing.check(connection, ""), AzureErrors.toTargetError("check"))
      // An account's key permits every operation, so the check does not try `describe`.
      return { ...methods, check: TargetCheck.run({ remove, write }, list) }
    })
