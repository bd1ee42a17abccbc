/**
 * A tenant: an isolated workspace with its own members, buckets and files.
 */
import * as Schema from "effect/Schema"
import * as Data from "effect/Data"
import { Member } from "../members/Member.ts"
import { atMost, Label } from "../Text.ts"

/** A DNS label (RFC 1035, section 2.3.1), lower-case, 3 to 63 characters. */
export const Subdomain = Schema.String.check(
  Schema.isPattern(/^[a-z0-9](?:[a-z0-9-]{1,61})[a-z0-9]$/, {
    ...atMost(63),
    message: "must be 3 to 63 lower-case letters, digits and inner hyphens"
  })
)

export const Tenant = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  subdomain: Schema.String,
  createdAt: Schema.DateTimeUtcFromString,
  updatedAt: Schema.DateTimeUtcFromString
}).annotate({ identifier: "Tenant" })
export type Tenant = typeof Tenant.Type

/** The result of creating a tenant: the tenant and the creator's Admin membership. */
export const CreatedTenant = Schema.Struct({ ...Tenant.fields, member: Schema.NullOr(Member) }).annotate({
  identifier: "CreatedTenant"
})
export type CreatedTenant = typeof CreatedTenant.Type

export const CreateTenant = Schema.Struct({ name: Label, subdomain: Subdomain }).annotate({
  identifier: "CreateTenant"
})
export type CreateTenant = typeof CreateTenant.Type

export const UpdateTenant = Schema.Struct({
  name: Schema.optional(Label),
  subdomain: Schema.optional(Subdomain)
}).annotate({ identifier: "UpdateTenant" })
export type UpdateTenant = typeof UpdateTenant.Type

/** Another tenant has this subdomain. */
export class SubdomainTaken extends Data.TaggedError("SubdomainTaken")<{ readonly subdomain: string }> {
  readonly code = "subdomain_taken"
  override get message(): string {
    return `Another tenant has the subdomain ${this.subdomain}. Choose another one.`
  }
}

/** The tenant still has buckets, and the removal was not forced. */
export class TenantNotEmpty extends Data.TaggedError("TenantNotEmpty")<{}> {
  readonly code = "tenant_not_empty"
  override readonly message = "The tenant still has buckets. Remove them first, or force the removal."
}
