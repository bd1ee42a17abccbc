/**
 * What the holder of a share does with it: presents its token or a session of its page, reads, lists and uploads. Nothing is cached here:
 * each use finds the share, so that a removal holds at once. What was opened with a share - links, playback keys, sessions - checks with
 * `Access` that the share still exists and that its creator has the permission; that answer is at most a second old.
 *
 * Lists and writes run on behalf of the tenant of the share: they may wait for the lock of its row, with a connection of the database.
 */
import * as Context from "effect/Context"
import { Digest } from "effect/crypto/Digest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Access, type AccessError } from "../../access/Access.ts"
import * as Actor from "../../Actor.ts"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import { onBehalfOf } from "../../CurrentTenant.ts"
import { type InvalidCursor, InvalidRequest, type NotFound, Unauthenticated } from "../../Errors.ts"
import * as Ids from "../../Ids.ts"
import type { MetadataError } from "../../MetadataError.ts"
import type { FilePage, Request as ListRequest } from "../FileList.ts"
import type { FileRef } from "../FileRef.ts"
import { Files } from "../Files.ts"
import type { LinkAction } from "../links/Link.ts"
import { type Link, Links } from "../links/Links.ts"
import { UploadGrant } from "../links/UploadLink.ts"
import * as ShareToken from "./internal/ShareToken.ts"
import { PasswordHash } from "./PasswordHash.ts"
import {
  permits,
  permitsFile,
  ShareExhausted,
  ShareGrant,
  SharePasswordRequired,
  type StoredShare,
  TooManyPasswords
} from "./Share.ts"
import { ShareRepository } from "./ShareRepository.ts"
import { UploadShare } from "./UploadShare.ts"
import * as Traced from "../internal/Traced.ts"

export { isShareToken } from "./internal/ShareToken.ts"

type VerifyError = Unauthenticated | SharePasswordRequired | MetadataError

export class ShareUse extends Context.Service<
  ShareUse,
  {
    /** Verifies a token for a bucket. `Unauthenticated` for a token of another bucket, and for none. */
    readonly verify: (token: string, bucket: BucketRef) => Effect.Effect<ShareGrant, VerifyError>

    /**
     * Verifies the token and the password with which the page of a share is opened. `SharePasswordRequired` also for a wrong password;
     * at most ten are tried in a quarter of an hour.
     */
    readonly open: (credentials: {
      readonly shareId: string
      readonly token: string
      readonly password: string | undefined
    }) => Effect.Effect<ShareGrant, VerifyError | AccessError | TooManyPasswords>

    /** Finds the share of a session. Fails with `Unauthenticated` when it has ended. */
    readonly resume: (shareId: string) => Effect.Effect<ShareGrant, AccessError>

    /**
     * Creates a link to a content, valid for an hour: the ticket with which the content is read, with all its ranges. Counts a download
     * where the share limits them.
     */
    readonly ticket: (
      grant: ShareGrant,
      file: FileRef,
      action: LinkAction
    ) => Effect.Effect<Link, AccessError | InvalidRequest | NotFound | ShareExhausted>

    /** Counts a download where the share limits them. */
    readonly spend: (grant: ShareGrant) => Effect.Effect<void, ShareExhausted | MetadataError>

    /** Lists the shared folder, or a folder below it. */
    readonly list: (
      grant: ShareGrant,
      request: ListRequest
    ) => Effect.Effect<FilePage, AccessError | InvalidRequest | InvalidCursor | NotFound>

    /** Counts the files of the shared folder or of a folder below it, with all below, `limit` at most. */
    readonly count: (
      grant: ShareGrant,
      folder: { readonly path: string; readonly limit: number }
    ) => Effect.Effect<number, AccessError>

    /** Returns the right to upload one file into the shared folder, under another name where its name is taken. */
    readonly toUploadGrant: (grant: ShareGrant) => Effect.Effect<UploadGrant, Unauthenticated>

    /**
     * Runs an upload of a body with a declared length, within the caps of the share, which count unfinished uploads too. The commit counts it, with the bytes that were
     * stored: of uploads at the same time, those fail then that no longer fit.
     */
    readonly countUpload: (
      shareId: string,
      length: number | undefined
    ) => <A, E, R>(
      upload: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | InvalidRequest | NotFound | ShareExhausted | MetadataError, R>
  }
>()("@holdfast/core/files/shares/ShareUse") {}

/** Seconds for which a content can be read with one download. */
const ticketSeconds = 3600

/** Passwords that may be tried, and for how long. */
const maxAttempts = 10
const attemptWindow = "15 minutes"

const unauthenticated = Effect.fail(new Unauthenticated())

const noLength = InvalidRequest.at("", "must have a Content-Length: the share counts the bytes of its uploads")

const toGrant = (share: StoredShare): ShareGrant =>
  new ShareGrant({ share, parent: Actor.share(share.id, share.passwordVersion) })

const make = Effect.gen(function* () {
  const access = yield* Access
  const repository = yield* ShareRepository
  const files = yield* Files
  const links = yield* Links
  const digest = yield* Digest
  const passwords = yield* PasswordHash

  const findByToken = (token: string): Effect.Effect<StoredShare, Unauthenticated | MetadataError> =>
    ShareToken.isWellFormed(token)
      ? ShareToken.hash(token).pipe(
          Effect.provideService(Digest, digest),
          Effect.flatMap(repository.findByToken),
          Effect.flatMap(Option.match({ onNone: () => unauthenticated, onSome: Effect.succeed }))
        )
      : unauthenticated

  /** Fails unless the share works now. */
  const checkLife = (grant: ShareGrant) => Effect.as(access.identify(grant.parent, grant.share.tenantId), grant)

  const spend = ({ share }: ShareGrant): Effect.Effect<void, ShareExhausted | MetadataError> =>
    share.maxDownloads === null
      ? Effect.void
      : Effect.flatMap(onBehalfOf(share.tenantId)(repository.countDownload(share.id)), (isCounted) =>
          isCounted ? Effect.void : Effect.fail(new ShareExhausted({ limit: "maxDownloads" }))
        )

  return ShareUse.of({
    verify: Effect.fnUntraced(function* (token, bucket) {
      const share = yield* findByToken(token)
      if (share.tenantId !== bucket.tenantId || share.bucketId !== bucket.bucketId) return yield* unauthenticated
      if (share.password !== null) return yield* new SharePasswordRequired()
      return toGrant(share)
    }),

    open: Effect.fnUntraced(function* ({ password, shareId, token }) {
      const share = yield* findByToken(token)
      if (share.id !== shareId) return yield* unauthenticated
      const grant = yield* checkLife(toGrant(share))
      if (share.password === null) return grant
      if (password === undefined) return yield* new SharePasswordRequired()
      const at = yield* DateTime.now
      const windowStart = DateTime.subtractDuration(at, attemptWindow)
      const inTenant = onBehalfOf(share.tenantId)
      if (!(yield* inTenant(repository.countAttempt({ shareId, most: maxAttempts, windowStart, at })))) {
        return yield* new TooManyPasswords()
      }
      if (!(yield* passwords.verify(password, share.password))) return yield* new SharePasswordRequired()
      yield* inTenant(repository.forgetAttempts(shareId))
      return grant
    }, Traced.inSpan("ShareUse.open")),

    resume: Effect.fnUntraced(function* (shareId) {
      const share = Ids.is("shr", shareId) ? yield* repository.findById(shareId) : Option.none()
      return Option.isNone(share) ? yield* unauthenticated : yield* checkLife(toGrant(share.value))
    }),

    ticket: Effect.fn("ShareUse.ticket")(function* (grant, file, action) {
      if (!permitsFile(grant, file, action)) return yield* unauthenticated
      const link = yield* links.create(grant.parent, file, { may: action, expiresIn: ticketSeconds })
      yield* spend(grant)
      return link
    }),

    spend,

    list: Effect.fnUntraced(function* (grant, request) {
      const { path, tenantId } = grant.share
      if (!permits(grant, "list") || path === null) return yield* unauthenticated
      const found = files.list(grant.parent, grant.share, { ...request, path: request.path ?? path })
      return yield* onBehalfOf(tenantId)(found)
    }, Traced.inSpan("ShareUse.list")),

    count: Effect.fn("ShareUse.count")(function* (grant, folder) {
      if (!permits(grant, "list")) return yield* unauthenticated
      return yield* onBehalfOf(grant.share.tenantId)(files.count(grant.parent, grant.share, folder))
    }),

    toUploadGrant: Effect.fnUntraced(function* (grant) {
      const { bucketId, maxBytes, path, tenantId } = grant.share
      if (!permits(grant, "upload") || path === null) return yield* unauthenticated
      return new UploadGrant({
        bucket: { tenantId, bucketId },
        terms: {
          path,
          name: null,
          maxBytes: maxBytes ?? Number.MAX_SAFE_INTEGER,
          contentTypes: null,
          // A conflict would say which names there are.
          onConflict: "rename",
          redirectTo: null
        },
        parent: grant.parent,
        expiresAt: DateTime.add(yield* DateTime.now, { seconds: ticketSeconds })
      })
    }),

    countUpload: (shareId, length) =>
      Effect.fnUntraced(function* (upload) {
        if (length === undefined) return yield* noLength
        yield* repository.checkUpload({ shareId, bytes: length, now: yield* DateTime.now })
        return yield* Effect.provideService(upload, UploadShare, shareId)
      })
  })
})

export const layer: Layer.Layer<ShareUse, never, Access | ShareRepository | Files | Links | Digest> = Layer.effect(
  ShareUse,
  make
)
