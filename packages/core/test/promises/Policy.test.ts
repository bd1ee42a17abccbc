import * as Holdfast from "@holdfast/core"
import { assert, describe, it } from "vitest"
import { blobsIn, rejection, setUp } from "./support.ts"

describe("Promise API: policy", () => {
  it("token of a File Reader: reads only, other role → writes, revoked → Unauthenticated", async () => {
    const { bucket, holdfast, root, tenant } = await setUp()
    const { tenantId } = bucket
    const member = await holdfast.members.add(root, {
      tenantId,
      user: { email: "reader@example.com" },
      role: { name: "File Reader" }
    })
    const token = await holdfast.tokens.create(root, {
      tenantId,
      name: "ci",
      member: { id: member.id },
      expiresAt: new Date(Date.now() + 60_000)
    })
    const reader = holdfast.as(token.key)
    const upload = (by: Holdfast.ActorHandle) => holdfast.files.upload(by, { ...bucket, name: "b", content: "x" })
    const { id } = await holdfast.files.upload(root, { ...bucket, name: "a", content: "x" })
    assert.strictEqual(await (await holdfast.files.read(reader, { ...bucket, fileId: id })).text(), "x")
    for (const [permission, detail, denied] of [
      ["file:write", "has no permission file:write in this tenant", () => upload(reader)],
      ["file:write", "file:write", () => holdfast.files.remove(reader, { ...bucket, fileId: id })],
      ["bucket:read", "bucket:read", () => holdfast.buckets.list(reader, { tenantId })],
      ["member:manage", "member:manage", () => holdfast.members.list(reader, { tenantId })],
      [undefined, "account key", () => holdfast.tenants.create(reader, { name: "Other", subdomain: "other" })],
      [undefined, "account key", () => holdfast.memberships.invitations(reader)],
      [undefined, "Only the deployment itself", () => holdfast.keys.list(root)]
    ] as const) {
      const error = await rejection(denied())
      assert.instanceOf(error, Holdfast.Forbidden)
      assert.strictEqual(error.permission, permission)
      assert.include(error.message, detail)
    }
    await holdfast.members.update(root, { tenantId, memberId: member.id, role: { id: "role_file_writer" } })
    await upload(reader)
    await holdfast.tokens.revoke(root, { tenantId, tokenId: token.id })
    assert.instanceOf(await rejection(holdfast.files.get(reader, { ...bucket, fileId: id })), Holdfast.Unauthenticated)
    assert.isNotNull((await holdfast.tokens.get(root, { tenantId, tokenId: token.id })).revokedAt)
    assert.strictEqual(tenant.member.role.name, "Admin")
  })

  it.each([
    ["token revoked", "unauthenticated"],
    ["role without file:write", "forbidden"],
    ["member removed", "unauthenticated"]
  ] as const)("upload, reupload, copy; meanwhile %s → refused, nothing stored", async (loss, expected) => {
    const [reached, proceed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const before = async ({ file }: { readonly file: { readonly name: string } }) => {
      if (file.name !== "copy") return
      reached.resolve()
      await proceed.promise
    }
    const { bucket, files, holdfast, root } = await setUp({ hooks: { onUpload: { before } } })
    const { tenantId } = bucket
    const member = await holdfast.members.add(holdfast.system(), {
      tenantId,
      user: { email: "writer@example.com" },
      role: { name: "File Writer" }
    })
    const token = await holdfast.tokens.create(root, { tenantId, name: "ci", member: { id: member.id } })
    const writer = holdfast.as(token.key)
    const { id } = await holdfast.files.upload(root, { ...bucket, name: "a", content: "former" })
    const stored = blobsIn(files)

    let waiting = 2
    const bothWait = Promise.withResolvers<void>()
    const lost = Promise.withResolvers<void>()
    async function* content() {
      yield new Uint8Array(10)
      if (--waiting === 0) bothWait.resolve()
      await lost.promise
      yield new Uint8Array(10)
    }
    const running = [
      holdfast.files.upload(writer, { ...bucket, name: "b", content: content() }),
      holdfast.files.reupload(writer, { ...bucket, fileId: id, content: content() }),
      holdfast.files.copy(writer, { ...bucket, fileId: id, name: "copy" })
    ].map(rejection)
    await Promise.all([bothWait.promise, reached.promise])
    if (loss === "token revoked") await holdfast.tokens.revoke(root, { tenantId, tokenId: token.id })
    else if (loss === "member removed") await holdfast.members.remove(root, { tenantId, memberId: member.id })
    else await holdfast.members.update(root, { tenantId, memberId: member.id, role: { id: "role_file_reader" } })
    lost.resolve()
    proceed.resolve()

    for (const error of await Promise.all(running)) assert.propertyVal(error, "code", expected)
    const { items } = await holdfast.files.list(root, bucket)
    assert.deepStrictEqual(
      items.map(({ name, version }) => [name, version]),
      [["a", 1]]
    )
    assert.deepStrictEqual(blobsIn(files), stored)
  })

  it("account of the host: no member → Forbidden, member → reads, e-mail in any case", async () => {
    const { bucket, holdfast } = await setUp()
    const { tenantId } = bucket
    const ada = holdfast.account("Ada@example.com")
    const refused = await rejection(holdfast.files.list(ada, bucket))
    assert.instanceOf(refused, Holdfast.Forbidden)
    assert.strictEqual(refused.message, "The caller has no permission file:read in this tenant.")
    await holdfast.members.add(holdfast.system(), {
      tenantId,
      user: { email: "ada@EXAMPLE.com" },
      role: { id: "role_file_reader" }
    })
    assert.deepStrictEqual((await holdfast.files.list(ada, bucket)).items, [])
    assert.deepStrictEqual(
      (await holdfast.tenants.list(ada)).items.map(({ id }) => id),
      [tenantId]
    )
  })

  it("memberships: account invited by an account → Forbidden until it accepts, and after it left", async () => {
    const { bucket, holdfast, root } = await setUp()
    const { tenantId } = bucket
    const ada = holdfast.account("ada@example.com")
    const member = { tenantId, user: { email: "ada@example.com" }, role: { id: "role_file_reader" } } as const
    assert.strictEqual((await holdfast.members.add(root, member)).status, "INVITED")
    assert.instanceOf(await rejection(holdfast.files.list(ada, bucket)), Holdfast.Forbidden)
    const { items } = await holdfast.memberships.invitations(ada)
    assert.deepStrictEqual(
      items.map(({ tenant }) => tenant.id),
      [tenantId]
    )
    assert.strictEqual((await holdfast.memberships.accept(ada, { tenantId })).status, "ACTIVE")
    assert.deepStrictEqual((await holdfast.files.list(ada, bucket)).items, [])
    await holdfast.memberships.leave(ada, { tenantId })
    assert.instanceOf(await rejection(holdfast.files.list(ada, bucket)), Holdfast.Forbidden)
    assert.instanceOf(await rejection(holdfast.memberships.leave(ada, { tenantId })), Holdfast.NotFound)
    assert.instanceOf(await rejection(holdfast.memberships.invitations(holdfast.system())), Holdfast.Forbidden)
  })

  it("role: unknown name, none or two → does not compile; rejects unless both are of one role", async () => {
    const { bucket, holdfast, root } = await setUp()
    const member = { tenantId: bucket.tenantId, user: { email: "reader@example.com" } }
    // @ts-expect-error No role has this name.
    const unknown = await rejection(holdfast.members.add(root, { ...member, role: { name: "Reader" } }))
    assert.instanceOf(unknown, Holdfast.InvalidRequest)
    assert.include(unknown.message, "Bucket Reader, File Writer, File Reader")
    // @ts-expect-error A role has an id or a name.
    assert.instanceOf(await rejection(holdfast.members.add(root, { ...member, role: {} })), Holdfast.InvalidRequest)
    const both = { id: "role_file_reader", name: "File Reader" } as const
    // @ts-expect-error One of them suffices.
    assert.strictEqual((await holdfast.members.add(root, { ...member, role: both })).role.id, both.id)
  })

  it("tenant: created by an account → its Admin, which the type says; by the deployment → no member", async () => {
    const { holdfast, root } = await setUp()
    for (const [subdomain, actor] of [
      ["key", root],
      ["account", holdfast.account("ada@example.com")]
    ] as const) {
      const { id: tenantId, member } = await holdfast.tenants.create(actor, { name: "Own", subdomain })
      assert.strictEqual((await holdfast.members.get(actor, { tenantId, memberId: member.id })).role.name, "Admin")
    }
    const { member } = await holdfast.tenants.create(holdfast.system(), { name: "None", subdomain: "none" })
    // @ts-expect-error The deployment is no member.
    assert.throws(() => member.id, TypeError)
    assert.isNull(member)
  })

  it("as: unknown key → Unauthenticated, a handle never prints its key", async () => {
    const { bucket, holdfast, key, root } = await setUp()
    for (const wrong of ["", "hf_nonsense", `${key}x`]) {
      assert.instanceOf(await rejection(holdfast.files.list(holdfast.as(wrong), bucket)), Holdfast.Unauthenticated)
    }
    assert.notInclude(JSON.stringify(root) + String(root), key)
  })
})
