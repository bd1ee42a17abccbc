/**
 * A full or failing disk: the client gets an error, existing contents remain, and the service recovers with the disk.
 */
import * as FsBlobStore from "@holdfast/fs/FsBlobStore"
import * as Requires from "@holdfast/testing/Requires"
import * as BlobFaults from "@holdfast/testing/storage/BlobFaults"
import * as FaultyBlobStore from "@holdfast/testing/storage/FaultyBlobStore"
import * as MemoryBlobStore from "@holdfast/testing/storage/MemoryBlobStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as TestServer from "../support/TestServer.ts"

const codeOf = async (response: Response): Promise<string> => {
  const { code } = (await response.json()) as { readonly code: string }
  return `${response.status} ${code}`
}

const missing = Requires.command(
  "sh",
  "-c",
  'd=$(mktemp -d) && trap \'rmdir "$d"\' EXIT && mount -t tmpfs -o size=1m tmpfs "$d" && umount "$d"'
)

Requires.requires(missing).describe("disk of 4 MiB", () => {
  const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "holdfast-full-"))
  let server: TestServer.TestServer
  beforeAll(async () => {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", directory])
    server = await TestServer.start({ blobs: FsBlobStore.layer({ directory }) })
  })
  afterAll(async () => {
    await server.close()
    execFileSync("umount", [directory])
    Fs.rmdirSync(directory)
  })

  it("content larger than the free space → 507, former content kept; a smaller one → accepted", async () => {
    const bucket = await server.makeBucket()
    const { path } = await server.makeFile(bucket, "old")
    const files = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
    const large = new Uint8Array(5_000_000)
    for (let attempt = 0; attempt < 3; attempt++) {
      assert.strictEqual(await codeOf(await server.post(`${path}/reupload`, { body: large })), "507 storage_full")
      const form = new FormData()
      form.set("body", JSON.stringify({ name: "large" }))
      form.set("file", new Blob([large]))
      assert.strictEqual(await codeOf(await server.post(`${files}/upload`, { body: form })), "507 storage_full")
    }
    assert.strictEqual(await (await server.get(`${path}/view`)).text(), "old")
    // The incomplete bytes were removed, so a content that fits is accepted.
    assert.strictEqual((await server.post(`${path}/reupload`, { body: new Uint8Array(3_000_000) })).status, 200)
    assert.deepStrictEqual(Fs.readdirSync(Path.join(directory, "tmp")), [])
  })
})

describe("failing blob store", () => {
  const faulty = FaultyBlobStore.layer.pipe(Layer.provide(MemoryBlobStore.layer))
  let server: TestServer.TestServer
  let faults: BlobFaults.BlobFaults["Service"]
  beforeAll(async () => {
    // Takes the handle from the layer that the server is built on.
    const blobs = Layer.tap(faulty, (context) =>
      Effect.sync(() => {
        faults = Context.get(context, BlobFaults.BlobFaults)
      })
    )
    server = await TestServer.start({ blobs })
  })
  afterAll(() => server.close())

  it("put fails at once, midway or without a report → 503 with Retry-After, former content kept", async () => {
    const bucket = await server.makeBucket()
    const { path } = await server.makeFile(bucket, "old")
    const broken = [
      BlobFaults.fail("Unavailable"),
      BlobFaults.failAfter(10, "Unavailable"),
      BlobFaults.failUnreported("Unavailable")
    ]
    for (const action of broken) {
      await server.run(faults.inject({ method: "put", action }))
      const response = await server.post(`${path}/reupload`, { body: "x".repeat(100_000) })
      assert.isNotNull(response.headers.get("retry-after"))
      assert.strictEqual(await codeOf(response), "503 unavailable")
      await server.run(faults.clear)
      assert.strictEqual(await (await server.get(`${path}/view`)).text(), "old")
    }
    assert.strictEqual((await server.post(`${path}/reupload`, { body: "new" })).status, 200)
    assert.strictEqual(await (await server.get(`${path}/view`)).text(), "new")
  })

  it("read fails midway → the connection is aborted, not completed", async () => {
    const bucket = await server.makeBucket()
    const { path } = await server.makeFile(bucket, "x".repeat(100_000))
    await server.run(faults.inject({ method: "read", action: BlobFaults.failAfter(50_000, "Unavailable") }))
    const whole = server.get(`${path}/view`).then((response) => response.arrayBuffer())
    const failure: unknown = await whole.then(
      () => undefined,
      (error: unknown) => error
    )
    assert.instanceOf(failure, Error)
    await server.run(faults.clear)
  })
})
