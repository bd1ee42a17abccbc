/**
 * Hooks that run after changes: once for each change, again after a failure and after a crash.
 */
import { type CompletedChange, type Hooks, type MetadataAdapter, open } from "@holdfast/core"
import { fs } from "@holdfast/fs"
import { postgres } from "@holdfast/postgres"
import { sqlite } from "@holdfast/sqlite"
import * as Requires from "@holdfast/testing/Requires"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import * as Database from "../support/Database.ts"

const temporary = (): string => {
  const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "after-hooks-"))
  onTestFinished(() => Fs.rmSync(directory, { recursive: true, force: true }))
  return directory
}

const setUp = async (hooks: Hooks, toMetadata: (directory: string) => Promise<MetadataAdapter>) => {
  const directory = temporary()
  const metadata = await toMetadata(directory)
  const holdfast = await open({
    metadata,
    blobs: fs({ directory: Path.join(directory, "files") }),
    hooks,
    sweepEvery: false
  })
  onTestFinished(() => holdfast.close())
  const ada = holdfast.account("ada@example.com")
  const tenant = await holdfast.tenants.create(ada, { name: "Acme", subdomain: "acme" })
  const bucket = await holdfast.buckets.create(ada, { tenantId: tenant.id, name: "media" })
  return { holdfast, ada, ref: { tenantId: tenant.id, bucketId: bucket.id } }
}

const onSqlite = async (directory: string) => sqlite({ file: Path.join(directory, "app.sqlite") })

const onPostgres = async () => {
  const database = await Database.start()
  onTestFinished(() => database.close())
  return postgres({ url: await database.create() })
}

const suite = (toMetadata: (directory: string) => Promise<MetadataAdapter>) => () => {
  it("uploads, replacement and removals → a call for each, with what changed; a failed one again", async () => {
    vi.spyOn(console, "log").mockImplementation(() => undefined)
    onTestFinished(() => void vi.restoreAllMocks())
    const calls: Array<readonly [hook: string, change: CompletedChange]> = []
    let failures = 1
    const { ada, holdfast, ref } = await setUp(
      {
        onUpload: {
          after: async (change) => {
            calls.push(["onUpload", change])
            if (failures-- > 0) throw new Error("the queue does not answer")
          }
        },
        onReplace: { after: (change) => void calls.push(["onReplace", change]) },
        onDelete: { after: (change) => void calls.push(["onDelete", change]) }
      },
      toMetadata
    )
    const file = await holdfast.files.upload(ada, { ...ref, path: "/b", name: "a", content: "one" })
    await expect.poll(() => calls.length, { timeout: 20_000 }).toBe(2)
    expect(calls[0]).toEqual(calls[1])
    expect(calls[0]?.[1]).toEqual({
      ...ref,
      id: expect.stringMatching(/^evt_/),
      at: expect.any(Date),
      fileId: file.id,
      path: "/b/",
      name: "a",
      version: 1,
      size: 3,
      actor: { kind: "ACCOUNT", accountId: expect.any(String), tokenId: null }
    })

    const reserved = await holdfast.files.reserve(ada, { ...ref, name: "reserved" })
    await holdfast.files.reupload(ada, { ...ref, fileId: file.id, content: "two" })
    await holdfast.files.remove(ada, { ...ref, fileId: file.id })
    await holdfast.files.removeMany(ada, { ...ref, fileIds: [reserved.id] })
    await expect.poll(() => calls.length, { timeout: 20_000 }).toBe(6)
    const seen = calls.slice(2).map(([hook, { fileId, version }]) => [hook, fileId, version])
    expect(seen).toEqual(
      expect.arrayContaining([
        ["onUpload", file.id, 2],
        ["onReplace", file.id, 2],
        ["onDelete", file.id, 2],
        ["onDelete", reserved.id, 0]
      ])
    )
  })
}

describe("hooks after changes, on SQLite", suite(onSqlite))
Requires.requires(Database.missing).describe("hooks after changes, on PostgreSQL", suite(onPostgres))

it("a hook does not end → the calls for later changes do not wait for it", async () => {
  const calls: Array<string> = []
  const after = ({ name }: CompletedChange) => {
    calls.push(name)
    return name === "slow" ? new Promise<void>(() => undefined) : undefined
  }
  const { ada, holdfast, ref } = await setUp({ onUpload: { after } }, onSqlite)
  await holdfast.files.upload(ada, { ...ref, name: "slow", content: "x" })
  await expect.poll(() => calls, { timeout: 20_000 }).toEqual(["slow"])
  await holdfast.files.upload(ada, { ...ref, name: "next", content: "x" })
  await expect.poll(() => calls, { timeout: 20_000 }).toEqual(["slow", "next"])
})

it("process is killed while a hook runs → the next process calls it for the same change", async () => {
  const directory = temporary()
  const program = fileURLToPath(new URL("../programs/after-hook.ts", import.meta.url))
  const child = spawn(process.execPath, [program, directory], { stdio: ["ignore", "pipe", "inherit"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  const [called] = await once(child.stdout, "data")
  child.kill("SIGKILL")
  await once(child, "exit")

  const ids: Array<string> = []
  const holdfast = await open({
    metadata: sqlite({ file: Path.join(directory, "app.sqlite") }),
    blobs: fs({ directory: Path.join(directory, "files") }),
    hooks: { onUpload: { after: ({ id }) => void ids.push(id) } }
  })
  onTestFinished(() => holdfast.close())
  await expect.poll(() => ids, { timeout: 20_000 }).toEqual([String(called).trim()])
})
