/**
 * Hooks of an application: what they refuse, in each way of uploading and removing, and what remains.
 */
import type { Hooks, UploadChange } from "@holdfast/core"
import { expect, describe, it, vi, onTestFinished } from "vitest"
import { toNodeListener } from "../../src/index.ts"
import { form } from "../contents/Forms.ts"
import { expectProblem, json } from "../support/Problems.ts"
import * as MountedHoldfast from "./MountedHoldfast.ts"

interface File {
  readonly id: string
  readonly version: number
}

const textOf = async (content: AsyncIterable<Uint8Array>): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ""
  for await (const chunk of content) text += decoder.decode(chunk, { stream: true })
  return text
}

const setUp = async (hooks: Hooks) => {
  const opened = await MountedHoldfast.openHoldfast(undefined, hooks)
  const api = MountedHoldfast.requests(await MountedHoldfast.serve(toNodeListener(opened.holdfast)), opened)
  const names = async () => (await opened.holdfast.files.list(opened.root, opened.ref)).items.map(({ name }) => name)
  return { ...opened, api, names, bucket: opened.files.replace(/\/files$/, "") }
}

/** A scanner of viruses: it reads the whole content. */
const scan = async ({ content }: UploadChange) =>
  (await textOf(content)).includes("EICAR") ? { refuse: "The content is infected." } : undefined

/** For a busy machine. */
const within = { timeout: 20_000 }

const silenceLogs = () => {
  vi.spyOn(console, "log").mockImplementation(() => undefined)
  onTestFinished(() => void vi.restoreAllMocks())
}

describe("onUpload", () => {
  it("every way of uploading: infected → 422 with the reason, nothing is stored; clean → stored", async () => {
    const seen: Array<UploadChange> = []
    const before = async (change: UploadChange) => {
      seen.push(change)
      return scan(change)
    }
    const { api, bucket, files, holdfast, listBlobs, names, ref, root } = await setUp({ onUpload: { before } })
    const reserved = await holdfast.files.reserve(root, { ...ref, name: "reserved" })
    const link = await holdfast.files.uploadUrl(root, { ...ref, path: "/", maxBytes: 1000, expiresIn: 60 })
    const linkUrl = `${api.baseUrl}${link.url.slice(link.url.indexOf("/tenants"))}`
    const other = await holdfast.buckets.create(root, { tenantId: ref.tenantId, name: "other" })
    const source = await holdfast.files.upload(root, { ...ref, bucketId: other.id, name: "source", content: "clean" })
    const ways: Readonly<Record<string, (content: string, name: string) => Promise<Response>>> = {
      form: (content, name) =>
        api.post(`${files}/upload`, { body: form(["body", JSON.stringify({ name })], ["file", new Blob([content])]) }),
      "form, file first": (content, name) =>
        api.post(`${files}/upload`, { body: form(["file", new Blob([content])], ["body", JSON.stringify({ name })]) }),
      raw: (content, name) => api.request("PUT", `${files}/upload`, { query: { name }, body: content }),
      link: (content, name) => fetch(`${linkUrl}&name=${name}`, { method: "PUT", body: content }),
      "link, form": (content, name) =>
        fetch(linkUrl, { method: "POST", body: form(["file", new Blob([content]), name]) }),
      reupload: (content) => api.post(`${files}/${reserved.id}/reupload`, { body: content }),
      large: (content, name) =>
        api.request("PUT", `${files}/upload`, { query: { name }, body: content + " ".repeat(3_000_000) })
    }
    const blobs = listBlobs().length
    for (const [way, upload] of Object.entries(ways)) {
      const problem = await expectProblem(await upload("an EICAR test", way), 422, "change_refused")
      expect([way, problem.detail]).toEqual([way, "The application refuses this change: The content is infected."])
      expect([way, listBlobs().length, await names()]).toEqual([way, blobs, ["reserved"]])
    }
    await expect(holdfast.files.upload(root, { ...ref, name: "library", content: "EICAR" })).rejects.toMatchObject({
      code: "change_refused",
      reason: "The content is infected."
    })
    expect(listBlobs().length).toBe(blobs)

    for (const [way, upload] of Object.entries(ways)) expect([200, 201]).toContain((await upload("clean", way)).status)
    await holdfast.files.upload(root, { ...ref, name: "library", content: "clean", metadata: { a: 1 } })
    const { actor, file } = seen.at(-1) ?? {}
    expect(file).toEqual({
      ...ref,
      path: "/",
      name: "library",
      metadata: { a: 1 },
      contentType: "application/octet-stream",
      size: 5,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/)
    })
    expect(actor).toMatchObject({ kind: "ACCOUNT", accountId: expect.any(String) })
    const copied = await api.post(`${bucket.replace(ref.bucketId, other.id)}/files/${source.id}/copy`, {
      json: { name: "copy", toBucketId: ref.bucketId }
    })
    expect(copied.status).toBe(201)
    expect(seen.at(-1)?.file).toMatchObject({ bucketId: ref.bucketId, name: "copy" })
  })

  it("hook rejects, answers something else, or takes too long → 503, nothing is stored", async () => {
    silenceLogs()
    let signal: AbortSignal | undefined
    const faults: ReadonlyArray<(change: UploadChange) => Promise<unknown>> = [
      () => Promise.reject(new Error("the scanner does not answer")),
      async () => false,
      (change) => {
        signal = change.signal
        return new Promise(() => undefined)
      }
    ]
    let fault = faults[0]
    // As a program without types.
    const before = (change: UploadChange) => fault?.(change) as Promise<void>
    const { api, files, listBlobs, names } = await setUp({ onUpload: { before }, timeout: 50 })
    for (fault of faults) {
      const upload = api.request("PUT", `${files}/upload`, { query: { name: "a" }, body: "x" })
      const { detail } = await expectProblem(await upload, 503, "hook_failed")
      expect(detail).not.toContain("scanner")
    }
    expect(signal?.aborted).toBe(true)
    expect([listBlobs(), await names()]).toEqual([[], []])
  })

  it("client disconnects while the hook runs → its signal fires, nothing is stored", async () => {
    const running = Promise.withResolvers<UploadChange>()
    const before = (change: UploadChange) => {
      running.resolve(change)
      return new Promise<void>(() => undefined)
    }
    const { api, files, key, listBlobs, names } = await setUp({ onUpload: { before } })
    const abort = new AbortController()
    const upload = fetch(`${api.baseUrl}${files}/upload?name=a`, {
      method: "PUT",
      headers: { "x-api-key": key },
      body: "x",
      signal: abort.signal
    })
    const { content, signal } = await running.promise
    abort.abort()
    await expect(upload).rejects.toBeDefined()
    await expect.poll(() => signal.aborted, within).toBe(true)
    await expect.poll(listBlobs, within).toEqual([])
    expect(await names()).toEqual([])
    await expect(textOf(content)).rejects.toThrow("only while it runs")
  })

  it("more uploads of a tenant than concurrency → the others wait; those of another tenant do not", async () => {
    let running = 0
    let most = 0
    const release = Promise.withResolvers<void>()
    const before = async ({ file }: UploadChange) => {
      if (file.name === "other tenant") return
      most = Math.max(most, ++running)
      await release.promise
      running--
    }
    const { holdfast, ref, root } = await setUp({ onUpload: { before }, concurrency: 2 })
    const uploads = ["a", "b", "c", "d"].map((name) => holdfast.files.upload(root, { ...ref, name, content: name }))
    await expect.poll(() => running, within).toBe(2)
    const tenant = await holdfast.tenants.create(root, { name: "Other", subdomain: "other" })
    const bucket = await holdfast.buckets.create(root, { tenantId: tenant.id, name: "media" })
    const place = { tenantId: tenant.id, bucketId: bucket.id, name: "other tenant" }
    expect((await holdfast.files.upload(root, { ...place, content: "x" })).version).toBe(1)
    release.resolve()
    expect((await Promise.all(uploads)).map(({ version }) => version)).toEqual([1, 1, 1, 1])
    expect(most).toBe(2)
  })

  it("hooks that upload further files, more at once than concurrency → all are stored", async () => {
    const { holdfast, names, ref, root } = await setUp({
      onUpload: {
        before: async ({ file: { name } }) => {
          if (!name.endsWith("+")) await holdfast.files.upload(root, { ...ref, name: `${name}+`, content: name })
        }
      },
      concurrency: 1
    })
    const uploads = ["a", "b", "c"].map((name) => holdfast.files.upload(root, { ...ref, name, content: name }))
    expect((await Promise.all(uploads)).map(({ version }) => version)).toEqual([1, 1, 1])
    expect(await names()).toEqual(["a", "a+", "b", "b+", "c", "c+"])
  })

  it("hook whose own uploads call it without an end → refused with the reason, nothing is stored", async () => {
    let calls = 0
    let reason: unknown
    const { holdfast, names, ref, root } = await setUp({
      onUpload: {
        before: async () => {
          const name = `f${calls++}`
          await holdfast.files.upload(root, { ...ref, name, content: "" }).catch((error) => {
            reason ??= error
            throw error
          })
        }
      }
    })
    silenceLogs()
    const upload = holdfast.files.upload(root, { ...ref, name: "a", content: "" })
    await expect(upload).rejects.toMatchObject({ code: "hook_failed" })
    expect(reason).toMatchObject({ code: "change_refused", message: expect.stringContaining("4 times") })
    expect([calls, await names()]).toEqual([4, []])
  })
})

describe("onReplace", () => {
  it("reupload, upload that replaces → refused, the content stays; first contents → no call", async () => {
    const seen: Array<string> = []
    const { api, files, holdfast, ref, root } = await setUp({
      onReplace: {
        before: async ({ content, current }) => {
          seen.push(`${current.fileId} ${current.version} ${await textOf(content)}`)
          return { refuse: "Contents never change." }
        }
      }
    })
    const put = (body: string, query: object = {}) =>
      api.request("PUT", `${files}/upload`, { query: { name: "a", ...query }, body })
    const { id } = await json<File>(await put("one", { onConflict: "replace" }))
    await expectProblem(await put("two", { onConflict: "replace" }), 422, "change_refused")
    await expectProblem(await api.post(`${files}/${id}/reupload`, { body: "three" }), 422, "change_refused")
    expect(seen).toEqual([`${id} 1 two`, `${id} 1 three`])
    expect(await (await api.get(`${files}/${id}/view`)).text()).toBe("one")

    const reserved = await holdfast.files.reserve(root, { ...ref, name: "b" })
    expect((await api.post(`${files}/${reserved.id}/reupload`, { body: "first" })).status).toBe(200)

    // Of uploads at once for one place, the first creates the file; the hook sees all others.
    const race = await Promise.all([1, 2, 3, 4].map((n) => put(String(n), { name: "race", onConflict: "replace" })))
    expect(race.map(({ status }) => status).toSorted()).toEqual([201, 422, 422, 422])
  })

  it("file gets its first or another content while a hook runs → onReplace is called for that one", async () => {
    let meanwhile = async (): Promise<unknown> => undefined
    const once = () => {
      const run = meanwhile
      meanwhile = async () => undefined
      return run()
    }
    const seen: Array<number> = []
    const { api, files, holdfast, ref, root } = await setUp({
      onUpload: { before: async () => void (await once()) },
      onReplace: {
        before: async ({ current }) => {
          seen.push(current.version)
          await once()
          return current.metadata["hold"] === true ? { refuse: "Under legal hold." } : undefined
        }
      }
    })
    for (const name of ["reuploaded", "replaced"]) {
      const { fileId } = { fileId: (await holdfast.files.reserve(root, { ...ref, name, metadata: { hold: true } })).id }
      meanwhile = () => holdfast.files.reupload(root, { ...ref, fileId, content: "first" })
      const answer =
        name === "replaced"
          ? api.request("PUT", `${files}/upload`, { query: { name, onConflict: "replace" }, body: "second" })
          : api.post(`${files}/${fileId}/reupload`, { body: "second" })
      await expectProblem(await answer, 422, "change_refused")
      expect(await (await api.get(`${files}/${fileId}/view`)).text()).toBe("first")
    }
    expect(seen.splice(0)).toEqual([1, 1])

    const { id: fileId } = await holdfast.files.upload(root, { ...ref, name: "free", content: "one" })
    const other = () => {
      meanwhile = () => holdfast.files.reupload(root, { ...ref, fileId, content: "other" })
      return undefined
    }
    meanwhile = async () => other()
    expect((await api.post(`${files}/${fileId}/reupload`, { body: "two" })).status).toBe(200)
    // The hook of this request, of the other one, and again of this one, which replaces the content of the other.
    expect(seen).toEqual([1, 1, 2])
    meanwhile = async () => other()
    const headers = { "if-match": (await api.get(`${files}/${fileId}/view`)).headers.get("etag") ?? "" }
    const refused = await api.post(`${files}/${fileId}/reupload`, { body: "three", headers })
    await expectProblem(refused, 412, "precondition_failed")
  })

  it("hook replaces its own file again in each attempt → that call is refused with the reason, the upload is stored", async () => {
    const refused: Array<unknown> = []
    const { api, files, holdfast, ref, root } = await setUp({
      onReplace: {
        before: async ({ current: { fileId }, file }) => {
          if (file.size !== "new".length) return
          await holdfast.files
            .reupload(root, { ...ref, fileId, content: "of the hook" })
            .catch((error) => refused.push(error))
        }
      }
    })
    const { id } = await holdfast.files.upload(root, { ...ref, name: "a", content: "0" })
    expect((await api.post(`${files}/${id}/reupload`, { body: "new" })).status).toBe(200)
    expect(refused).toMatchObject([{ code: "change_refused", message: expect.stringContaining("onReplace.after") }])
    expect(await (await api.get(`${files}/${id}/view`)).text()).toBe("new")
  })

  it("many uploads at once for one file → each waits for its turn, all are stored", async () => {
    const { api, files, holdfast, ref, root } = await setUp({ onReplace: { before: () => undefined } })
    const { id } = await holdfast.files.upload(root, { ...ref, name: "a", content: "0" })
    const query = { name: "a", onConflict: "replace" }
    const send = (n: number) =>
      n % 2 === 0
        ? api.request("PUT", `${files}/upload`, { query, body: String(n) })
        : api.post(`${files}/${id}/reupload`, { body: String(n) })
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => send(n)))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 200))
    expect((await holdfast.files.get(root, { ...ref, fileId: id })).version).toBe(41)
  })

  it("another file takes the place while the hook runs → the hook is called for it, too", async () => {
    let meanwhile = async (): Promise<unknown> => undefined
    const { api, files, holdfast, ref, root } = await setUp({
      onReplace: {
        before: async ({ current }) => {
          await meanwhile()
          return current.metadata["hold"] === true ? { refuse: "Under legal hold." } : undefined
        }
      }
    })
    const first = await holdfast.files.upload(root, { ...ref, name: "a", content: "first" })
    const held = await holdfast.files.upload(root, { ...ref, name: "held", content: "held", metadata: { hold: true } })
    meanwhile = async () => {
      meanwhile = async () => undefined
      await holdfast.files.move(root, { ...ref, fileId: first.id, name: "former" })
      await holdfast.files.move(root, { ...ref, fileId: held.id, name: "a" })
    }
    const query = { name: "a", onConflict: "replace" }
    await expectProblem(await api.request("PUT", `${files}/upload`, { query, body: "new" }), 422, "change_refused")
    expect(await (await api.get(`${files}/${held.id}/view`)).text()).toBe("held")
  })
})

describe("onDelete", () => {
  it("removal of a file, of several, and by a move → refused, all stay; permitted → removed", async () => {
    const { api, files, names } = await setUp({
      onDelete: { before: ({ file }) => (file.metadata["hold"] === true ? { refuse: "Under legal hold." } : undefined) }
    })
    const make = async (name: string, metadata: object = {}) =>
      (await json<File>(await api.post(files, { json: { name, metadata } }))).id
    const held = await make("held", { hold: true })
    const [one, two] = [await make("one"), await make("two")]
    const refused = [
      () => api.delete(`${files}/${held}`),
      () => api.post(`${files}/delete`, { json: { fileIds: [one, held] } }),
      () => api.post(files.replace(/files$/, "folders/delete"), { json: { path: "/" } }),
      () => api.post(`${files}/${one}/move`, { json: { name: "held", onConflict: "replace" } })
    ]
    for (const request of refused) {
      const problem = await expectProblem(await request(), 422, "change_refused")
      expect(problem.detail).toContain("Under legal hold.")
    }
    expect(await names()).toEqual(["held", "one", "two"])
    expect((await api.delete(`${files}/${one}`)).status).toBe(204)
    expect((await api.post(`${files}/delete`, { json: { fileIds: [two] } })).status).toBe(204)
    expect(await names()).toEqual(["held"])
  })

  it("another file takes a place, an alias or a folder while the hook runs → it is not removed unseen", async () => {
    let meanwhile = async (): Promise<unknown> => undefined
    const { api, files, holdfast, ref, root } = await setUp({
      onDelete: {
        before: async ({ file }) => {
          const change = meanwhile
          meanwhile = async () => undefined
          await change()
          return file.metadata["hold"] === true ? { refuse: "Under legal hold." } : undefined
        }
      }
    })
    const make = async (path: string, name: string, alias?: string) =>
      (await holdfast.files.reserve(root, { ...ref, path, name, alias, metadata: { hold: name === "held" } })).id
    const places = async () =>
      (await holdfast.files.list(root, { ...ref, recursive: true })).items.map((file) => file.path + file.name)

    const [held, other] = [await make("/from/", "held"), await make("/from/", "other")]
    await make("/to/", "other")
    meanwhile = () => make("/to/", "held")
    const move = { fileIds: [held, other], path: "/to/", onConflict: "replace" }
    await expectProblem(await api.post(`${files}/move`, { json: move }), 422, "change_refused")
    expect(await places()).toEqual(["/from/held", "/from/other", "/to/held", "/to/other"])

    const removeFolder = () => api.post(files.replace(/files$/, "folders/delete"), { json: { path: "/folder/" } })
    await make("/folder/", "a")
    meanwhile = () => make("/folder/", "new")
    expect(await json(await removeFolder())).toMatchObject({ state: "DONE", files: 1 })
    expect(await places()).toContain("/folder/new")
    const gone = await make("/folder/", "a")
    meanwhile = async () => {
      await make("/folder/", "held")
      await holdfast.files.remove(root, { ...ref, fileId: gone })
    }
    await expectProblem(await removeFolder(), 422, "change_refused")
    expect(await places()).toEqual(expect.arrayContaining(["/folder/held", "/folder/new"]))

    const named = await make("/", "named", "alias")
    meanwhile = async () => {
      await holdfast.files.update(root, { ...ref, fileId: named, alias: null })
      await make("/", "held", "alias")
    }
    expect((await api.delete(`${files}/@alias`)).status).toBe(204)
    const left = await places()
    expect([left.includes("/held"), left.includes("/named")]).toEqual([true, false])
  })
})

it("open: faulty hooks → InvalidRequest that names them", async () => {
  const hooks: Hooks = JSON.parse('{"onUplod":{},"onDelete":{"before":1},"concurrency":0}')
  await expect(MountedHoldfast.openHoldfast(undefined, hooks)).rejects.toMatchObject({
    errors: expect.arrayContaining([
      { pointer: "/hooks/onUplod", detail: "is not known; did you mean onUpload?" },
      expect.objectContaining({ pointer: "/hooks/onDelete/before" }),
      expect.objectContaining({ pointer: "/hooks/concurrency" })
    ])
  })
})
