/**
 * Links: addresses with which a browser reads one file without an API key.
 */
import * as Data from "effect/Data"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Access, AccessError, Identity } from "../../access/Access.ts"
import type { Anonymous } from "../../access/Anonymous.ts"
import type { Actor } from "../../Actor.ts"
import { NotFound, Unauthenticated } from "../../Errors.ts"
import type { StoredFile } from "../File.ts"
import { permitsFile, type ShareGrant } from "../shares/Share.ts"
import * as FileName from "../FileName.ts"
import type { FileRef } from "../FileRef.ts"

/** What a link permits: to show the content, or to save it. */
export const LinkAction = Schema.Literals(["view", "download"])
export type LinkAction = typeof LinkAction.Type

/** Seconds until a link or a playback key expires: at most seven days. */
export const ExpiresIn = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 604_800 }))

export const CreateLink = Schema.Struct({
  may: Schema.optional(LinkAction).annotate({ description: "`view`, the default, or `download`." }),
  expiresIn: ExpiresIn.annotate({
    description: "Seconds until the link expires; at most 604,800, which are seven days."
  }),
  version: Schema.optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4_294_967_295 }))).annotate({
    description: "The version of the file that the link is for: 404 after a reupload. Any version when absent."
  }),
  name: Schema.optional(FileName.FileName).annotate({
    description: "The file name in `Content-Disposition`. The name of the file when absent."
  })
}).annotate({ identifier: "CreateLink" })
export type CreateLink = typeof CreateLink.Type

/** The answer to a request for a link. */
export const SignedUrl = Schema.Struct({
  url: Schema.String.annotate({
    description:
      "The address of the content with its key; a path where the service does not know its own address. Anyone who has it may read the file."
  }),
  expiresAt: Schema.DateTimeUtcFromString
}).annotate({ identifier: "SignedUrl" })
export type SignedUrl = typeof SignedUrl.Type

/** A verified link. Its holder reads one file on behalf of `parent`, and only while `parent` may read the file. */
export class LinkGrant extends Data.TaggedClass("LinkGrant")<{
  readonly file: FileRef
  readonly action: LinkAction
  /** Null for any version. */
  readonly version: number | null
  /** The file name that the answer states; null for that of the file. */
  readonly name: string | null
  readonly parent: Actor
  readonly expiresAt: DateTime.Utc
}> {}

/** A reader of contents: an actor with the permission, the holder of a link or a share, or for a public bucket anyone. */
export type Reader = Actor | LinkGrant | ShareGrant | Anonymous

/** A link for another file or action is answered like a link that was never created. */
const unauthenticated = Effect.fail(new Unauthenticated())

const isFor = ({ action, file }: LinkGrant, ref: FileRef, wanted: LinkAction): boolean =>
  action === wanted && file.tenantId === ref.tenantId && file.bucketId === ref.bucketId && file.fileId === ref.fileId

/** Succeeds with the identity on whose behalf a reader reads, if the reader may read a file in this way. */
export const authorize = (
  access: Access["Service"],
  reader: Reader,
  ref: FileRef,
  action: LinkAction
): Effect.Effect<Identity | "anonymous", AccessError | NotFound> => {
  if (reader._tag === "Anonymous") return access.requirePublic(ref)
  if (reader._tag !== "LinkGrant" && reader._tag !== "ShareGrant") return access.require(reader, ref, "file:read")
  const permitted = reader._tag === "LinkGrant" ? isFor(reader, ref, action) : permitsFile(reader, ref, action)
  return permitted ? access.require(reader.parent, ref, "file:read") : unauthenticated
}

/** Fails with `NotFound` for another version than the one that the link of the reader is for. */
export const checkVersion = (reader: Reader, file: StoredFile): Effect.Effect<StoredFile, NotFound> =>
  reader._tag !== "LinkGrant" || reader.version === null || reader.version === file.version
    ? Effect.succeed(file)
    : Effect.fail(new NotFound({ resource: "version" }))
