/**
 * API keys of each role, in every state that a key can have.
 */
import * as ApiKey from "@holdfast/core/access/ApiKey"
import * as Ids from "@holdfast/core/Ids"
import { TokenRepository } from "@holdfast/core/tokens/TokenRepository"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { RoleName, TestServer } from "../support/TestServer.ts"

export const states = ["live", "expired", "revoked", "of a removed member"] as const
export type KeyState = (typeof states)[number]

interface Record {
  readonly id: string
  readonly key?: string
}

const created = async (server: TestServer, path: string, json: object): Promise<Record> => {
  const response = await server.post(path, { json })
  if (response.status !== 201) throw new Error(`${path}: ${response.status}`)
  return (await response.json()) as Record
}

/** A token that expired a second ago. The API cannot create one, so it is written to the repository. */
const expired = (server: TestServer, tenantId: string, memberId: string): Promise<string> =>
  server.run(
    Effect.gen(function* () {
      const { create } = yield* TokenRepository
      const minted = yield* ApiKey.mint
      const now = yield* DateTime.now
      const token = {
        id: yield* Ids.make("tok"),
        name: "expired",
        member: { id: memberId },
        prefix: minted.prefix,
        expiresAt: DateTime.subtract(now, { seconds: 1 }),
        scope: null,
        allowedOrigins: null,
        createdAt: now,
        createdBy: null,
        lastUsedAt: null,
        revokedAt: null
      }
      yield* create({ tenantId, token, hash: minted.hash })
      return Redacted.value(minted.key)
    })
  )

let count = 0

/** A key in this state, of a new member with this role. */
export const make = async (server: TestServer, tenantId: string, role: RoleName, state: KeyState): Promise<string> => {
  const member = await created(server, `/tenants/${tenantId}/members`, {
    user: { email: `key${count++}@example.com` },
    role: { name: role }
  })
  if (state === "expired") return expired(server, tenantId, member.id)
  const token = await created(server, `/tenants/${tenantId}/tokens`, {
    name: "key",
    member: { id: member.id },
    expiresAt: new Date(Date.now() + 3_600_000).toISOString()
  })
  if (state === "revoked") await server.delete(`/tenants/${tenantId}/tokens/${token.id}`)
  if (state === "of a removed member") await server.delete(`/tenants/${tenantId}/members/${member.id}`)
  return token.key ?? ""
}
