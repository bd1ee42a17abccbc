/**
 * Moves of files within a bucket, and removals of several files.
 */
import { beforeAll, expect, it } from "vitest"
import { createClient } from "../../src/client/index.ts"
import * as EachDatabase from "../support/EachDatabase.ts"
import { expectProblem, json } from "../support/Problems.ts"

interface File {
  readonly id: string
  readonly name: string
  readonly path: string
  readonly version: number
  readonly etag: string
}
interface Event {
  readonly action: string
  readonly target: { readonly id: string; readonly name: string }
  readonly detail: object
}

const unknownId = "fil_01890a5d-ac96-774b-bcce-b302099a8057"

EachDatabase.describeEach("moves", (current) => {
  let bucket: { readonly tenantId: string; readonly bucketId: string }
  let files: string
  let count = 0
  beforeAll(async () => {
    bucket = await current().makeBucket()
    files = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
  })

  /** Returns a folder that no other test uses. */
  const newFolder = () => `/f${count++}/`
  const put = async (path: string, name: string, content = `${path}${name}`): Promise<File> =>
    json(await current().request("PUT", `${files}/upload`, { query: { path, name }, body: content }))
  const move = (id: string, to: object, headers: Record<string, string> = {}) =>
    current().post(`${files}/${id}/move`, { json: to, headers })
  const post = (operation: string, body: object) => current().post(`${files}/${operation}`, { json: body })
  const read = async (id: string) => (await current().get(`${files}/${id}/view`)).text()
  const names = async (path: string) => {
    const page = await json<{ items: ReadonlyArray<File> }>(await current().get(files, { query: { path } }))
    return page.items.map(({ name }) => name)
  }
  const eventsOf = async (targetId: string) => {
    const answer = await current().get(`/tenants/${bucket.tenantId}/events`, { query: { targetId } })
    return (await json<{ items: ReadonlyArray<Event> }>(answer)).items
  }

  it("move: new folder and name → same id, version and content there, one event; former place free", async () => {
    const [from, to] = [newFolder(), newFolder()]
    const file = await put(from, "a.txt", "content")
    expect(await read(file.id)).toBe("content")
    const answer = await move(file.id, { path: to, name: "b.txt" })
    expect(answer.status).toBe(200)
    const moved = await json<File>(answer)
    expect(moved).toMatchObject({ id: file.id, path: to, name: "b.txt", version: 1, etag: file.etag })
    expect(await json(await current().get(`${files}/${file.id}`))).toEqual(moved)
    expect(await read(file.id)).toBe("content")
    expect([await names(from), await names(to)]).toEqual([[], ["b.txt"]])
    const [event] = await eventsOf(file.id)
    expect(event).toMatchObject({
      action: "file.updated",
      target: { name: `${to}b.txt` },
      detail: { fields: ["path", "name"], from: `${from}a.txt` }
    })
  })

  it("move: place taken → 409 with existingId; replace → that file removed; rename → a suffix", async () => {
    const [from, to] = [newFolder(), newFolder()]
    const [first, second, third] = [await put(from, "a.txt"), await put(to, "a.txt"), await put("/", `a${count}.txt`)]
    const problem = await expectProblem(await move(first.id, { path: to }), 409, "file_exists")
    expect(problem.existingId).toBe(second.id)
    expect(await json(await move(first.id, { path: to, onConflict: "replace" }))).toMatchObject({
      id: first.id,
      path: to
    })
    await expectProblem(await current().get(`${files}/${second.id}`), 404, "not_found")
    expect((await eventsOf(second.id))[0]).toMatchObject({ action: "file.deleted", target: { name: `${to}a.txt` } })
    expect(await read(first.id)).toBe(`${from}a.txt`)
    const renamed = await json<File>(await move(third.id, { path: to, name: "a.txt", onConflict: "rename" }))
    expect(renamed.name).toMatch(/^a-[0-9a-z]{6}\.txt$/)
  })

  it("move: to its own place → unchanged, no event", async () => {
    const path = newFolder()
    const file = await put(path, "a.txt")
    expect(await json(await move(file.id, { path, onConflict: "replace" }))).toMatchObject({
      id: file.id,
      name: "a.txt"
    })
    expect(await eventsOf(file.id)).toHaveLength(1)
  })

  it("move: If-Match → 412 for another content, 200 for this one; neither path nor name → 400", async () => {
    const file = await put(newFolder(), "a.txt")
    await expectProblem(await move(file.id, { name: "b" }, { "if-match": '"x"' }), 412, "precondition_failed")
    await expectProblem(await move(file.id, { name: "b" }, { "if-none-match": "*" }), 412, "precondition_failed")
    expect((await move(file.id, { name: "b" }, { "if-match": file.etag })).status).toBe(200)
    await expectProblem(await move(file.id, {}), 400, "invalid_request")
    await expectProblem(await move(unknownId, { name: "b" }), 404, "not_found")
  })

  it("move: 8 files to one place at once → each policy ends in a consistent state", async () => {
    const [from, to] = [newFolder(), newFolder()]
    const all = await Promise.all(Array.from({ length: 8 }, (_, index) => put(from, `${index}`)))
    const statuses = async (onConflict: string, name: string) => {
      const answers = await Promise.all(all.map(({ id }) => move(id, { path: to, name, onConflict })))
      return answers.map(({ status }) => status).toSorted()
    }
    expect(await statuses("fail", "x")).toEqual([200, ...Array.from({ length: 7 }, () => 409)])
    expect(await statuses("rename", "y")).toEqual(Array.from({ length: 8 }, () => 200))
    expect((await names(to)).filter((name) => name.startsWith("y"))).toHaveLength(8)
    // A file that another move replaces before its own turn is gone.
    expect((await statuses("replace", "z")).every((status) => status === 200 || status === 404)).toBe(true)
    expect(await names(to)).toEqual(["z"])
  })

  it("bulk move: 210 files → places in order, one event each; the ids stay", async () => {
    const [from, to] = [newFolder(), newFolder()]
    const reserved = await Promise.all(
      Array.from({ length: 210 }, async (_, index) =>
        json<File>(await current().post(files, { json: { path: from, name: `${index}` } }))
      )
    )
    const fileIds = reserved.map(({ id }) => id)
    const answer = await post("move", { fileIds, path: to })
    expect(answer.status).toBe(200)
    expect(await json(answer)).toEqual({ items: reserved.map(({ id, name }) => ({ id, path: to, name })) })
    expect(await names(from)).toEqual([])
    expect((await eventsOf(fileIds[209] ?? "")).map(({ action }) => action)).toEqual(["file.updated", "file.created"])
  })

  it("bulk move: a conflict → 409 naming both files, none moved; replace, rename → all moved", async () => {
    const [from, to] = [newFolder(), newFolder()]
    const [a, b, taken] = [await put(from, "a"), await put(from, "b"), await put(to, "b")]
    const problem = await expectProblem(await post("move", { fileIds: [a.id, b.id], path: to }), 409, "file_exists")
    expect(problem.detail).toContain(b.id)
    expect(problem.existingId).toBe(taken.id)
    expect(await names(from)).toEqual(["a", "b"])
    expect((await post("move", { fileIds: [a.id, b.id], path: to, onConflict: "rename" })).status).toBe(200)
    expect(await names(to)).toEqual(["a", "b", expect.stringMatching(/^b-[0-9a-z]{6}$/)])
    expect((await post("move", { fileIds: [taken.id, a.id], path: from })).status).toBe(200)
    const other = await put(to, "a")
    expect((await post("move", { fileIds: [other.id], path: from, onConflict: "replace" })).status).toBe(200)
    await expectProblem(await current().get(`${files}/${a.id}`), 404, "not_found")
  })

  it("bulk move: two files of one name → 409 also with replace, two names with rename", async () => {
    const [one, two, to] = [newFolder(), newFolder(), newFolder()]
    const fileIds = [(await put(one, "a")).id, (await put(two, "a")).id]
    await expectProblem(await post("move", { fileIds, path: to }), 409, "file_exists")
    await expectProblem(await post("move", { fileIds, path: to, onConflict: "replace" }), 409, "file_exists")
    // The first one is there already, and is to stay.
    await expectProblem(await post("move", { fileIds, path: one, onConflict: "replace" }), 409, "file_exists")
    expect((await post("move", { fileIds, path: to, onConflict: "rename" })).status).toBe(200)
    expect(await names(to)).toHaveLength(2)
  })

  it("bulk delete: all removed, contents gone, one event each; an unknown id → 404 naming it, none removed", async () => {
    const path = newFolder()
    const all = [await put(path, "a"), await put(path, "b"), await put(path, "c")]
    const fileIds = all.map(({ id }) => id)
    const refused = await expectProblem(await post("delete", { fileIds: [...fileIds, unknownId] }), 404, "not_found")
    expect(refused.detail).toContain(unknownId)
    expect((await expectProblem(await post("delete", { fileIds: ["x", "y"] }), 404, "not_found")).detail).toContain(
      "x, y"
    )
    expect(await names(path)).toEqual(["a", "b", "c"])
    expect((await post("delete", { fileIds })).status).toBe(204)
    expect(await names(path)).toEqual([])
    for (const { id } of all) {
      await expectProblem(await current().get(`${files}/${id}/view`), 404, "not_found")
      expect((await eventsOf(id)).map(({ action }) => action)).toEqual(["file.deleted", "file.created"])
    }
  })

  it("bulk: no ids, one twice, 1,001 → 400", async () => {
    for (const fileIds of [[], [unknownId, unknownId], Array.from({ length: 1001 }, (_, index) => `${index}`)]) {
      await expectProblem(await post("delete", { fileIds }), 400, "invalid_request")
      await expectProblem(await post("move", { fileIds, path: "/" }), 400, "invalid_request")
    }
  })

  it("scope of a folder → files and destinations outside are refused, also as the file that is replaced", async () => {
    const [inside, outside] = [newFolder(), newFolder()]
    const { items } = await json<{ items: ReadonlyArray<{ id: string }> }>(
      await current().get(`/tenants/${bucket.tenantId}/members`)
    )
    const token = { name: "t", member: { id: items[0]?.id }, scope: { pathPrefix: inside } }
    const { key } = await json<{ key: string }>(
      await current().post(`/tenants/${bucket.tenantId}/tokens`, { json: token })
    )
    const [own, other] = [await put(inside, "a"), await put(outside, "a")]
    const ask = (path: string, body: object) => current().post(`${files}${path}`, { json: body, key })
    const replacing = { path: outside, onConflict: "replace" }
    await expectProblem(await ask(`/${own.id}/move`, replacing), 403, "forbidden")
    await expectProblem(await ask("/move", { ...replacing, fileIds: [own.id] }), 403, "forbidden")
    await expectProblem(await ask(`/${other.id}/move`, { path: inside, name: "b" }), 404, "not_found")
    await expectProblem(await ask("/move", { path: inside, fileIds: [other.id] }), 404, "not_found")
    await expectProblem(await ask("/delete", { fileIds: [own.id, other.id] }), 404, "not_found")
    expect((await ask(`/${own.id}/move`, { path: `${inside}sub/` })).status).toBe(200)
  })

  it("client: move, moveMany, removeMany → as over HTTP", async () => {
    const client = createClient({ url: current().url, apiKey: current().rootKey })
    const [from, to] = [newFolder(), newFolder()]
    const file = await put(from, "a")
    expect(await client.files.move({ ...bucket, fileId: file.id, path: to, ifMatch: file.etag })).toMatchObject({
      path: to
    })
    expect(await client.files.moveMany({ ...bucket, fileIds: [file.id], path: from })).toEqual({
      items: [{ id: file.id, path: from, name: "a" }]
    })
    await client.files.removeMany({ ...bucket, fileIds: [file.id] })
    expect(await client.files.exists({ ...bucket, fileId: file.id })).toBe(false)
  })
})
