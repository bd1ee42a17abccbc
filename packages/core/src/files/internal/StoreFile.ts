/**
 * The second step of the upload of a new file: makes the staged bytes the content of a file, also where the bucket has a file at the
 * same place.
 */
import * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import { type NotFound, PreconditionFailed, type QuotaExceeded } from "../../Errors.ts"
import type { MetadataError } from "../../MetadataError.ts"
import type { Content, StoredFile } from "../File.ts"
import { type AliasTaken, FileExists, type UploadExpired } from "../FileErrors.ts"
import * as FileName from "../FileName.ts"
import type { Place, Selector } from "../FileRef.ts"
import type { Assembly, FileRepository, ReplacedDescription } from "../FileRepository.ts"
import type { FileWriter } from "../FileWriter.ts"
import type { OnConflict } from "../NewFile.ts"
import * as Precondition from "../Precondition.ts"
import type { ShareExhausted } from "../shares/Share.ts"
import * as RandomSuffix from "./RandomSuffix.ts"

/** How the file of an upload is stored. */
export interface StoreOptions {
  readonly bucket: BucketRef
  readonly onConflict: OnConflict
  readonly condition: Precondition.Precondition
  /** The folder to which the scope of the actor's token is limited. */
  readonly folder: string | undefined
  /** The only file whose content `replace` may replace; any when undefined. Another one at the place is a conflict. */
  readonly replaceable?: string | undefined
}

/** A new file with its content, and what its description says if the content goes to an existing file. */
interface NewFile {
  readonly file: StoredFile & { readonly content: Content }
  readonly description: ReplacedDescription
  /** Where the content consists of parts of an upload. */
  readonly assembly?: Assembly | undefined
}

type StoreError =
  | AliasTaken
  | FileExists
  | NotFound
  | PreconditionFailed
  | QuotaExceeded
  | ShareExhausted
  | UploadExpired
  | MetadataError

interface Dependencies {
  readonly repository: FileRepository["Service"]
  readonly writer: FileWriter["Service"]
  readonly random: SecureRandom["Service"]
  readonly blobGrace: Duration.Duration
}

/** Attempts of an upload whose place another one takes or leaves meanwhile. */
const maxAttempts = 5

export const toSelector = ({ name, path }: Place): Selector => ({ _tag: "Place", place: { path, name } })

/** Returns the error of a place that is taken. */
const conflict = ({ condition }: StoreOptions, existingId: string): FileExists | PreconditionFailed =>
  condition.ifNoneMatch === "*" ? new PreconditionFailed() : new FileExists({ existingId })

/** Fails as the commit of the upload will, as far as the file shows that is at the place of the new one now; null for none. */
export const check = (
  options: StoreOptions,
  existing: StoredFile | null
): Effect.Effect<void, FileExists | PreconditionFailed> => {
  const { condition, onConflict } = options
  // A file that does not exist yet has no entity tag to match.
  if (condition.ifMatch !== undefined && (existing === null || onConflict !== "replace")) {
    return Effect.fail(new PreconditionFailed())
  }
  if (existing === null || onConflict === "rename") return Effect.void
  if (onConflict === "fail") return Effect.fail(conflict(options, existing.id))
  return Precondition.holds(condition, existing.content) ? Effect.void : Effect.fail(new PreconditionFailed())
}

/** Makes the function that stores the file of an upload, in one atomic step of the repository. Returns the file as it is then. */
export const make = ({ blobGrace, random, repository, writer }: Dependencies) => {
  const insert = (bucket: BucketRef, file: StoredFile, assembly?: Assembly) =>
    Effect.as(writer.insert(bucket, file, assembly), file)

  const insertRenamed = (
    bucket: BucketRef,
    stored: NewFile,
    attempts: number,
    name = stored.file.name
  ): Effect.Effect<StoredFile, StoreError> =>
    Effect.catchTag(insert(bucket, { ...stored.file, name }, stored.assembly), "FileExists", (error) =>
      attempts === 1
        ? Effect.fail(error)
        : Effect.flatMap(RandomSuffix.make(random), (suffix) =>
            insertRenamed(bucket, stored, attempts - 1, FileName.withSuffix(stored.file.name, suffix))
          )
    )

  const replaceOrInsert = (
    options: StoreOptions,
    stored: NewFile,
    attempts: number
  ): Effect.Effect<StoredFile, StoreError> => {
    const { bucket, condition, folder, replaceable } = options
    const { assembly, description, file } = stored
    const orRetry = (error: FileExists | NotFound) =>
      attempts === 1 ? Effect.fail(error) : replaceOrInsert(options, stored, attempts - 1)
    const { content } = file
    return Effect.flatMap(
      repository.find(bucket, toSelector(file)),
      Option.match({
        onNone: () =>
          condition.ifMatch === undefined
            ? Effect.catchTag(insert(bucket, file, assembly), "FileExists", orRetry)
            : Effect.fail(new PreconditionFailed()),
        onSome: ({ id: fileId }) => {
          if (replaceable !== undefined && fileId !== replaceable) {
            return Effect.fail(new FileExists({ existingId: fileId }))
          }
          const sweepAt = DateTime.addDuration(content.storedAt, blobGrace)
          const replacement = { bucket, fileId, folder, content, assembly, description, condition, sweepAt }
          return Effect.catchTag(writer.replaceContent(replacement), "NotFound", orRetry)
        }
      })
    )
  }

  return (options: StoreOptions, stored: NewFile): Effect.Effect<StoredFile, StoreError> => {
    const { bucket, onConflict } = options
    switch (onConflict) {
      case "fail":
        return Effect.catchTag(insert(bucket, stored.file, stored.assembly), "FileExists", ({ existingId }) =>
          Effect.fail(conflict(options, existingId))
        )
      case "rename":
        return insertRenamed(bucket, stored, maxAttempts)
      case "replace":
        return replaceOrInsert(options, stored, maxAttempts)
    }
  }
}
