/**
 * `client.tenants`, `client.members` and `client.tokens`.
 */
import type * as Records from "./Records.ts"
import type { CallOptions, Transport } from "./Transport.ts"

const page = ({ cursor, limit }: Records.PageRequest) => ({ cursor, limit })

export const make = (transport: Transport) => ({
  /** Creates a tenant; the account that asks becomes its Admin. */
  create: (input: Records.CreateTenant, options?: CallOptions): Promise<Records.CreatedTenantRecord> =>
    transport.json({ ...options, method: "POST", path: ["tenants"], json: input }),

  /** The tenants that the account is a member of. */
  list: (input: Records.PageRequest = {}, options?: CallOptions): Promise<Records.Page<Records.TenantRecord>> =>
    transport.json({ ...options, method: "GET", path: ["tenants"], query: page(input) }),

  get: ({ tenantId }: Records.InTenant, options?: CallOptions): Promise<Records.TenantRecord> =>
    transport.json({ ...options, method: "GET", path: ["tenants", tenantId] }),

  update: (
    { tenantId, ...json }: Records.InTenant & Records.UpdateTenant,
    options?: CallOptions
  ): Promise<Records.TenantRecord> =>
    transport.json({ ...options, method: "PATCH", path: ["tenants", tenantId], json }),

  /** Removes a tenant that has no buckets, with `force` one with everything in it. */
  remove: ({ force, tenantId }: Records.InTenant & Records.Force, options?: CallOptions): Promise<void> =>
    transport.none({ ...options, method: "DELETE", path: ["tenants", tenantId], query: { force } })
})

export type TenantsClient = ReturnType<typeof make>

interface MemberRef extends Records.InTenant {
  readonly memberId: string
}

export const makeMembers = (transport: Transport) => ({
  /** Adds a member by e-mail; an account is created when the address has none. */
  add: (
    { tenantId, ...json }: Records.InTenant & Records.AddMember,
    options?: CallOptions
  ): Promise<Records.MemberRecord> =>
    transport.json({ ...options, method: "POST", path: ["tenants", tenantId, "members"], json }),

  list: (
    { tenantId, ...query }: Records.InTenant & Records.PageRequest,
    options?: CallOptions
  ): Promise<Records.Page<Records.MemberRecord>> =>
    transport.json({ ...options, method: "GET", path: ["tenants", tenantId, "members"], query: page(query) }),

  get: ({ memberId, tenantId }: MemberRef, options?: CallOptions): Promise<Records.MemberRecord> =>
    transport.json({ ...options, method: "GET", path: ["tenants", tenantId, "members", memberId] }),

  /** Changes a member's role. */
  update: (
    { memberId, tenantId, ...json }: MemberRef & Records.UpdateMember,
    options?: CallOptions
  ): Promise<Records.MemberRecord> =>
    transport.json({ ...options, method: "PATCH", path: ["tenants", tenantId, "members", memberId], json }),

  /** Removes a member with its tokens. */
  remove: ({ memberId, tenantId }: MemberRef, options?: CallOptions): Promise<void> =>
    transport.none({ ...options, method: "DELETE", path: ["tenants", tenantId, "members", memberId] })
})

export type MembersClient = ReturnType<typeof makeMembers>

interface TokenRef extends Records.InTenant {
  readonly tokenId: string
}

export const makeTokens = (transport: Transport) => ({
  /** Makes an API token for a member. Its `key` is shown this once. */
  create: (
    { tenantId, ...json }: Records.InTenant & Records.CreateToken,
    options?: CallOptions
  ): Promise<Records.CreatedTokenRecord> =>
    transport.json({ ...options, method: "POST", path: ["tenants", tenantId, "tokens"], json }),

  list: (
    { tenantId, ...query }: Records.InTenant & Records.PageRequest,
    options?: CallOptions
  ): Promise<Records.Page<Records.TokenRecord>> =>
    transport.json({ ...options, method: "GET", path: ["tenants", tenantId, "tokens"], query: page(query) }),

  get: ({ tenantId, tokenId }: TokenRef, options?: CallOptions): Promise<Records.TokenRecord> =>
    transport.json({ ...options, method: "GET", path: ["tenants", tenantId, "tokens", tokenId] }),

  /** Revokes a token for good. */
  revoke: ({ tenantId, tokenId }: TokenRef, options?: CallOptions): Promise<void> =>
    transport.none({ ...options, method: "DELETE", path: ["tenants", tenantId, "tokens", tokenId] })
})

export type TokensClient = ReturnType<typeof makeTokens>
