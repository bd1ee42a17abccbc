/**
 * A mirror's target in a container of Azure Blob Storage.
 *
 * An object is visible when it is whole, since the service has it so. A write that fails may leave blocks behind, which are
 * invisible: the service drops them after a week, or with the next write of the object.
 */
import type { MirrorTarget, Open } from "@holdfast/core/mirrors/targets/MirrorTarget"
import { MirrorTargetError } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import * as TargetCheck from "@holdfast/core/mirrors/targets/TargetCheck"
import type { AzureBlobLocation } from "@holdfast/core/mirrors/targets/types/AzureBlobTargetType"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as AzureErrors from "./AzureErrors.ts"
import * as AzureFailure from "./AzureFailure.ts"
import type * as AzureOptions from "./AzureOptions.ts"
import * as Connection from "./Connection.ts"
import * as Listing from "./Listing.ts"
import * as MirrorDescription from "./MirrorDescription.ts"
import * as MirrorNames from "./MirrorNames.ts"
import * as MirrorObjects from "./MirrorObjects.ts"
import * as Upload from "./Upload.ts"

export interface Options extends AzureOptions.Requests, AzureOptions.Blocks {
  /** Lets every address be connected to, also those that are not on the public Internet. */
  readonly allowPrivate: boolean
}

const invalid = (operation: string, detail: string): MirrorTargetError =>
  new MirrorTargetError({ reason: "Invalid", operation, detail })

/** What no request needs to be made for. */
const accept = (
  operation: string,
  ...faults: ReadonlyArray<string | undefined>
): Effect.Effect<void, MirrorTargetError> => {
  const detail = faults.find((fault) => fault !== undefined)
  return detail === undefined ? Effect.void : Effect.fail(invalid(operation, detail))
}

/** Opens targets; the SDK is loaded with the first one. */
export const open =
  (options: Options): Open<AzureBlobLocation> =>
  ({ containerName, ...account }) =>
    Effect.gen(function* () {
      const connection = yield* Connection.make({ ...options, account, container: containerName }).pipe(
        Effect.mapError(AzureErrors.toTargetError("open"))
      )
      const sizes = Upload.sizes(options)
      const largest = sizes.blockBytes * Upload.maxBlocks

      const target: Omit<MirrorTarget, "check"> = {
        write: (object, content) =>
          accept(
            "write",
            MirrorNames.fault(object.name),
            MirrorDescription.fault(object.description),
            object.size > largest ? `The object is larger than ${largest} bytes.` : undefined
          ).pipe(
            Effect.andThen(MirrorObjects.write(connection, sizes, object, content)),
            Effect.mapError((error) =>
              error instanceof AzureFailure.AzureFailure ? AzureErrors.toTargetError("write")(error) : error
            )
          ),

        describe: (object) =>
          accept("describe", MirrorNames.fault(object.name), MirrorDescription.fault(object.description)).pipe(
            Effect.andThen(
              Effect.mapError(MirrorObjects.describe(connection, object), AzureErrors.toTargetError("describe"))
            )
          ),

        // What Azure cannot hold does not stand there.
        remove: (name) =>
          MirrorNames.fault(name) === undefined
            ? Effect.mapError(MirrorObjects.remove(connection, name), AzureErrors.toTargetError("remove"))
            : Effect.void,

        stat: (name) =>
          MirrorNames.fault(name) === undefined
            ? Effect.mapError(MirrorObjects.stat(connection, name), AzureErrors.toTargetError("stat"))
            : Effect.succeedNone,

        list: Stream.mapError(MirrorObjects.list(connection), AzureErrors.toTargetError("list"))
      }
      const { remove, write } = target
      const list = Effect.mapError(Listing.check(connection, ""), AzureErrors.toTargetError("check"))
      // An account's key permits everything, so describing is not tried out.
      return { ...target, check: TargetCheck.run({ remove, write }, list) }
    })
