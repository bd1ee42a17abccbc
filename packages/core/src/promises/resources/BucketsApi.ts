/**
 * Buckets of a tenant: `holdfast.buckets` and `client.buckets`.
 */
import type * as Bucket from "../../buckets/Bucket.ts"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import { Buckets } from "../../buckets/Buckets.ts"
import type * as Page from "../../Page.ts"
import { Quotas } from "../../usage/Quotas.ts"
import type { BucketUsage } from "../../usage/UsageReport.ts"
import type { ActorHandle } from "../internal/ActorHandle.ts"
import { bind, type Invoke } from "../internal/BindOperations.ts"
import type { Methods } from "../Operations.ts"
import type { WithTimes } from "../internal/Times.ts"
import type { ForceOption, TenantRef } from "./internal/Shared.ts"

export interface BucketRecord<Time = Date> extends WithTimes<Bucket.Bucket, Time> {}
export interface CreateBucketInput extends TenantRef, Bucket.CreateBucket {}
export interface ListBucketsInput extends TenantRef, Page.Request {}
export interface UpdateBucketInput extends BucketRef, Bucket.UpdateBucket {}
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

export const make = (invoke: Invoke): BucketsApi =>
  bind<BucketOperations<Date>>(invoke, {
    create: (actor, input) => Buckets.use((service) => service.create(actor, input.tenantId, input)),
    list: (actor, input) => Buckets.use((service) => service.list(actor, input.tenantId, input)),
    get: (actor, input) => Buckets.use((service) => service.get(actor, input)),
    usage: (actor, input) => Quotas.use((service) => service.ofBucket(actor, input)),
    update: (actor, input) => Buckets.use((service) => service.update(actor, input, input)),
    remove: (actor, input) => Buckets.use((service) => service.remove(actor, input, input))
  })
