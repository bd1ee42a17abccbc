/**
 * Uploads one content as an object. The service verifies its bytes by their MD5 before it shows the object: it accepts
 * an MD5 as well as a CRC-32C, and Node computes an MD5 in native code.
 */
import * as MultipartUpload from "@holdfast/core/storage/MultipartUpload"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type * as Connection from "../client/Connection.ts"
import * as Objects from "../client/Objects.ts"
import type * as Resource from "../client/Resource.ts"
import * as GcsFailure from "../GcsFailure.ts"
import type * as GcsOptions from "../../GcsOptions.ts"
import * as ContentDigests from "./ContentDigests.ts"
import * as Resumable from "./Resumable.ts"

const mebibyte = 1024 * 1024

/** Returns the configured bytes of a chunk, as a multiple of the service's unit. */
export const partBytes = ({ chunkBytes = 8 * mebibyte }: GcsOptions.ChunkOptions): number =>
  Math.max(1, Math.floor(chunkBytes / Resumable.chunkUnit)) * Resumable.chunkUnit

/** The digests of the content, and its size. */
export type Content = MultipartUpload.ContentSummary<ContentDigests.ContentDigests>

export interface Settings {
  readonly partBytes: number
  readonly name: string
  readonly fields: Resource.Fields
  /** How many bytes the content is expected to have. */
  readonly expectedBytes?: number
  /** As in `MultipartUpload`. */
  readonly reject?: (content: Content) => GcsFailure.GcsFailure | undefined
  readonly isInterruptible?: boolean
  readonly undo?: (stored: Resource.Stored) => Effect.Effect<void>
}

/** Removes the generation that an upload wrote. When that fails the object remains, and the log says so. */
export const removeStored = (
  connection: Connection.Connection,
  { generation, name }: Resource.Stored
): Effect.Effect<void> =>
  Effect.catch(Objects.remove(connection, name, generation), ({ kind, message }) =>
    Effect.logWarning("object of a failed upload not removed", { bucket: connection.bucket, reason: kind, message })
  )

/** Returns whether the service stored what was sent. It returns no MD5 for some objects. */
const isSame = ({ digests: { md5 }, size }: Content, stored: Resource.Stored): boolean =>
  stored.size === size && (stored.md5Hash === undefined || stored.md5Hash === md5)

/** Uploads a content in one request, or in a resumable upload if it has more than `partBytes` bytes. */
export const upload = <E, R>(
  connection: Connection.Connection,
  { fields, name, ...settings }: Settings,
  content: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<
  MultipartUpload.Receipt<Resource.Stored, ContentDigests.ContentDigests>,
  GcsFailure.GcsFailure | E,
  R
> =>
  MultipartUpload.sequential(content, {
    ...settings,
    maxWholeBytes: settings.partBytes,
    makeHasher: ContentDigests.make,
    sendWhole: ({ bytes }, { digests: { md5 } }) => Objects.insert(connection, name, fields, bytes, md5),
    begin: Resumable.begin(connection, name, fields),
    sendPart: (session, part) => Resumable.sendPart(connection, session, part),
    complete: (session, last, { digests: { md5 } }) => Resumable.complete(connection, session, last, md5),
    abort: (session) => Resumable.discard(connection, session),
    confirm: (stored, content) =>
      isSame(content, stored)
        ? Effect.void
        : Effect.andThen(
            removeStored(connection, stored),
            Effect.fail(GcsFailure.make("Damaged", "The service stored other bytes than were sent."))
          )
  })
