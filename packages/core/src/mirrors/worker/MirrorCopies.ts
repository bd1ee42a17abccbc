/**
 * The copies of contents at the targets of mirrors, from which damaged contents are repaired.
 */
import type { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Access } from "../../access/Access.ts"
import type { Downloads } from "../../files/Downloads.ts"
import type { Files } from "../../files/Files.ts"
import type { Uploads } from "../../files/Uploads.ts"
import type { Headers } from "../../headers/Headers.ts"
import { RepairSources } from "../../integrity/RepairSources.ts"
import type { SecretBox } from "../../secrets/SecretBox.ts"
import { BlobRepository } from "../../storage/BlobRepository.ts"
import type { ByteRange } from "../../storage/BlobStore.ts"
import type { MirrorTargets } from "../targets/MirrorTarget.ts"
import * as TargetCache from "./internal/TargetCache.ts"
import { type MirrorCopy, MirrorTaskRepository } from "./MirrorTaskRepository.ts"

/** Returns a range of the bytes of a stream, which is read up to the end of the range. */
const slice = <E, R>(content: Stream.Stream<Uint8Array, E, R>, { length, offset }: ByteRange) =>
  content.pipe(
    Stream.mapAccum(
      () => 0,
      (position, chunk: Uint8Array) => {
        const end = position + chunk.byteLength
        const bytes = chunk.subarray(Math.max(0, offset - position), Math.max(0, offset + length - position))
        return [end, [{ bytes, isLast: end >= offset + length }]] as const
      }
    ),
    Stream.takeUntil(({ isLast }) => isLast),
    Stream.map(({ bytes }) => bytes),
    Stream.filter(({ byteLength }) => byteLength > 0)
  )

/**
 * Repairs read the copies of ACTIVE mirrors. That of a part is in the copy of the whole content. A segment of a stream has none: mirrors
 * copy files only.
 */
export const layer: Layer.Layer<
  never,
  never,
  | Access
  | BlobRepository
  | Digest
  | Downloads
  | Files
  | Headers
  | MirrorTargets
  | MirrorTaskRepository
  | SecretBox
  | Uploads
> = Layer.effect(
  RepairSources,
  Effect.gen(function* () {
    const tasks = yield* MirrorTaskRepository
    const openTarget = yield* TargetCache.make
    const blobs = yield* BlobRepository
    return {
      find: Effect.fnUntraced(function* ({ blobId, bucketId, fileId, sha256, size, tenantId }) {
        const whole = Option.getOrUndefined(yield* blobs.findWhole(blobId))
        const copied = whole ?? (fileId === null ? undefined : { fileId, sha256 })
        if (copied === undefined) return []
        const content = { bucket: { tenantId, bucketId }, fileId: copied.fileId, sha256: copied.sha256 }
        const copies = yield* tasks.findCopies(content)
        return copies.map(({ mirror, name }: MirrorCopy) => {
          const read = Stream.unwrap(Effect.map(openTarget(mirror), (target) => target.read(name)))
          return {
            name: mirror.id,
            read: whole === undefined ? read : slice(read, { offset: whole.start, length: size })
          }
        })
      })
    }
  })
)
