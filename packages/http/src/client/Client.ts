/**
 * The client for programs that do not use Effect, in browsers and in Node. It needs `fetch` only.
 */
import type { CallOptions } from "@holdfast/core/promises/Operations"
import type { Listing, MeRecord, RoleRecord } from "./Records.ts"
import * as BucketsClient from "./resources/BucketsClient.ts"
import * as EventsClient from "./resources/EventsClient.ts"
import * as FilesClient from "./resources/FilesClient.ts"
import * as FoldersClient from "./resources/FoldersClient.ts"
import * as HeadersClient from "./resources/HeadersClient.ts"
import * as MembersClient from "./resources/MembersClient.ts"
import * as MembershipsClient from "./resources/MembershipsClient.ts"
import * as MirrorsClient from "./resources/MirrorsClient.ts"
import * as StreamsClient from "./resources/StreamsClient.ts"
import * as TenantsClient from "./resources/TenantsClient.ts"
import * as TokensClient from "./resources/TokensClient.ts"
import * as SharesClient from "./resources/SharesClient.ts"
import * as WebhooksClient from "./resources/WebhooksClient.ts"
import * as Transport from "./Transport.ts"

export interface Client {
  readonly tenants: TenantsClient.TenantsClient
  readonly members: MembersClient.MembersClient
  readonly memberships: MembershipsClient.MembershipsClient
  readonly tokens: TokensClient.TokensClient
  readonly buckets: BucketsClient.BucketsClient
  readonly files: FilesClient.FilesClient
  readonly folders: FoldersClient.FoldersClient
  readonly headers: HeadersClient.HeadersClient
  readonly streams: StreamsClient.StreamsClient
  readonly mirrors: MirrorsClient.MirrorsClient
  readonly shares: SharesClient.SharesClient
  readonly webhooks: WebhooksClient.WebhooksClient
  readonly events: EventsClient.EventsClient
  /** Returns the account of the API key, with the tenant and the role of an API token. */
  readonly me: (options?: CallOptions) => Promise<MeRecord>
  /** Lists the roles; with a `tenantId` those of the tenant. */
  readonly roles: (
    input?: { readonly tenantId?: string | undefined },
    options?: CallOptions
  ) => Promise<Listing<RoleRecord>>
}

/**
 * Returns a client of a service. Every method rejects with a `HoldfastError`; its `code` is the reason.
 *
 * @example
 * const client = createClient({ url: "https://files.example.com", apiKey })
 * const file = await client.files.upload({ tenantId, bucketId, name: "a.mp4", content: blob }, { onProgress })
 */
export const createClient = (options: Transport.ClientOptions): Client => {
  const transport = Transport.make(options)
  return {
    tenants: TenantsClient.make(transport),
    members: MembersClient.make(transport),
    memberships: MembershipsClient.make(transport),
    tokens: TokensClient.make(transport),
    buckets: BucketsClient.make(transport),
    files: FilesClient.make(transport),
    folders: FoldersClient.make(transport),
    headers: HeadersClient.make(transport),
    streams: StreamsClient.make(transport),
    mirrors: MirrorsClient.make(transport),
    shares: SharesClient.make(transport),
    webhooks: WebhooksClient.make(transport),
    events: EventsClient.make(transport),
    me: (call) => transport.json({ ...call, method: "GET", path: ["me"] }),
    roles: ({ tenantId } = {}, call) =>
      transport.json({
        ...call,
        method: "GET",
        path: tenantId === undefined ? ["roles"] : ["tenants", tenantId, "roles"]
      })
  }
}
