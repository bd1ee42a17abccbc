/**
 * Uploads to a place where the bucket has a file already, or gets one meanwhile.
 */
import { beforeAll, expect, it, onTestFinished } from "vitest"
import { createClient } from "../../src/client/index.ts"
import * as EachDatabase from "../support/EachDatabase.ts"
import { expectProblem, json } from "../support/Problems.ts"
import { form } from "./Forms.ts"
import * as RawClient from "./RawClient.ts"

interface File {
  readonly id: string
  readonly name: string
  readonly version: number
  readonly alias: string | null
  readonly metadata: object
  readonly headers: ReadonlyArray<object>
}

EachDatabase.describeEach("upload, onConflict", (current) => {
  let bucket: { readonly tenantId: string; readonly bucketId: string }
  let files: string
  beforeAll(async () => {
    bucket = await current().makeBucket()
    files = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
  })

  const upload = (content: string, onConflict: string, description: object, headers: Record<string, string> = {}) =>
    current().post(`${files}/upload`, {
      query: { onConflict },
      body: form(["body", JSON.stringify(description)], ["file", new Blob([content])]),
      headers
    })
  const put = (content: string, query: Record<string, string>, headers: Record<string, string> = {}) =>
    current().request("PUT", `${files}/upload`, { query, body: content, headers })
  const read = async (id: string) => (await current().get(`${files}/${id}/view`)).text()
  const get = async (id: string) => json<File>(await current().get(`${files}/${id}`))

  it("replace: no such file → 201; then → 200, same id, next version; absent fields stay, given ones change", async () => {
    const first = await upload("one", "replace", {
      name: "a",
      alias: "first",
      metadata: { n: 1 },
      headers: [{ name: "x-a", value: "1" }]
    })
    expect(first.status).toBe(201)
    const { id } = await json<File>(first)
    const second = await upload("two", "replace", { name: "a", metadata: { n: 2 } })
    expect([second.status, second.headers.get("location")]).toEqual([200, `/api/v1${files}/${id}`])
    expect(await json<File>(second)).toEqual(await get(id))
    expect(await get(id)).toMatchObject({
      id,
      version: 2,
      alias: "first",
      metadata: { n: 2 },
      headers: [{ name: "x-a", value: "1" }]
    })
    await upload("three", "replace", { name: "a", alias: null, headers: [{ name: "X-B", value: "2" }] })
    expect(await get(id)).toMatchObject({ alias: null, metadata: { n: 2 }, headers: [{ name: "X-B", value: "2" }] })
    expect(await read(id)).toBe("three")
    const events = await json<{ items: ReadonlyArray<{ action: string; detail: object }> }>(
      await current().get(`/tenants/${bucket.tenantId}/events`, { query: { targetId: id } })
    )
    expect(events.items.map(({ action }) => action)).toEqual(["content.replaced", "content.replaced", "file.created"])
    expect(events.items[1]?.detail).toMatchObject({ version: 2, fields: ["metadata"] })
  })

  it("fail: name taken, form with the description first → 409 before the file", async () => {
    await upload("one", "fail", { name: "early" })
    const connection = await RawClient.connect(current().url)
    onTestFinished(() => void connection.socket.destroy())
    await connection.write(
      RawClient.head("POST", `/api/v1${files}/upload`, {
        "X-Api-Key": current().rootKey,
        "Content-Type": "multipart/form-data; boundary=b",
        "Content-Length": 1_000_000
      })
    )
    // The rest of the body never arrives: only an answer that does not need it ends the connection.
    await connection.write(RawClient.part("b", 'name="body"', JSON.stringify({ name: "early" })))
    await connection.write(RawClient.part("b", 'name="file"; filename="early"', "two"))
    expect((await connection.response()).status).toBe(409)
  })

  it("replace: alias of another file → 409 alias_taken, nothing changes", async () => {
    await upload("x", "fail", { name: "owner", alias: "owned" })
    const { id } = await json<File>(await upload("one", "fail", { name: "b" }))
    await expectProblem(await upload("two", "replace", { name: "b", alias: "owned" }), 409, "alias_taken")
    expect([await read(id), (await get(id)).version]).toEqual(["one", 1])
  })

  it("replace: conditions → hold for the file that is replaced", async () => {
    const first = await put("one", { name: "c", onConflict: "replace" })
    const { etag } = await json<{ etag: string }>(first)
    const replace = (content: string, headers: Record<string, string>, name = "c") =>
      put(content, { name, onConflict: "replace" }, headers)
    await expectProblem(await replace("two", { "if-match": '"other"' }), 412, "precondition_failed")
    await expectProblem(await replace("two", { "if-none-match": "*" }), 412, "precondition_failed")
    await expectProblem(await replace("two", { "if-match": "*" }, "missing"), 412, "precondition_failed")
    expect((await replace("two", { "if-match": etag })).status).toBe(200)
    expect((await replace("new", { "if-none-match": "*" }, "c2")).status).toBe(201)
  })

  it("replace: form with the file first, or reserved file → replaced", async () => {
    const reserved = await json<File>(await current().post(files, { json: { name: "d" } }))
    const body = form(["file", new Blob(["one"])], ["body", JSON.stringify({ name: "d" })])
    const answer = await current().post(`${files}/upload`, { query: { onConflict: "replace" }, body })
    expect(await json<File>(answer)).toMatchObject({ id: reserved.id, version: 1 })
    expect(await read(reserved.id)).toBe("one")
  })

  it.each(["replace", "rename"])("%s: uploads at once of one name → all succeed", async (onConflict) => {
    const name = `at-once-${onConflict}.txt`
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => upload(String(index), onConflict, { name }))
    )
    const stored = await Promise.all(answers.map((answer) => json<File>(answer)))
    expect(answers.map(({ status }) => status).filter((status) => status > 201)).toEqual([])
    expect(new Set(stored.map(({ id }) => id)).size).toBe(onConflict === "replace" ? 1 : 8)
    expect(new Set(stored.map((file) => file.name)).size).toBe(onConflict === "replace" ? 1 : 8)
    if (onConflict === "replace") expect((await get(stored[0]?.id ?? "")).version).toBe(8)
  })

  it("rename: no extension, dot file, longest name → a suffix before the extension, within 255 bytes", async () => {
    const renamed = async (name: string) => {
      await put("1", { name })
      return (await json<File>(await put("2", { name, onConflict: "rename" }))).name
    }
    expect(await renamed("README")).toMatch(/^README-[0-9a-z]{6}$/)
    expect(await renamed(".env")).toMatch(/^\.env-[0-9a-z]{6}$/)
    const long = await renamed(`${"ü".repeat(125)}.jpeg`)
    expect(long).toMatch(/^ü+-[0-9a-z]{6}\.jpeg$/)
    expect(Buffer.byteLength(long)).toBeLessThanOrEqual(255)
  })

  it("fail, and no or another value → 409, 400", async () => {
    await put("1", { name: "e" })
    await expectProblem(await put("2", { name: "e" }), 409, "file_exists")
    await expectProblem(await put("2", { name: "e", onConflict: "fail" }), 409, "file_exists")
    await expectProblem(await put("2", { name: "e", onConflict: "keep" }), 400, "invalid_request")
  })

  it("PUT: path and name in the query → the file; a form as its body → 415", async () => {
    const answer = await put("Hello", { name: "ü.txt", path: "/x y/" }, { "content-type": "text/markdown" })
    expect(answer.status).toBe(201)
    expect(await json(answer)).toMatchObject({ name: "ü.txt", path: "/x y/", contentType: "text/markdown" })
    const body = form(["file", new Blob(["x"])])
    const refused = await current().request("PUT", `${files}/upload`, { query: { name: "form" }, body })
    expect((await expectProblem(refused, 415, "unsupported_media_type")).detail).toContain("not a form")
    await expectProblem(await put("x", {}), 400, "invalid_request")
  })

  it("client → replace and rename too", async () => {
    const client = createClient({ url: current().url, apiKey: current().rootKey })
    const input = { ...bucket, name: "client.txt" }
    const one = await client.files.upload({ ...input, content: "one" })
    const two = await client.files.upload({ ...input, content: "two", onConflict: "replace" })
    const three = await client.files.upload({ ...input, content: "three", onConflict: "rename" })
    expect([two.id, two.version, three.id === one.id]).toEqual([one.id, 2, false])
    await expect(client.files.upload({ ...input, content: "x" })).rejects.toMatchObject({ code: "file_exists" })
  })
})
