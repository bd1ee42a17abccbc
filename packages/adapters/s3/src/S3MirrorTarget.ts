/**
 * Mirrors to a bucket of S3 or of a service compatible with it.
 *
 * Objects stand under their path and name as keys, with their description as headers and metadata. A tag is the entity tag,
 * which tells nothing of the description; the second of the last change does. An upload in parts whose process dies leaves parts, which cost room and are
 * invisible; since other programs may be uploading to the same bucket, they are left to a lifecycle rule of the bucket.
 */
import { type Open, type MirrorTarget } from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as TargetCheck from "@holdfast/core/mirrors/targets/TargetCheck"
import type { S3Location } from "@holdfast/core/mirrors/targets/types/S3TargetType"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as MirrorConnection from "./MirrorConnection.ts"
import * as MirrorDescribe from "./MirrorDescribe.ts"
import * as MirrorObjects from "./MirrorObjects.ts"
import type * as MirrorOptions from "./MirrorOptions.ts"
import * as MirrorWrite from "./MirrorWrite.ts"

const mebibyte = 1024 * 1024
const minPartBytes = 5 * mebibyte
const maxCopyBytes = 5 * 1024 * mebibyte

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
      const methods: Omit<MirrorTarget, "check"> = {
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
      return { ...methods, check: TargetCheck.run(methods, MirrorObjects.canList(connection)) }
    })
