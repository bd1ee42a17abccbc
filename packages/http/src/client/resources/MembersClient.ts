/**
 * `client.members`.
 */
import type { Methods } from "@holdfast/core/promises/Operations"
import type { MemberOperations } from "@holdfast/core/promises/resources/MembersApi"
import * as Routes from "../Routes.ts"
import type { Transport } from "../Transport.ts"

const members = "/tenants/:tenantId/members"
const member = `${members}/:memberId`

export interface MembersClient extends Methods<MemberOperations<string>, []> {}

export const make = (transport: Transport): MembersClient =>
  Routes.bind<MemberOperations<string>>(
    transport,
    {
      add: { method: "POST", path: members, hasBody: true },
      list: { method: "GET", path: members, query: ["limit", "cursor"] },
      get: { method: "GET", path: member },
      update: { method: "PATCH", path: member, query: ["created"], hasBody: true },
      remove: { method: "DELETE", path: member, query: ["created"] }
    },
    { list: true }
  )
