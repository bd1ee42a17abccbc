/**
 * `holdfast.buckets`.
 */
import * as Effect from "effect/Effect"
import type * as Bucket from "../buckets/Bucket.ts"
import { Buckets } from "../buckets/Buckets.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type * as Page from "../Page.ts"
import type { ActorHandle } from "./Actors.ts"
import type { Call, InTenant } from "./Call.ts"
import * as Plain from "./Plain.ts"
import type { CallOptions } from "./Runner.ts"

export type BucketRecord = Plain.Plain<Bucket.Bucket>

export class BucketsApi {
  readonly #call: Call

  constructor(call: Call) {
    this.#call = call
  }

  /** Creates a bucket; rejects with `BucketExists` when the tenant has one of this name. */
  create(actor: ActorHandle, input: InTenant & Bucket.CreateBucket, options?: CallOptions): Promise<BucketRecord> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Buckets.use((buckets) => buckets.create(as, input.tenantId, input)),
        Plain.fromCore
      )
    )
  }

  list(
    actor: ActorHandle,
    input: InTenant & Page.Request,
    options?: CallOptions
  ): Promise<Plain.Plain<Page.Page<Bucket.Bucket>>> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Buckets.use((buckets) => buckets.list(as, input.tenantId, input)),
        Plain.fromCore
      )
    )
  }

  get(actor: ActorHandle, input: BucketRef, options?: CallOptions): Promise<BucketRecord> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Buckets.use((buckets) => buckets.get(as, input)),
        Plain.fromCore
      )
    )
  }

  update(actor: ActorHandle, input: BucketRef & Bucket.UpdateBucket, options?: CallOptions): Promise<BucketRecord> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Buckets.use((buckets) => buckets.update(as, input, input)),
        Plain.fromCore
      )
    )
  }

  /** Removes an empty bucket, with `force` one with all its files. Rejects with `BucketNotEmpty` otherwise. */
  remove(
    actor: ActorHandle,
    input: BucketRef & { readonly force?: boolean | undefined },
    options?: CallOptions
  ): Promise<void> {
    return this.#call(actor, input, options, (as) => Buckets.use((buckets) => buckets.remove(as, input, input)))
  }
}
