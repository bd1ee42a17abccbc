/**
 * The copies of contents at the targets of mirrors, from which damaged contents are repaired.
 */
import type { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Access } from "../../access/Access.ts"
import type { Downloads } from "../../files/Downloads.ts"
import type { Files } from "../../files/Files.ts"
import type { Uploads } from "../../files/Uploads.ts"
import type { Headers } from "../../headers/Headers.ts"
import { RepairSources } from "../../integrity/RepairSources.ts"
import type { SecretBox } from "../../secrets/SecretBox.ts"
import type { MirrorTargets } from "../targets/MirrorTarget.ts"
import * as TargetCache from "./internal/TargetCache.ts"
import { type MirrorCopy, MirrorTaskRepository } from "./MirrorTaskRepository.ts"

/** Repairs read the copies of ACTIVE mirrors. A segment of a stream has none: mirrors copy files only. */
export const layer: Layer.Layer<
  never,
  never,
  Access | Digest | Downloads | Files | Headers | MirrorTargets | MirrorTaskRepository | SecretBox | Uploads
> = Layer.effect(
  RepairSources,
  Effect.gen(function* () {
    const tasks = yield* MirrorTaskRepository
    const openTarget = yield* TargetCache.make
    const toSource = ({ mirror, name }: MirrorCopy) => ({
      name: mirror.id,
      read: Stream.unwrap(Effect.map(openTarget(mirror), (target) => target.read(name)))
    })
    return {
      find: ({ bucketId, fileId, sha256, tenantId }) =>
        fileId === null
          ? Effect.succeed([])
          : Effect.map(tasks.findCopies({ bucket: { tenantId, bucketId }, fileId, sha256 }), (copies) =>
              copies.map(toSource)
            )
    }
  })
)
