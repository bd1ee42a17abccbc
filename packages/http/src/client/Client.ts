/**
 * The client for programs that do not use Effect, in browsers and in Node alike. It is built on `fetch` alone.
 */
import * as BucketsClient from "./BucketsClient.ts"
import * as FilesClient from "./FilesClient.ts"
import * as MirrorsClient from "./MirrorsClient.ts"
import type * as Records from "./Records.ts"
import * as StreamsClient from "./StreamsClient.ts"
import * as TenantsClient from "./TenantsClient.ts"
import * as Transport from "./Transport.ts"

export interface Client {
  readonly tenants: TenantsClient.TenantsClient
  readonly members: TenantsClient.MembersClient
  readonly tokens: TenantsClient.TokensClient
  readonly buckets: BucketsClient.BucketsClient
  readonly files: FilesClient.FilesClient
  readonly headers: FilesClient.HeadersClient
  readonly streams: StreamsClient.StreamsClient
  readonly mirrors: MirrorsClient.MirrorsClient
  /** What the key stands for. */
  readonly me: (options?: Transport.CallOptions) => Promise<Records.MeRecord>
  /** The roles that there are; those of a tenant, where one is named. */
  readonly roles: (
    input?: Partial<Records.InTenant>,
    options?: Transport.CallOptions
  ) => Promise<Records.Listing<Records.RoleRecord>>
}

/**
 * A client of a service. Every call rejects with a `HoldfastError`, whose `code` says why.
 *
 * @example
 * const client = createClient({ url: "https://files.example.com", apiKey })
 * const file = await client.files.upload({ tenantId, bucketId, name: "a.mp4", content: blob }, { onProgress })
 */
export const createClient = (options: Transport.ClientOptions): Client => {
  const transport = Transport.make(options)
  return {
    tenants: TenantsClient.make(transport),
    members: TenantsClient.makeMembers(transport),
    tokens: TenantsClient.makeTokens(transport),
    buckets: BucketsClient.make(transport),
    files: FilesClient.make(transport),
    headers: FilesClient.makeHeaders(transport),
    streams: StreamsClient.make(transport),
    mirrors: MirrorsClient.make(transport),
    me: (call) => transport.json({ ...call, method: "GET", path: ["me"] }),
    roles: ({ tenantId } = {}, call) =>
      transport.json({
        ...call,
        method: "GET",
        path: tenantId === undefined ? ["roles"] : ["tenants", tenantId, "roles"]
      })
  }
}
