/**
 * Buckets of a tenant: `holdfast.buckets` and `client.buckets`.
 */
import type { BucketRef } from "../../buckets/BucketRef.ts"
import { Buckets } from "../../buckets/Buckets.ts"
import type * as Page from "../../Page.ts"
import { Quotas } from "../../usage/Quotas.ts"
import type { BucketUsage } from "../../usage/UsageReport.ts"
import type { ActorHandle } from "../internal/ActorHandle.ts"
import { bind, type Invoke } from "../internal/BindOperations.ts"
import * as Fields from "../internal/options/InputFields.ts"
import type { Methods } from "../Operations.ts"
import type { ForceOption, TenantRef } from "./internal/Shared.ts"

/** What the shares of a bucket may be. */
export interface ShareRules {
  /** Whether the bucket has shares. Without them, all existing ones rest. */
  readonly allowed: boolean
  /** The longest life of a share, in seconds; null for no limit. */
  readonly maxSeconds: number | null
  /** Whether a share without a password does not work. */
  readonly passwordRequired: boolean
}

/** A bucket. */
export interface BucketRecord<Time = Date> {
  /** The `bucketId` in the inputs of all methods. */
  readonly id: string
  /** Unique in the tenant. */
  readonly name: string
  /** The most bytes of its contents, streams and running uploads; null for no limit of its own. */
  readonly maxBytes: number | null
  /** The most files; null for no limit of its own. */
  readonly maxFiles: number | null
  /** The largest content of a file, in bytes; null for no limit of its own. */
  readonly maxFileBytes: number | null
  /** The media types that contents may have, such as `image/*`; null for any. */
  readonly allowedTypes: ReadonlyArray<string> | null
  /** Whether anyone can view, download and play its files without a key. */
  readonly visibility: "private" | "public"
  /** What its shares may be. */
  readonly shares: ShareRules
  readonly createdAt: Time
  readonly updatedAt: Time
}

/** The limits of a bucket and the rules of its contents, which hold for uploads that begin afterwards. */
export interface BucketRules {
  /** The most bytes of the bucket's contents, streams and running uploads. Null: no limit of its own. */
  readonly maxBytes?: number | null | undefined
  /** The most files. Null: no limit of its own. */
  readonly maxFiles?: number | null | undefined
  /** The largest content of a file, in bytes. Null: no limit of its own. */
  readonly maxFileBytes?: number | null | undefined
  /** The media types that contents may have, such as `image/*` and `application/pdf`. Null: any. */
  readonly allowedTypes?: ReadonlyArray<string> | null | undefined
  /** `public`: anyone can view, download and play its files without a key, where the deployment permits it. Default: `private`. */
  readonly visibility?: "private" | "public" | undefined
  /** What its shares may be, existing ones too. Absent members have their defaults: allowed, of any life, with or without a password. */
  readonly shares?: { readonly [Name in keyof ShareRules]?: ShareRules[Name] | undefined } | undefined
}

export interface CreateBucketInput extends TenantRef, BucketRules {
  /** Unique in the tenant; at most 255 bytes. */
  readonly name: string
}

export interface ListBucketsInput extends TenantRef, Page.Request {}

/** What to change of a bucket. Absent fields stay as they are. */
export interface UpdateBucketInput extends BucketRef, BucketRules {
  /** The new name. */
  readonly name?: string | undefined
}

export interface RemoveBucketInput extends BucketRef, ForceOption {}

export interface BucketUsageRecord extends BucketUsage {}

export interface BucketOperations<Time> {
  /**
   * Creates a bucket. Rejects with `bucket_exists` when the tenant has a bucket of this name, and with `quota_exceeded` when it has as
   * many buckets as its quota permits.
   */
  create(input: CreateBucketInput): BucketRecord<Time>

  /** Lists the buckets of a tenant. */
  list(input: ListBucketsInput): Page.Page<BucketRecord<Time>>

  /** Returns a bucket. */
  get(input: BucketRef): BucketRecord<Time>

  /** Returns what a bucket has, and its limits. */
  usage(input: BucketRef): BucketUsageRecord

  /** Changes the name of a bucket, and the rules of its contents. Rejects with `bucket_exists`. */
  update(input: UpdateBucketInput): BucketRecord<Time>

  /**
   * Removes a bucket, with `force` also its files. Without it rejects with `bucket_not_empty` while the bucket has files. Afterwards
   * no call finds the bucket; a process that sweeps deletes the rows of a large one in the background.
   */
  remove(input: RemoveBucketInput): void
}

export interface BucketsApi extends Methods<BucketOperations<Date>, [actor: ActorHandle]> {}

/** The fields of what can be set of a bucket. */
const rules = {
  name: true,
  maxBytes: true,
  maxFiles: true,
  maxFileBytes: true,
  allowedTypes: true,
  visibility: true,
  shares: true
} as const

export const make = (invoke: Invoke): BucketsApi =>
  bind<BucketOperations<Date>>(
    invoke,
    {
      create: (actor, input) => Buckets.use((service) => service.create(actor, input.tenantId, input)),
      list: (actor, input) => Buckets.use((service) => service.list(actor, input.tenantId, input)),
      get: (actor, input) => Buckets.use((service) => service.get(actor, input)),
      usage: (actor, input) => Quotas.use((service) => service.ofBucket(actor, input)),
      update: (actor, input) => Buckets.use((service) => service.update(actor, input, input)),
      remove: (actor, input) => Buckets.use((service) => service.remove(actor, input, input))
    },
    {
      create: { ...Fields.tenant, ...rules },
      list: { ...Fields.tenant, ...Fields.page },
      get: Fields.bucket,
      usage: Fields.bucket,
      update: { ...Fields.bucket, ...rules },
      remove: { ...Fields.bucket, force: true }
    },
    { list: true }
  )
