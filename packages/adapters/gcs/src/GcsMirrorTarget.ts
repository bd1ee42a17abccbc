/**
 * Mirrors to a bucket of Google Cloud Storage.
 *
 * Objects stand under their path and name, with their description as fields and metadata. A tag is the generation and the
 * metageneration. An upload whose process dies leaves a session, which is invisible and which the service drops after a
 * week.
 */
import type { MirrorTarget, Open } from "@holdfast/core/mirrors/targets/MirrorTarget"
import { MirrorTargetError, type Reason } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import * as TargetCheck from "@holdfast/core/mirrors/targets/TargetCheck"
import type { GcsLocation } from "@holdfast/core/mirrors/targets/types/GcsTargetType"
import * as Endpoint from "@holdfast/outbound/Endpoint"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Connection from "./Connection.ts"
import * as GcsErrors from "./GcsErrors.ts"
import type * as GcsOptions from "./GcsOptions.ts"
import * as MirrorNames from "./MirrorNames.ts"
import * as MirrorObjects from "./MirrorObjects.ts"
import * as Objects from "./Objects.ts"
import * as ServiceAccount from "./ServiceAccount.ts"
import * as Tokens from "./Tokens.ts"
import * as Upload from "./Upload.ts"

/** How targets are used; where they are is said by whoever sets a mirror up. */
export interface Options extends GcsOptions.Limits {
  /** Whether targets and token endpoints may be at addresses that are not on the public Internet. */
  readonly allowPrivate: boolean
  /** Connections to one target at the most; further requests wait. 50 when absent. */
  readonly maxConnections?: number | undefined
}

const maxObjectBytes = 5 * 1024 ** 4

const failure = (reason: Reason, operation: string, detail: string): MirrorTargetError =>
  new MirrorTargetError({ reason, operation, detail })

/** What no request needs to be made for. */
const accept = (operation: string, name: string, size: number): Effect.Effect<void, MirrorTargetError> => {
  const isTooLarge = size > maxObjectBytes
  const fault = MirrorNames.fault(name) ?? (isTooLarge ? "Google Cloud Storage takes at most 5 TiB." : undefined)
  return fault === undefined ? Effect.void : Effect.fail(failure("Invalid", operation, fault))
}

const connect = (options: Options, location: GcsLocation) =>
  Effect.gen(function* () {
    const endpoint = yield* Effect.mapError(
      Effect.fromResult(Endpoint.parse(location.endpoint ?? Connection.defaultEndpoint)),
      (why) => failure("Refused", "open", `The endpoint cannot be connected to. ${why}`)
    )
    const account = yield* Effect.mapError(
      Effect.fromResult(ServiceAccount.parse(Redacted.value(location.credentials))),
      (why) => failure("Denied", "open", why)
    )
    // The user named both addresses: that of the service, and in the credentials that of the token endpoint.
    const transport = yield* Connection.transport(options, options, options.maxConnections ?? 50)
    const maxAttempts = Connection.maxAttemptsOf(options)
    const tokens = Tokens.ofAccount(transport, account, maxAttempts)
    const { bucketName: bucket, projectId } = location
    return Connection.make({ bucket, endpoint, transport, tokens, maxAttempts, projectId })
  })

/** Opens targets by these options. */
export const open =
  (options: Options): Open<GcsLocation> =>
  (location) =>
    Effect.map(connect(options, location), (connection) => {
      const chunkBytes = Upload.chunkBytesOf(options)
      const methods: Omit<MirrorTarget, "check"> = {
        write: (object, content) =>
          Effect.andThen(
            accept("write", object.name, object.size),
            MirrorObjects.write(connection, chunkBytes, object, content)
          ),
        describe: (object) =>
          Effect.andThen(
            accept("describe", object.name, object.size),
            Effect.mapError(MirrorObjects.describe(connection, object), GcsErrors.toTargetError("describe"))
          ),
        // What the service cannot hold does not stand there.
        remove: (name) =>
          MirrorNames.fault(name) === undefined
            ? Effect.mapError(Objects.remove(connection, name), GcsErrors.toTargetError("remove"))
            : Effect.void,
        stat: (name) =>
          MirrorNames.fault(name) === undefined
            ? Effect.mapError(MirrorObjects.stat(connection, name), GcsErrors.toTargetError("stat"))
            : Effect.succeedNone,
        list: Stream.mapError(MirrorObjects.list(connection), GcsErrors.toTargetError("list"))
      }
      const canList = Effect.mapError(Objects.page(connection, "", undefined, 1), GcsErrors.toTargetError("check"))
      return { ...methods, check: TargetCheck.run(methods, canList) }
    })
