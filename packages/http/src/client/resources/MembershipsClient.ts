/**
 * `client.memberships`.
 */
import type { Methods } from "@holdfast/core/promises/Operations"
import type { MembershipOperations } from "@holdfast/core/promises/resources/MembershipsApi"
import * as Routes from "../Routes.ts"
import type { Transport } from "../Transport.ts"

const membership = "/me/memberships/:tenantId"

export interface MembershipsClient extends Methods<MembershipOperations<string>, []> {}

export const make = (transport: Transport): MembershipsClient =>
  Routes.bind<MembershipOperations<string>>(
    transport,
    {
      invitations: { method: "GET", path: "/me/invitations", query: ["limit", "cursor"] },
      accept: { method: "POST", path: `${membership}/accept` },
      leave: { method: "DELETE", path: membership, query: ["created"] }
    },
    { invitations: true }
  )
