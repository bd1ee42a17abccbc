/**
 * Shares: stored, revocable rights to read, list or upload files without an API key. Every client that has the token of a share may use it.
 */
import * as Data from "effect/Data"
import * as Schema from "effect/Schema"
import { CreatedBy } from "../../access/Creator.ts"
import { FolderPath } from "../../access/FolderPath.ts"
import type { Actor } from "../../Actor.ts"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import type { FileRef } from "../FileRef.ts"
import type { Permission } from "../../Permission.ts"
import { bounded, Label, Reference, utf8Length } from "../../Text.ts"
import { Instant } from "../../Time.ts"

/**
 * - `view`: show a content. `download`: save it. `play`: play the streams of a video or audio.
 * - `list`: list the folder.
 * - `upload`: upload new files. Such a share permits nothing else, so that no uploader sees the files of another one.
 */
export const ShareAction = Schema.Literals(["view", "download", "play", "list", "upload"])
export type ShareAction = typeof ShareAction.Type

const count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000_000 }))
const bytes = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }))

const Password = bounded(255)
  .check(
    Schema.makeFilter((text: string) =>
      utf8Length(text) < 8
        ? "must have at least 8 bytes"
        : utf8Length(text) > 255
          ? "must be at most 255 bytes"
          : undefined
    )
  )
  .annotate({ description: "A password of 8 to 255 bytes, which the page of the share asks for." })

export const Share = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  fileId: Schema.NullOr(Schema.String).annotate({ description: "The shared file; null for a folder." }),
  path: Schema.NullOr(Schema.String).annotate({
    description: "The shared folder, with the folders below it; `/` for the whole bucket. Null for a file."
  }),
  may: Schema.Array(ShareAction),
  expiresAt: Schema.NullOr(Schema.DateTimeUtcFromString),
  hasPassword: Schema.Boolean,
  maxDownloads: Schema.NullOr(Schema.Int),
  downloads: Schema.Int.annotate({
    description: "Downloads, views and playbacks; counted while `maxDownloads` is set."
  }),
  maxFiles: Schema.NullOr(Schema.Int),
  maxBytes: Schema.NullOr(Schema.Int),
  uploadedFiles: Schema.Int.annotate({ description: "Files that were uploaded by the share." }),
  uploadedBytes: Schema.Int,
  createdBy: CreatedBy,
  createdAt: Schema.DateTimeUtcFromString,
  updatedAt: Schema.DateTimeUtcFromString
}).annotate({ identifier: "Share" })
export type Share = typeof Share.Type

/** The result of creating a share: the only response that contains the token. */
export const CreatedShare = Schema.Struct({
  ...Share.fields,
  token: Schema.String.annotate({
    description: "The token, for `?apiKey=`. Only this response contains it; it cannot be read again."
  }),
  url: Schema.String.annotate({
    description:
      "The address of the page of the share, with the token behind `#`, where no log has it; a path where the service does not know its own address."
  })
}).annotate({ identifier: "CreatedShare" })
export type CreatedShare = typeof CreatedShare.Type

/** The caps of an upload share without others. */
export const defaultMaxFiles = 1000
export const defaultMaxBytes = 10 * 1024 ** 3

const changeable = {
  expiresAt: Schema.optional(Schema.NullOr(Instant)).annotate({
    description: "When the share ends; null, the default, for never. The bucket may permit a shorter life only."
  }),
  password: Schema.optional(Schema.NullOr(Password)),
  maxDownloads: Schema.optional(Schema.NullOr(count)).annotate({
    description:
      "How often contents may be viewed, downloaded or played. Each counts once for an hour, with all its ranges. Null, the default: no limit."
  }),
  maxFiles: Schema.optional(count).annotate({
    description: `How many files may be uploaded in all; ${defaultMaxFiles} when absent.`
  }),
  maxBytes: Schema.optional(bytes).annotate({
    description: `How many bytes may be uploaded in all; ${defaultMaxBytes} when absent.`
  })
}

export const CreateShare = Schema.Struct({
  name: Label,
  fileId: Schema.optional(Reference).annotate({ description: "The id of the file to share." }),
  path: Schema.optional(FolderPath).annotate({
    description: "The folder to share; the whole bucket without a file and a folder."
  }),
  may: Schema.optional(
    Schema.Array(ShareAction).check(Schema.isMinLength(1), Schema.isMaxLength(ShareAction.literals.length))
  ).annotate({
    description:
      "What the share permits: `view`, `download`, `play`, `list` of a folder, or `upload` alone. Everything but `upload` when absent."
  }),
  ...changeable
}).annotate({ identifier: "CreateShare" })
export type CreateShare = typeof CreateShare.Type

export const UpdateShare = Schema.Struct({
  name: Schema.optional(Label),
  ...changeable,
  takeOver: Schema.optional(Schema.Boolean).annotate({
    description:
      "Makes the requester the creator, so that the share is worth what the requester may do. Only Admins take over the share of another member."
  })
}).annotate({ identifier: "UpdateShare" })
export type UpdateShare = typeof UpdateShare.Type

/** A share of a bucket. */
export interface ShareRef extends BucketRef {
  /** The `id` of the share. */
  readonly shareId: string
}

/** A share as it is stored. */
export interface StoredShare extends Omit<Share, "hasPassword"> {
  readonly tenantId: string
  readonly bucketId: string
  /** The hash of the password; null without one. */
  readonly password: string | null
  /** How often the password was set, changed or removed since the share was created. */
  readonly passwordVersion: number
}

/** Returns the record that callers see. */
export const toRecord = ({
  bucketId: _bucketId,
  password,
  passwordVersion: _passwordVersion,
  tenantId: _tenantId,
  ...share
}: StoredShare): Share => ({
  ...share,
  hasPassword: password !== null
})

/** A verified share. Its holder does what the share permits on behalf of `parent`, the actor of the share. */
export class ShareGrant extends Data.TaggedClass("ShareGrant")<{
  readonly share: StoredShare
  readonly parent: Actor
}> {}

/** Returns the permissions that a creator needs, and the holder of the share has. */
export const permissionsOf = (may: ReadonlyArray<ShareAction>): ReadonlyArray<Permission> =>
  may.includes("upload") ? ["file:write"] : ["file:read"]

/** Whether a share permits an action. */
export const permits = ({ share }: ShareGrant, action: ShareAction): boolean => share.may.includes(action)

/** Whether a share permits an action on a file. Whether the file is in the shared folder is checked when it is found. */
export const permitsFile = (grant: ShareGrant, ref: FileRef, action: ShareAction): boolean => {
  const { bucketId, fileId, tenantId } = grant.share
  return (
    permits(grant, action) &&
    tenantId === ref.tenantId &&
    bucketId === ref.bucketId &&
    (fileId === null || fileId === ref.fileId)
  )
}

/** The share needs its password, which only its page accepts. */
export class SharePasswordRequired extends Data.TaggedError("SharePasswordRequired")<{}> {
  readonly code = "share_password_required"
  override readonly message = "The share needs its password. Open the page of the share, and enter the password there."
}

/** Too many wrong passwords were tried. */
export class TooManyPasswords extends Data.TaggedError("TooManyPasswords")<{}> {
  readonly code = "too_many_passwords"
  override readonly message = "Too many wrong passwords were tried for this share. Try again in a quarter of an hour."
}

/** What a share limits. */
export const ShareLimit = Schema.Literals(["maxDownloads", "maxFiles", "maxBytes"])
export type ShareLimit = typeof ShareLimit.Type

const exhausted: { readonly [Limit in ShareLimit]: string } = {
  maxDownloads: "The share was downloaded as often as it permits (maxDownloads). Ask its creator for another one.",
  maxFiles:
    "The share permits no further file (maxFiles). Files of unfinished uploads count too. Ask its creator for another one.",
  maxBytes:
    "The share permits no further file of this size (maxBytes). Bytes of unfinished uploads count too. Send a smaller file, or ask its creator for another share."
}

/** The share is used up: it was downloaded as often, or got as many files or bytes, as it permits. */
export class ShareExhausted extends Data.TaggedError("ShareExhausted")<{ readonly limit: ShareLimit }> {
  readonly code = "share_exhausted"
  override get message(): string {
    return exhausted[this.limit]
  }
}
