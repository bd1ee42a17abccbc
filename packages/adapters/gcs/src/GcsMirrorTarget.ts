/**
 * Mirror targets in buckets of Google Cloud Storage.
 *
 * The name of an object is its path and name. Its description is stored as fields and metadata. Its tag is the
 * generation and the metageneration. A process that dies may leave an upload session, which is invisible: the service
 * drops it after a week.
 */
import type { MirrorTarget, Open } from "@holdfast/core/mirrors/targets/MirrorTarget"
import { MirrorTargetError, type Reason } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import * as TargetCheck from "@holdfast/core/mirrors/targets/TargetCheck"
import type { GcsLocation } from "@holdfast/core/mirrors/targets/types/GcsTargetType"
import * as RemoteBlobStore from "@holdfast/core/storage/RemoteBlobStore"
import * as RemoteFailure from "@holdfast/core/storage/RemoteFailure"
import * as Endpoint from "@holdfast/outbound/Endpoint"
import * as RequestOptions from "@holdfast/outbound/RequestOptions"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Connection from "./internal/client/Connection.ts"
import * as Objects from "./internal/client/Objects.ts"
import * as ServiceAccount from "./internal/client/ServiceAccount.ts"
import * as Tokens from "./internal/client/Tokens.ts"
import * as Transport from "./internal/client/Transport.ts"
import * as GcsErrors from "./internal/GcsErrors.ts"
import * as GcsFailure from "./internal/GcsFailure.ts"
import type * as GcsOptions from "./GcsOptions.ts"
import * as MirrorDescribe from "./internal/mirrors/MirrorDescribe.ts"
import * as MirrorNames from "./internal/mirrors/MirrorNames.ts"
import * as MirrorObjects from "./internal/mirrors/MirrorObjects.ts"
import * as MirrorUpload from "./internal/mirrors/MirrorUpload.ts"
import * as Upload from "./internal/uploads/Upload.ts"

/** The service's limit. */
const maxObjectBytes = 5 * 1024 ** 4

const makeError = (reason: Reason, operation: string, detail: string): MirrorTargetError =>
  new MirrorTargetError({ reason, operation, detail })

/** Fails for an object that the service cannot store, before any request. */
const failOnFault = (operation: string, name: string, size: number): Effect.Effect<void, MirrorTargetError> => {
  const isTooLarge = size > maxObjectBytes
  const fault =
    MirrorNames.findFault(name) ?? (isTooLarge ? "Google Cloud Storage takes objects of at most 5 TiB." : undefined)
  return fault === undefined ? Effect.void : Effect.fail(makeError("Invalid", operation, fault))
}

const connect = Effect.fnUntraced(function* (options: GcsOptions.MirrorOptions, location: GcsLocation) {
  const limits = RequestOptions.resolve(options, RequestOptions.targetConnections)
  const maxAttempts = Math.max(1, limits.maxAttempts)
  const endpoint = yield* Effect.mapError(
    Effect.fromResult(Endpoint.parse(location.endpoint ?? Connection.defaultEndpoint)),
    (reason) => makeError("Refused", "open", `The endpoint is not valid. ${reason}`)
  )
  const account = yield* Effect.mapError(
    Effect.fromResult(ServiceAccount.parse(Redacted.value(location.credentials))),
    (reason) => makeError("Denied", "open", reason)
  )
  // The user has configured both addresses: that of the service, and in the credentials that of the token endpoint.
  const transport = yield* Transport.scoped(options, limits)
  const tokens = Tokens.ofAccount(transport, account, maxAttempts)
  const { bucketName: bucket, projectId } = location
  return Connection.make({ bucket, endpoint, transport, tokens, maxAttempts, projectId })
})

/** Returns the function that opens targets. It makes no request. */
export const open =
  (options: GcsOptions.MirrorOptions): Open<GcsLocation> =>
  (location) =>
    Effect.map(connect(options, location), (connection) => {
      const partBytes = Upload.partBytes(options)
      const methods: Omit<MirrorTarget, "check"> = {
        write: (object, content) =>
          failOnFault("write", object.name, object.size).pipe(
            Effect.andThen(MirrorUpload.write(connection, partBytes, object, content)),
            RemoteFailure.mapFailure(GcsFailure.isFailure, GcsErrors.toTargetError("write"))
          ),
        describe: (object) =>
          Effect.andThen(
            failOnFault("describe", object.name, object.size),
            Effect.mapError(MirrorDescribe.describe(connection, object), GcsErrors.toTargetError("describe"))
          ),
        // An object whose name the service cannot store does not exist.
        remove: (name) =>
          MirrorNames.findFault(name) === undefined
            ? Effect.mapError(Objects.remove(connection, name), GcsErrors.toTargetError("remove"))
            : Effect.void,
        stat: (name) =>
          MirrorNames.findFault(name) === undefined
            ? Effect.mapError(MirrorObjects.stat(connection, name), GcsErrors.toTargetError("stat"))
            : Effect.succeedNone,
        read: (name) =>
          MirrorNames.findFault(name) === undefined
            ? Stream.mapError(
                RemoteBlobStore.readObject(MirrorObjects.open(connection, name), GcsFailure.bodyFailures),
                GcsErrors.toTargetError("read")
              )
            : Stream.fail(makeError("NotFound", "read", "Google Cloud Storage cannot store an object of this name.")),
        list: Stream.mapError(MirrorObjects.list(connection), GcsErrors.toTargetError("list"))
      }
      const list = Effect.mapError(Objects.page(connection, "", undefined, 1), GcsErrors.toTargetError("check"))
      return { ...methods, check: TargetCheck.run(methods, list) }
    })
