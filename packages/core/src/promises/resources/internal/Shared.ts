/**
 * Inputs and results that several resources have in common.
 */

/** A tenant. */
export interface TenantRef {
  /** The `id` of the tenant. */
  readonly tenantId: string
}

/** How to remove a tenant or a bucket. */
export interface ForceOption {
  /** Whether to remove everything in it, too. Default: false. */
  readonly force?: boolean | undefined
}

/** A list that has one page only. */
export interface Listing<A> {
  readonly items: ReadonlyArray<A>
}
