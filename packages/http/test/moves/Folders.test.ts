/**
 * Moves and removals of folders.
 */
import * as FolderWorker from "@holdfast/core/folders/FolderWorker"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { beforeAll, expect, it } from "vitest"
import { createClient } from "../../src/client/index.ts"
import * as EachDatabase from "../support/EachDatabase.ts"
import { expectProblem, json } from "../support/Problems.ts"

interface Job {
  readonly id: string | null
  readonly state: string
  readonly files: number
}

EachDatabase.describeEach("folders", (current) => {
  let bucket: { readonly tenantId: string; readonly bucketId: string }
  let base: string
  let count = 0
  beforeAll(async () => {
    bucket = await current().makeBucket()
    base = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}`
  })

  const newFolder = () => `/f${count++}/`
  const reserve = async (path: string, name: string) =>
    (await json<{ id: string }>(await current().post(`${base}/files`, { json: { path, name } }))).id
  const post = (operation: string, body: object) => current().post(`${base}/folders/${operation}`, { json: body })
  const placesIn = async (path: string) => {
    const query = { path, recursive: "true", limit: "1000" }
    const page = await json<{ items: ReadonlyArray<{ path: string; name: string }> }>(
      await current().get(`${base}/files`, { query })
    )
    return page.items.map((file) => file.path + file.name)
  }
  const latestEvent = async (targetId: string) => {
    const answer = await current().get(`/tenants/${bucket.tenantId}/events`, { query: { targetId } })
    return (await json<{ items: ReadonlyArray<object> }>(answer)).items[0]
  }

  it("move, delete: few files → 200 with what was done, seen at once; an event for each file", async () => {
    const [from, to] = [newFolder(), newFolder()]
    const ids = [await reserve(from, "a"), await reserve(`${from}sub/`, "b")]
    // The record is kept by the server from now on.
    await current().get(`${base}/files/${ids[0]}`)
    const moved = await post("move", { path: from, to })
    expect(moved.status).toBe(200)
    expect(await json(moved)).toMatchObject({ id: null, kind: "MOVE", path: from, to, state: "DONE", files: 2 })
    expect(await json(await current().get(`${base}/files/${ids[0]}`))).toMatchObject({ path: to })
    expect(await placesIn(to)).toEqual([`${to}a`, `${to}sub/b`])
    expect(await latestEvent(ids[1] ?? "")).toMatchObject({
      action: "file.updated",
      target: { name: `${to}sub/b` },
      detail: { fields: ["path"], from: `${from}sub/b` }
    })
    const removed = await post("delete", { path: to })
    expect([removed.status, await json(removed)]).toMatchObject([200, { kind: "REMOVE", to: null, files: 2 }])
    await expectProblem(await current().get(`${base}/files/${ids[0]}`), 404, "not_found")
    expect(await latestEvent(ids[0] ?? "")).toMatchObject({ action: "file.deleted", actor: { kind: "ACCOUNT" } })
  })

  it("move: into itself → 400; conflict → 409; no such folder → 404", async () => {
    const [from, to] = [newFolder(), newFolder()]
    await reserve(from, "a")
    const taken = await reserve(to, "a")
    for (const into of [from, `${from}sub/`]) {
      const problem = await expectProblem(await post("move", { path: from, to: into }), 400, "invalid_request")
      expect(problem.errors).toMatchObject([{ pointer: "/to" }])
    }
    expect((await expectProblem(await post("move", { path: from, to }), 409, "file_exists")).existingId).toBe(taken)
    expect((await post("move", { path: from, to, onConflict: "rename" })).status).toBe(200)
    await expectProblem(await post("move", { path: from, to }), 404, "not_found")
    await expectProblem(await post("delete", { path: from }), 404, "not_found")
  })

  it("scope of a folder → other folders are refused as source and destination", async () => {
    const [inside, outside] = [newFolder(), newFolder()]
    await reserve(`${inside}a/`, "x")
    await reserve(outside, "x")
    const { items } = await json<{ items: ReadonlyArray<{ id: string }> }>(
      await current().get(`/tenants/${bucket.tenantId}/members`)
    )
    const token = { name: "t", member: { id: items[0]?.id }, scope: { pathPrefix: inside } }
    const { key } = await json<{ key: string }>(
      await current().post(`/tenants/${bucket.tenantId}/tokens`, { json: token })
    )
    const ask = (operation: string, body: object) => current().post(`${base}/folders/${operation}`, { json: body, key })
    await expectProblem(await ask("delete", { path: outside }), 403, "forbidden")
    await expectProblem(await ask("delete", { path: "/" }), 403, "forbidden")
    await expectProblem(await ask("move", { path: `${inside}a/`, to: outside }), 403, "forbidden")
    await expectProblem(await ask("move", { path: outside, to: `${inside}b/` }), 403, "forbidden")
    expect((await ask("move", { path: `${inside}a/`, to: `${inside}b/` })).status).toBe(200)
    expect((await ask("delete", { path: inside })).status).toBe(200)
  })

  it("delete: 501 files → 202 with a job; key revoked, cancelled → it ends, no file changed; else a worker finishes it", async () => {
    const path = newFolder()
    const names = Array.from({ length: 501 }, (_, index) => `${1000 + index}`)
    const ids: Array<string> = []
    for (let start = 0; start < names.length; start += 50) {
      ids.push(...(await Promise.all(names.slice(start, start + 50).map((name) => reserve(path, name)))))
    }
    const client = createClient({ url: current().url, apiKey: current().rootKey })
    const finish = (jobId: string) => {
      const ended = async () => {
        for (;;) {
          const found = await client.folders.job({ ...bucket, jobId })
          if (found.state !== "RUNNING") return found
        }
      }
      const worker = Layer.build(FolderWorker.layer({ pollInterval: "20 millis" }))
      return current().run(Effect.scoped(Effect.andThen(worker, Effect.promise(ended))))
    }

    const member = { id: (await client.members.list(bucket)).items[0]?.id ?? "" }
    const token = await client.tokens.create({ tenantId: bucket.tenantId, name: "t", member })
    const byToken = await createClient({ url: current().url, apiKey: token.key }).folders.remove({ ...bucket, path })
    await client.tokens.revoke({ tenantId: bucket.tenantId, tokenId: token.id })
    const revoked = await finish(byToken.id ?? "")
    expect(revoked).toMatchObject({ state: "FAILED", files: 0, error: { code: "forbidden" } })

    const unwanted = { ...bucket, jobId: (await client.folders.remove({ ...bucket, path })).id ?? "" }
    expect(await client.folders.cancel(unwanted)).toMatchObject({ id: unwanted.jobId, state: "CANCELLED", files: 0 })
    expect(await client.folders.cancel(unwanted)).toMatchObject({ state: "CANCELLED" })
    expect(await finish(unwanted.jobId)).toMatchObject({ state: "CANCELLED" })
    expect(await placesIn(path)).toHaveLength(501)

    const answer = await post("delete", { path })
    const job = await json<Job>(answer)
    expect([answer.status, job]).toMatchObject([202, { state: "RUNNING", files: 0 }])
    const location = answer.headers.get("location") ?? ""
    expect(location).toBe(`/api/v1${base}/folders/jobs/${job.id}`)
    const found = await finish(job.id ?? "")
    expect(found).toMatchObject({ id: job.id, state: "DONE", files: 501, error: null })
    expect(await placesIn(path)).toEqual([])
    expect(await latestEvent(ids[500] ?? "")).toMatchObject({ action: "file.deleted", actor: { kind: "ACCOUNT" } })
  })

  it("client → as over HTTP", async () => {
    const client = createClient({ url: current().url, apiKey: current().rootKey })
    const [path, to] = [newFolder(), newFolder()]
    await reserve(path, "a")
    expect(await client.folders.move({ ...bucket, path, to })).toMatchObject({ state: "DONE", files: 1 })
    expect(await client.folders.remove({ ...bucket, path: to })).toMatchObject({ state: "DONE", files: 1 })
    await expect(client.folders.remove({ ...bucket, path: to })).rejects.toMatchObject({ code: "not_found" })
  })
})
