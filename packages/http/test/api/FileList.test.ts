import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem, json, pointers } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

interface Page {
  readonly items: ReadonlyArray<{ readonly name: string; readonly expands?: object }>
  readonly folders: ReadonlyArray<string>
  readonly nextCursor: string | null
}

let server: TestServer.TestServer
beforeAll(async () => {
  server = await TestServer.start()
})
afterAll(() => server.close())

describe("file list", () => {
  let files: string
  beforeAll(async () => {
    const own = await server.makeBucket()
    files = `/tenants/${own.tenantId}/buckets/${own.bucketId}/files`
    for (const [folder, name] of [
      ["/", "a.txt"],
      ["/", "b.png"],
      ["/x/", "c.txt"],
      ["/x/y/", "d.txt"],
      ["/z/", "e.txt"]
    ]) {
      await server.makeFile(own, folder === "/z/" ? "" : "Hello", { path: folder, name })
    }
    await server.post(files, { json: { name: "reserved.txt" } })
  })

  const list = async (query: Record<string, string | ReadonlyArray<string>>) =>
    json<Page>(await server.get(files, { query }))
  const names = ({ folders, items }: Page) => [...folders, ...items.map(({ name }) => name)]

  it("path → the folders at that level, then its files", async () => {
    expect(names(await list({}))).toEqual(["/x/", "/z/", "a.txt", "b.png", "reserved.txt"])
    expect(names(await list({ path: "/x" }))).toEqual(["/x/y/", "c.txt"])
    expect(names(await list({ path: "/nowhere/" }))).toEqual([])
  })

  it("recursive → the files of all subfolders", async () => {
    expect(names(await list({ recursive: "true", path: "/x/" }))).toEqual(["c.txt", "d.txt"])
    expect(names(await list({ recursive: "false", path: "/x/" }))).toEqual(["/x/y/", "c.txt"])
  })

  it("filters name, state, type → the files that match", async () => {
    expect(names(await list({ recursive: "1", name: "d" }))).toEqual(["d.txt"])
    expect(names(await list({ state: "RESERVED" }))).toEqual(["reserved.txt"])
    expect(names(await list({ type: "TEXT", state: "READY", recursive: "1" }))).toContain("c.txt")
  })

  it(
    "files with large metadata → pages of about 1 MiB, which together have every file once",
    { timeout: 60_000 },
    async () => {
      const own = await server.makeBucket()
      const path = `/tenants/${own.tenantId}/buckets/${own.bucketId}/files`
      const all = Array.from({ length: 200 }, (_, index) => `file-${String(index).padStart(3, "0")}`)
      for (const name of all) {
        // 110 small files precede the large ones, so that the bound is reached within a later step.
        const metadata = name < "file-110" ? {} : { text: "x".repeat(16_000) }
        expect((await server.post(path, { json: { name, metadata } })).status).toBe(201)
      }
      const found: Array<string> = []
      let cursor: string | null = ""
      let pages = 0
      while (cursor !== null) {
        const query: Record<string, string> = { limit: "1000", ...(cursor === "" ? {} : { cursor }) }
        const text = await (await server.get(path, { query })).text()
        expect(text.length).toBeLessThan(1.2 * 1024 * 1024)
        const page = JSON.parse(text) as Page
        found.push(...page.items.map(({ name }) => name))
        cursor = page.nextCursor
        pages++
      }
      expect(found).toEqual(all)
      expect(pages).toBe(2)
    }
  )

  it("expands → items with these expansions", async () => {
    const { items } = await list({ recursive: "1", path: "/z/", expands: ["SIZE", "TYPE"] })
    expect(items.map(({ expands }) => expands)).toEqual([
      { size: { bytes: 0, human: "0 B" }, type: { type: expect.any(String) } }
    ])
  })

  it("limit → pages, folders first; invalid cursor → 400", async () => {
    const seen: Array<string> = []
    let cursor: string | null = ""
    let pages = 0
    while (cursor !== null) {
      const page: Page = await list(cursor === "" ? { limit: "2" } : { limit: "2", cursor })
      expect(names(page).length).toBeLessThanOrEqual(2)
      seen.push(...names(page))
      cursor = page.nextCursor
      pages++
    }
    expect(seen).toEqual(["/x/", "/z/", "a.txt", "b.png", "reserved.txt"])
    expect(pages).toBe(3)
    await expectProblem(await server.get(files, { query: { cursor: "nonsense" } }), 400, "invalid_cursor")
  })

  it("several invalid parameters → 400 with all faults", async () => {
    const query = { path: "/a//b/", type: "CAT", state: "x", limit: "-1", expands: "ALL" }
    const response = await server.get(files, { query })
    expect(pointers(await expectProblem(response, 400, "invalid_request"))).toEqual([
      "/expands/0",
      "/limit",
      "/path",
      "/state",
      "/type"
    ])
  })
})
