/**
 * Copies of files.
 */
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { beforeAll, expect, it } from "vitest"
import { createClient } from "../../src/client/index.ts"
import * as EachDatabase from "../support/EachDatabase.ts"
import { expectProblem, json } from "../support/Problems.ts"
import { form } from "../contents/Forms.ts"

interface File {
  readonly id: string
  readonly name: string
  readonly etag: string
  readonly version: number
}

EachDatabase.describeEach("copies", (current) => {
  let bucket: { readonly tenantId: string; readonly bucketId: string }
  let other: { readonly tenantId: string; readonly bucketId: string }
  const filesOf = ({ bucketId, tenantId }: typeof bucket) => `/tenants/${tenantId}/buckets/${bucketId}/files`
  let files: string
  let count = 0
  beforeAll(async () => {
    bucket = await current().makeBucket()
    other = await current().makeBucket(bucket.tenantId)
    files = filesOf(bucket)
  })

  const upload = async (content: string, description: object = {}): Promise<File> => {
    const body = JSON.stringify({ name: `n${count++}.txt`, ...description })
    const file = new Blob([content], { type: "text/x-own" })
    return json(await current().post(`${files}/upload`, { body: form(["body", body], ["file", file]) }))
  }
  const copy = (id: string, to: object, headers: Record<string, string> = {}) =>
    current().post(`${files}/${id}/copy`, { json: to, headers })
  const bytesOf = async (bucketId: string) => {
    const usage = await current().get(`/tenants/${bucket.tenantId}/buckets/${bucketId}/usage`)
    const body = await json<{ usage: { files: number; contentBytes: number; reservedBytes: number } }>(usage)
    return body.usage
  }

  it("copy: to another bucket and name → 201, content, type, metadata and headers are the same, no alias", async () => {
    const description = { alias: `al${count}`, metadata: { a: 1 }, headers: [{ name: "x-a", value: "1" }] }
    const file = await upload("the content", description)
    const before = await bytesOf(other.bucketId)
    const answer = await copy(file.id, { toBucketId: other.bucketId, path: "/to/", name: "copy.bin" })
    expect(answer.status).toBe(201)
    const copied = await json<File>(answer)
    expect(answer.headers.get("location")).toBe(`/api/v1${filesOf(other)}/${copied.id}`)
    expect(copied).toMatchObject({
      path: "/to/",
      name: "copy.bin",
      alias: null,
      version: 1,
      etag: file.etag,
      contentType: "text/x-own",
      metadata: { a: 1 },
      headers: [{ name: "x-a", value: "1" }]
    })
    expect(copied.id).not.toBe(file.id)
    // The bytes have one owner each: the copy stays when the file is removed.
    expect((await current().delete(`${files}/${file.id}`)).status).toBe(204)
    expect(await (await current().get(`${filesOf(other)}/${copied.id}/view`)).text()).toBe("the content")
    const after = await bytesOf(other.bucketId)
    expect([after.files - before.files, after.contentBytes - before.contentBytes]).toEqual([1, 11])
    const events = await json<{ items: ReadonlyArray<{ action: string }> }>(
      await current().get(`/tenants/${bucket.tenantId}/events`, { query: { targetId: copied.id } })
    )
    expect(events.items.map(({ action }) => action)).toEqual(["file.created"])
  })

  it("copy: place taken → 409; rename → a suffix; replace → content of that file, which keeps its id; itself → 400", async () => {
    const [file, target] = [await upload("one"), await upload("two", { alias: `al${count}` })]
    expect((await expectProblem(await copy(file.id, {}), 409, "file_exists")).existingId).toBe(file.id)
    expect((await json<File>(await copy(file.id, { onConflict: "rename" }))).name).toMatch(/^n\d+-[0-9a-z]{6}\.txt$/)
    const replaced = await json<File>(await copy(file.id, { name: target.name, onConflict: "replace" }))
    expect(replaced).toMatchObject({ id: target.id, version: 2, etag: file.etag })
    expect(await (await current().get(`${files}/${target.id}/view`)).text()).toBe("one")
    await expectProblem(await copy(file.id, { onConflict: "replace" }), 400, "invalid_request")
  })

  it("copy: If-Match → 412 for another content; reserved file, unknown bucket → 404", async () => {
    const file = await upload("x")
    await expectProblem(await copy(file.id, { name: "y" }, { "if-match": '"x"' }), 412, "precondition_failed")
    const reserved = await json<File>(await current().post(files, { json: { name: `r${count++}` } }))
    await expectProblem(await copy(reserved.id, { name: "y" }), 404, "content_not_uploaded")
    const toBucketId = "bkt_01890a5d-ac96-774b-bcce-b302099a8057"
    await expectProblem(await copy(file.id, { toBucketId }), 404, "not_found")
  })

  it("copy: quota, size and types of the other bucket → 403, 413, 415, and nothing is stored", async () => {
    const file = await upload("0123456789")
    const limited = await current().makeBucket(bucket.tenantId)
    const path = `/tenants/${limited.tenantId}/buckets/${limited.bucketId}`
    const to = { toBucketId: limited.bucketId }
    const none = { maxBytes: null, maxFileBytes: null, allowedTypes: null }
    for (const [rule, status, code] of [
      [{ maxBytes: 9 }, 403, "quota_exceeded"],
      [{ maxFileBytes: 9 }, 413, "content_too_large"],
      [{ allowedTypes: ["image/*"] }, 415, "unsupported_media_type"]
    ] as const) {
      expect((await current().patch(path, { json: { ...none, ...rule } })).status).toBe(200)
      await expectProblem(await copy(file.id, to), status, code)
    }
    expect(await bytesOf(limited.bucketId)).toMatchObject({ files: 0, contentBytes: 0, reservedBytes: 0 })
  })

  it("scope: copying needs file:read of the source and file:write of the destination → 403, 404 otherwise", async () => {
    const { items } = await json<{ items: ReadonlyArray<{ id: string }> }>(
      await current().get(`/tenants/${bucket.tenantId}/members`)
    )
    const keyOf = async (scope: object) => {
      const token = { name: "t", member: { id: items[0]?.id }, scope }
      return (await json<{ key: string }>(await current().post(`/tenants/${bucket.tenantId}/tokens`, { json: token })))
        .key
    }
    const file = await upload("x", { path: "/in/" })
    const ask = (key: string, to: object) => current().post(`${files}/${file.id}/copy`, { json: to, key })
    const inside = await keyOf({ bucketIds: [bucket.bucketId], pathPrefix: "/in/" })
    await expectProblem(await ask(inside, { path: "/out/" }), 403, "forbidden")
    await expectProblem(await ask(inside, { toBucketId: other.bucketId }), 403, "forbidden")
    expect((await ask(inside, { path: "/in/deep/" })).status).toBe(201)
    await expectProblem(await ask(await keyOf({ pathPrefix: "/out/" }), { path: "/out/" }), 404, "not_found")
    await expectProblem(await ask(await keyOf({ permissions: ["file:write"] }), { name: "z" }), 403, "forbidden")
    await expectProblem(await ask(await keyOf({ permissions: ["file:read"] }), { name: "z" }), 403, "forbidden")
  })

  it("copy: content of an unknown type, new name with an extension → types of the bucket hold for its own type", async () => {
    const body = JSON.stringify({ name: `n${count++}` })
    const untyped = form(["body", body], ["file", new Blob(["raw"])])
    const file = await json<File>(await current().post(`${files}/upload`, { body: untyped }))
    const limited = await current().makeBucket(bucket.tenantId)
    const path = `/tenants/${limited.tenantId}/buckets/${limited.bucketId}`
    const to = { toBucketId: limited.bucketId, name: "a.png" }
    expect((await current().patch(path, { json: { allowedTypes: ["image/*"] } })).status).toBe(200)
    await expectProblem(await copy(file.id, to), 415, "unsupported_media_type")
    expect((await current().patch(path, { json: { allowedTypes: ["application/octet-stream"] } })).status).toBe(200)
    const copied = await copy(file.id, to)
    expect([copied.status, await json(copied)]).toMatchObject([201, { contentType: "application/octet-stream" }])
  })

  /** Returns the path of the stored file with a content. */
  const findStored = async (content: string) => {
    const entries = await Fs.readdir(current().directory, { recursive: true, withFileTypes: true })
    const paths = entries.flatMap((entry) => (entry.isFile() ? [Path.join(entry.parentPath, entry.name)] : []))
    const contents = await Promise.all(paths.map((path) => Fs.readFile(path, "latin1")))
    return paths[contents.indexOf(content)] ?? ""
  }

  it("copy: stored bytes missing → content_damaged, no file", async () => {
    const content = `content ${count} to remove`
    const file = await upload(content)
    await Fs.rm(await findStored(content))
    await expectProblem(await copy(file.id, { name: "missing copy" }), 500, "content_damaged")
    const place = { path: "/", name: "missing copy" }
    expect(await json(await current().get(`${files}/exists`, { query: place }))).toEqual({ exists: false })
  })

  it("copy: stored bytes damaged, same size → content_damaged, no file", async () => {
    const content = `content ${count} to damage`
    const file = await upload(content)
    await Fs.writeFile(await findStored(content), content.toUpperCase(), { flag: "r+" })
    await expectProblem(await copy(file.id, { name: "damaged copy" }), 500, "content_damaged")
    const place = { path: "/", name: "damaged copy" }
    expect(await json(await current().get(`${files}/exists`, { query: place }))).toEqual({ exists: false })
  })

  it("client → the copy", async () => {
    const client = createClient({ url: current().url, apiKey: current().rootKey })
    const file = await upload("x")
    const copied = await client.files.copy({ ...bucket, fileId: file.id, name: `c${count++}`, ifMatch: file.etag })
    expect(copied).toMatchObject({ etag: file.etag, path: "/" })
  })
})
