import { assert, describe, it } from "@effect/vitest"
import { Access, layer } from "@holdfast/core/access/Access"
import { AccessRepository, type Principal } from "@holdfast/core/access/AccessRepository"
import type { Scope } from "@holdfast/core/access/Scope"
import * as Actor from "@holdfast/core/Actor"
import type { RoleId } from "@holdfast/core/Role"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const id = (kind: string, last: string) => `${kind}_00000000-0000-7000-8000-00000000000${last}`
const bucket = { tenantId: id("ten", "1"), bucketId: id("bkt", "2") }

/** Reads a file with a share of the folder `/in/`. Returns the tag of the error, or `read`. */
const read = (role: RoleId, scope: Scope | null = null, path = "/in/"): Effect.Effect<string> => {
  const credential = { id: "key", tenantId: null, expiresAt: null, revokedAt: null, scope, allowedOrigins: null }
  const creator: Principal = {
    account: { id: id("acc", "3"), email: "creator@example.com" },
    credential: scope === null ? null : credential,
    member: { id: id("mem", "4"), role }
  }
  const repository = AccessRepository.of({
    findByKey: () => Effect.succeedNone,
    findByCredential: () => Effect.succeedNone,
    findByAccount: () => Effect.succeedNone,
    findByShare: ({ shareId }) =>
      Effect.succeedSome({
        creator,
        shareId,
        bucketId: bucket.bucketId,
        path: "/in/",
        permissions: ["file:read"],
        passwordVersion: 0,
        expiresAt: null
      }),
    isPublic: () => Effect.succeed(false),
    recordUse: () => Effect.void
  })
  return Effect.flatMap(Access, (access) =>
    access.require(Actor.share(id("shr", "5"), 0), { ...bucket, path }, "file:read")
  ).pipe(
    Effect.match({ onFailure: ({ _tag }) => _tag, onSuccess: () => "read" }),
    Effect.provide(Layer.provide(layer, Layer.succeed(AccessRepository, repository)))
  )
}

describe("holder of a share", () => {
  it.effect("creator may share → reads in the folder alone; may only read now, by its role or token → Forbidden", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* read("role_file_writer"), "read")
      assert.strictEqual(yield* read("role_file_writer", null, "/out/"), "Forbidden")
      assert.strictEqual(yield* read("role_file_reader"), "Forbidden")
      assert.strictEqual(yield* read("role_admin", { permissions: ["share:write", "file:read"] }), "read")
      assert.strictEqual(yield* read("role_admin", { permissions: ["file:read"] }), "Forbidden")
    })
  )
})
