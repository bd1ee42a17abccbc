/**
 * Shares of a bucket: `holdfast.shares` and `client.shares`.
 */
import * as Effect from "effect/Effect"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import type * as Share from "../../files/shares/Share.ts"
import { pagePathOf, Shares } from "../../files/shares/Shares.ts"
import type * as Page from "../../Page.ts"
import type { ActorHandle } from "../internal/ActorHandle.ts"
import { bind, type Invoke } from "../internal/BindOperations.ts"
import * as Fields from "../internal/options/InputFields.ts"
import { decodeExpiry, type TimeInput, type WithTimes } from "../internal/Times.ts"
import type { Methods } from "../Operations.ts"
import { type BaseUrlOption, decodeBaseUrl } from "./internal/BaseUrl.ts"

export interface ShareRecord<Time = Date> extends WithTimes<Share.Share, Time> {}
export interface CreatedShareRecord<Time = Date> extends WithTimes<Share.CreatedShare, Time> {}
export interface ShareRef extends Share.ShareRef {}

/** What of a share can be changed later. */
export interface ShareTerms {
  /** When the share ends. Null, the default: never. */
  readonly expiresAt?: TimeInput | null | undefined
  /** A password of 8 to 255 bytes, which the page of the share asks for. Null: none. */
  readonly password?: string | null | undefined
  /** How often contents may be viewed, downloaded or played. Null, the default: no limit. */
  readonly maxDownloads?: number | null | undefined
  /** For a share for uploads, how many files may be uploaded in all. Default: 1000. */
  readonly maxFiles?: number | undefined
  /** For a share for uploads, how many bytes may be uploaded in all. Default: 10 GiB. */
  readonly maxBytes?: number | undefined
}

export interface CreateShareInput extends BucketRef, ShareTerms {
  /** For people; at most 255 bytes. */
  readonly name: string
  /** Shares this file. */
  readonly fileId?: string | undefined
  /** Shares this folder. Without a file and a folder, the whole bucket is shared. */
  readonly path?: string | undefined
  /** What the share permits; `upload` alone. Default: everything but `upload`. */
  readonly may?: ReadonlyArray<Share.ShareAction> | undefined
}

/** What to change of a share. Absent fields stay as they are. */
export interface UpdateShareInput extends ShareRef, ShareTerms {
  /** The new name. */
  readonly name?: string | undefined
  /** Makes the caller the creator. Only Admins take over the share of another member. */
  readonly takeOver?: boolean | undefined
}

export interface ListSharesInput extends BucketRef, Page.Request {}

export interface ShareOperations<Time> {
  /** Shares a file, a folder or a bucket on behalf of a member. No later call returns its `token` and its `url`. */
  create(input: CreateShareInput): CreatedShareRecord<Time>

  /** Lists the shares of a bucket, expired ones included. */
  list(input: ListSharesInput): Page.Page<ShareRecord<Time>>

  /** Returns a share. */
  get(input: ShareRef): ShareRecord<Time>

  /** Changes a share, or takes it over. */
  update(input: UpdateShareInput): ShareRecord<Time>

  /** Revokes a share, with everything that was opened with it. */
  remove(input: ShareRef): void
}

/** Includes what the HTTP API knows from the request. */
interface LibraryShareOperations extends ShareOperations<Date> {
  create(input: CreateShareInput & BaseUrlOption): CreatedShareRecord
}

export interface SharesApi extends Methods<LibraryShareOperations, [actor: ActorHandle]> {}

const share = { ...Fields.bucket, shareId: "id" } as const

/** The fields of `ShareTerms`. */
const terms = { expiresAt: true, password: true, maxDownloads: true, maxFiles: true, maxBytes: true } as const

export const make = (invoke: Invoke): SharesApi =>
  bind<LibraryShareOperations>(
    invoke,
    {
      create: Effect.fnUntraced(function* (actor, input) {
        const { create } = yield* Shares
        const baseUrl = yield* decodeBaseUrl(input)
        const expiresAt = yield* decodeExpiry(input.expiresAt)
        const created = yield* create(actor, input, { ...input, expiresAt })
        return { ...created.share, token: created.token, url: `${baseUrl}${pagePathOf(created)}` }
      }),
      list: (actor, input) => Shares.use((service) => service.list(actor, input, input)),
      get: (actor, input) => Shares.use((service) => service.get(actor, input)),
      update: (actor, input) =>
        Effect.flatMap(decodeExpiry(input.expiresAt), (expiresAt) =>
          Shares.use((service) => service.update(actor, input, { ...input, expiresAt }))
        ),
      remove: (actor, input) => Shares.use((service) => service.remove(actor, input))
    },
    {
      create: { ...Fields.bucket, ...terms, name: true, fileId: true, path: true, may: true, baseUrl: true },
      list: { ...Fields.bucket, ...Fields.page },
      get: share,
      remove: share,
      update: { ...share, ...terms, name: true, takeOver: true }
    },
    { list: true }
  )
