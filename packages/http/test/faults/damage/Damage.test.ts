/**
 * Contents whose stored bytes were changed, cut, extended or removed: no client gets wrong bytes, and the record says so.
 */
import * as FsBlobStore from "@holdfast/fs/FsBlobStore"
import * as PostgresMetadata from "@holdfast/postgres/PostgresMetadata"
import * as Requires from "@holdfast/testing/Requires"
import * as MemoryBlobStore from "@holdfast/testing/storage/MemoryBlobStore"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Database from "../../support/Database.ts"
import * as TestServer from "../../support/TestServer.ts"

const integrity = { pollInterval: Duration.millis(20), backoff: Duration.millis(20) }

/** Changes the stored bytes of a content. */
interface Rot {
  readonly cut: (id: string) => Promise<unknown>
  readonly extend: (id: string) => Promise<unknown>
  readonly remove: (id: string) => Promise<unknown>
  readonly restore: (id: string) => Promise<unknown>
}

/** The problem of a response, or its bytes. */
const outcome = async (response: Response): Promise<string> => {
  if (response.ok) return Buffer.from(await response.arrayBuffer()).toString()
  const { code } = (await response.json()) as { readonly code: string }
  return `${response.status} ${code}`
}

const damagedAnswer = "500 content_damaged"

const suite = (name: string, start: () => Promise<{ readonly server: TestServer.TestServer; readonly rot: Rot }>) =>
  describe(name, () => {
    let server: TestServer.TestServer
    let rot: Rot
    beforeAll(async () => {
      const started = await start()
      server = started.server
      rot = started.rot
    })
    afterAll(() => server.close())

    const isDamaged = async (path: string): Promise<boolean> => {
      const { damaged } = (await (await server.get(path)).json()) as { readonly damaged: boolean }
      return damaged
    }

    const faults = ["cut", "extend", "remove"] as const
    const cases = faults.flatMap((fault) => [0, 10, 8_000, 60_000, 100_000].map((size) => [fault, size] as const))
    it.each(cases.filter(([fault, size]) => size > 0 || fault !== "cut"))(
      "blob: %s, %i bytes → 500 content_damaged for GET, HEAD, ranges and downloads, damaged in the record; restored → served",
      { timeout: 60_000 },
      async (fault, size) => {
        const content = "x".repeat(size)
        const { id, path } = await server.makeFile(await server.makeBucket(), content)
        expect(await outcome(await server.get(`${path}/view`))).toBe(content)
        expect(await isDamaged(path)).toBe(false)
        await rot[fault](id)
        // The first answers come before the record says it, the others after it.
        const answers = async () => {
          const ranges = size === 0 ? [] : ["bytes=0-0", `bytes=${size - 1}-`, "bytes=0-1,4-5"]
          expect(await outcome(await server.get(`${path}/view`))).toBe(damagedAnswer)
          expect(await outcome(await server.get(`${path}/download`))).toBe(damagedAnswer)
          for (const range of ranges) {
            expect(await outcome(await server.get(`${path}/view`, { headers: { range } }))).toBe(damagedAnswer)
          }
          const head = await server.request("HEAD", `${path}/view`)
          expect([head.status, await head.text()]).toEqual([500, ""])
        }
        await answers()
        await expect.poll(() => isDamaged(path), { timeout: 20_000 }).toBe(true)
        await answers()
        const findings = server.logs.filter((line) => line.includes("content damaged") && line.includes(id))
        expect(findings).toHaveLength(1)
        await rot.restore(id)
        await expect.poll(() => isDamaged(path), { timeout: 20_000 }).toBe(false)
        expect(await outcome(await server.get(`${path}/view`))).toBe(content)
      }
    )

    it("blob missing: new content uploaded → served, not damaged", async () => {
      const { id, path } = await server.makeFile(await server.makeBucket(), "old content")
      await rot.remove(id)
      expect(await outcome(await server.get(`${path}/view`))).toBe(damagedAnswer)
      await expect.poll(() => isDamaged(path), { timeout: 20_000 }).toBe(true)
      const response = await server.post(`${path}/reupload`, { body: "new content" })
      const { code, damaged, version } = (await response.json()) as Record<string, unknown>
      expect({ code, damaged, version }).toEqual({ code: undefined, damaged: false, version: 2 })
      expect(await outcome(await server.get(`${path}/view`))).toBe("new content")
      expect(await isDamaged(path)).toBe(false)
    })
  })

/** Finds the one file of the store that was written for the newest content. */
const newestBlob = (directory: string): string => {
  const files = Fs.readdirSync(Path.join(directory, "blobs"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => Path.join(entry.parentPath, entry.name))
  // The ids of blobs are in the order of their creation.
  return files.toSorted((a, b) => (Path.basename(a) < Path.basename(b) ? 1 : -1))[0] ?? ""
}

const diskRot = (directory: string): Rot => {
  const kept = new Map<string, { readonly path: string; readonly bytes: Buffer }>()
  const change = (apply: (path: string, size: number) => void) => async (id: string) => {
    const path = newestBlob(directory)
    const bytes = Fs.readFileSync(path)
    kept.set(id, { path, bytes })
    apply(path, bytes.length)
  }
  return {
    cut: change((path, size) => Fs.truncateSync(path, size - 1)),
    extend: change((path) => Fs.appendFileSync(path, "x")),
    remove: change((path) => Fs.rmSync(path)),
    restore: async (id) => {
      const { bytes, path } = kept.get(id) ?? { bytes: Buffer.alloc(0), path: "" }
      Fs.writeFileSync(path, bytes)
    }
  }
}

suite("contents on disk, SQLite", async () => {
  const server = await TestServer.start({ integrity })
  return { server, rot: diskRot(server.directory) }
})

Requires.requires(Database.missing).describe("with PostgreSQL", () => {
  let database: Database.Database
  beforeAll(async () => {
    database = await Database.start()
  })
  afterAll(() => database.close())
  suite("contents on disk, PostgreSQL", async () => {
    const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "holdfast-rot-"))
    const metadata = PostgresMetadata.layer({ url: Redacted.make(await database.create()) })
    const server = await TestServer.start({ integrity, metadata, blobs: FsBlobStore.layer({ directory }) })
    return { server, rot: diskRot(directory) }
  })
})

suite("contents in a store without files", async () => {
  let store: BlobStore["Service"] | undefined
  const blobs = Layer.effect(
    BlobStore,
    Effect.sync(() => store as BlobStore["Service"])
  )
  store = await Effect.runPromise(MemoryBlobStore.make)
  const server = await TestServer.start({ integrity, blobs })
  const memory = store
  const kept = new Map<string, { readonly key: string; readonly bytes: Uint8Array }>()
  const change = (apply: (bytes: Uint8Array) => Uint8Array | undefined) => (id: string) =>
    Effect.runPromise(
      Effect.gen(function* () {
        const keys = (yield* Stream.runCollect(memory.list(""))).map(({ key }) => key)
        const key = keys.toSorted((a, b) => ((a.split("/")[2] ?? "") < (b.split("/")[2] ?? "") ? 1 : -1))[0] ?? ""
        const bytes = Buffer.concat(yield* Stream.runCollect(memory.read(key)))
        kept.set(id, { key, bytes })
        const changed = apply(bytes)
        yield* changed === undefined ? memory.remove(key) : memory.put(key, Stream.succeed(changed))
      })
    )
  const rot: Rot = {
    cut: change((bytes) => bytes.subarray(0, -1)),
    extend: change((bytes) => Buffer.concat([bytes, Buffer.from("x")])),
    remove: change(() => undefined),
    restore: (id) => {
      const { bytes, key } = kept.get(id) ?? { bytes: new Uint8Array(), key: "" }
      return Effect.runPromise(memory.put(key, Stream.succeed(bytes)))
    }
  }
  return { server, rot }
})

describe("small content on disk", () => {
  it.each([1, 1000, 8_000, 60_000])("bit of %i bytes flipped → 500 content_damaged at the first read", async (size) => {
    const server = await TestServer.start({ integrity })
    try {
      const { path } = await server.makeFile(await server.makeBucket(), "x".repeat(size))
      const blob = newestBlob(server.directory)
      Fs.writeFileSync(blob, "y" + "x".repeat(size - 1))
      expect(await outcome(await server.get(`${path}/view`))).toBe(damagedAnswer)
      const damaged = async () => ((await (await server.get(path)).json()) as { readonly damaged: boolean }).damaged
      await expect.poll(damaged, { timeout: 20_000 }).toBe(true)
    } finally {
      await server.close()
    }
  })
})
