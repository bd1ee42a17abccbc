/**
 * `client.events`.
 */
import type { Methods } from "@holdfast/core/promises/Operations"
import type { EventOperations } from "@holdfast/core/promises/resources/EventsApi"
import * as Routes from "../Routes.ts"
import type { Transport } from "../Transport.ts"

export interface EventsClient extends Methods<EventOperations<string>, []> {}

const filter = ["accountId", "tokenId", "action", "outcome", "targetId", "bucketId", "from", "to"] as const

export const make = (transport: Transport): EventsClient => ({
  ...Routes.bind<Pick<EventOperations<string>, "list">>(
    transport,
    {
      list: { method: "GET", path: "/tenants/:tenantId/events", query: [...filter, "order", "limit", "cursor"] }
    },
    { list: true }
  ),

  export: async ({ tenantId, ...query }, options) => {
    const names = [...filter, "after"] as const
    const request = {
      method: "GET",
      path: ["tenants", tenantId, "events", "export"],
      query: Object.fromEntries(names.map((name) => [name, query[name]]))
    } as const
    const { body } = await transport.send({ ...options, ...request })
    return body ?? new Blob([]).stream()
  }
})
