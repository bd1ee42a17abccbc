/**
 * Mirrors to a bucket of S3 or of a service compatible with it.
 *
 * Objects stand under their path and name as keys, with their description as headers and metadata. A tag is the entity tag,
 * which tells nothing of the description; the second of the last change does. An upload in parts whose process dies leaves parts, which cost room and are
 * invisible; since other programs may be uploading to the same bucket, they are left to a lifecycle rule of the bucket.
 */
import { type Open, type MirrorTarget } from "@holdfast/core/mirrors/targets/MirrorTarget"
import { MirrorTargetError } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import type { S3Location } from "@holdfast/core/mirrors/targets/TargetLocation"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { createHash, randomUUID } from "node:crypto"
import * as MirrorConnection from "./MirrorConnection.ts"
import * as MirrorDescribe from "./MirrorDescribe.ts"
import * as MirrorObjects from "./MirrorObjects.ts"
import type * as MirrorOptions from "./MirrorOptions.ts"
import * as MirrorWrite from "./MirrorWrite.ts"

const mebibyte = 1024 * 1024
const minPartBytes = 5 * mebibyte
const maxCopyBytes = 5 * 1024 * mebibyte

const bytes = Buffer.from("Holdfast checks whether it can write here.\n")

type Methods = Omit<MirrorTarget, "check">

/** All that a mirror needs to be allowed, tried on an object of its own. */
const check = (target: Methods, canList: Effect.Effect<void, MirrorTargetError>) =>
  Effect.suspend(() => {
    const object = {
      name: `.holdfast-check-${randomUUID()}`,
      size: bytes.byteLength,
      sha256: createHash("sha256").update(bytes).digest("hex"),
      description: { contentType: "text/plain", metadata: {} }
    }
    return Effect.acquireUseRelease(
      target.write(object, Stream.make(bytes)),
      () => Effect.andThen(target.describe(object), canList),
      () => target.remove(object.name)
    )
  }).pipe(Effect.mapError(({ detail, reason }) => new MirrorTargetError({ reason, operation: "check", detail })))

/** Opens targets by these options; nothing is asked of the service yet, and the SDK is loaded with the first one. */
export const open =
  (options: MirrorOptions.Options): Open<S3Location> =>
  (location) =>
    Effect.map(MirrorConnection.make(options, location), (connection) => {
      const sizes = {
        partBytes: Math.max(minPartBytes, options.partBytes ?? 8 * mebibyte),
        partConcurrency: Math.max(1, options.partConcurrency ?? 3)
      }
      const copyBytes = Math.min(maxCopyBytes, Math.max(minPartBytes, options.copyBytes ?? maxCopyBytes))
      const methods: Methods = {
        write: (object, content) => MirrorWrite.write(connection, sizes, object, content),
        describe: (object) => MirrorDescribe.describe(connection, copyBytes, object),
        remove: (name) => MirrorObjects.remove(connection, name),
        stat: (name) =>
          Effect.map(
            MirrorObjects.head(connection, "stat", name),
            Option.map(({ object }) => object)
          ),
        list: MirrorObjects.list(connection)
      }
      return { ...methods, check: check(methods, MirrorObjects.canList(connection)) }
    })
