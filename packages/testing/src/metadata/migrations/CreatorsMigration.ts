/**
 * The check of the migration `creators`, for the tests of both databases.
 */
import { expect } from "@effect/vitest"
import type { Metadata } from "@holdfast/core/Holdfast"
import { MemberRepository } from "@holdfast/core/members/MemberRepository"
import { TokenRepository } from "@holdfast/core/tokens/TokenRepository"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import * as Sample from "../Sample.ts"

/**
 * Runs the migrations before `creators` on an empty database and inserts a member with a token. Then opens the database with all
 * migrations, and expects that the member is ACTIVE and the token has no creator, and that the member can be removed.
 */
export const check = <E, E2, E3>(
  former: Effect.Effect<unknown, E, SqlClient>,
  connect: Layer.Layer<SqlClient, E2>,
  open: Layer.Layer<Metadata, E3>
) =>
  Effect.gen(function* () {
    const [tenantId, account, tokenId] = [Sample.id("ten"), Sample.account(), Sample.id("tok")]
    const [admin, memberId] = [Sample.id("mem"), Sample.id("mem")]
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* former
      yield* sql`INSERT INTO tenant (id, name, subdomain, created_at, updated_at) VALUES (${tenantId}, 'T', 'former', 1, 1)`
      const other = Sample.account()
      for (const { email, id } of [account, other]) {
        yield* sql`INSERT INTO account (id, email, email_key) VALUES (${id}, ${email}, ${email})`
      }
      for (const [id, accountId] of [
        [admin, other.id],
        [memberId, account.id]
      ]) {
        yield* sql`INSERT INTO member (id, tenant_id, account_id, role, created_at, updated_at)
          VALUES (${id}, ${tenantId}, ${accountId}, 'role_admin', 1, 1)`
      }
      yield* sql`INSERT INTO api_key (id, hash, prefix, name, account_id, tenant_id, member_id, created_at)
        VALUES (${tokenId}, ${Sample.hash()}, 'hf_12345', 'former', ${account.id}, ${tenantId}, ${memberId}, 1)`
    }).pipe(Effect.provide(connect))
    yield* Effect.gen(function* () {
      const members = yield* MemberRepository
      const tokens = yield* TokenRepository
      const member = Option.getOrThrow(yield* members.find(tenantId, memberId))
      expect(member).toMatchObject({ user: account, status: "ACTIVE" })
      expect(Option.getOrThrow(yield* tokens.find(tenantId, tokenId)).createdBy).toBeNull()
      const removal = { tenantId, memberId, created: { _tag: "Refuse" }, at: Sample.at() } as const
      expect(yield* members.remove(removal)).toBe(true)
      expect(yield* tokens.find(tenantId, tokenId)).toEqual(Option.none())
    }).pipe(Effect.provide(open))
  })
