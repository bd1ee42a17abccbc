/**
 * One writer replaces a content repeatedly while fifty readers read it: every body is one whole version.
 */
import { createHash } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as TestServer from "../support/TestServer.ts"

/** A content whose every byte encodes its version. Even versions are sent as large files, odd ones as small files. */
const version = (index: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(index % 2 === 0 ? 100_000 + index : 1000 + index).fill(index % 251)

const versions = 40

describe("concurrent reupload and reads", () => {
  let server: TestServer.TestServer
  beforeAll(async () => {
    server = await TestServer.start()
  })
  afterAll(() => server.close())

  it("40 versions, 50 readers → every response is one whole version", { timeout: 120_000 }, async () => {
    const bucket = await server.makeBucket()
    const { path } = await server.makeFile(bucket, version(0))
    const hashes = new Map(
      Array.from({ length: versions }, (_, index) => [
        createHash("sha256").update(version(index)).digest("hex"),
        version(index).length
      ])
    )
    let written = 0
    const isOver = () => written === versions - 1
    let reads = 0

    const read = async (part: boolean) => {
      const response = await server.get(`${path}/view`, part ? { headers: { range: "bytes=100-" } } : {})
      const body = new Uint8Array(await response.arrayBuffer())
      assert.strictEqual(response.status, part ? 206 : 200)
      const etag = (response.headers.get("etag") ?? "").slice(1, -1)
      const length = hashes.get(etag)
      assert.isDefined(length, "The entity tag belongs to no version.")
      if (part)
        assert.isTrue(Buffer.alloc((length ?? 0) - 100, body[0]).equals(body), "The body has bytes of two versions.")
      else assert.strictEqual(createHash("sha256").update(body).digest("hex"), etag)
      reads++
    }
    const reader = async (index: number) => {
      while (!isOver()) await read(index % 3 === 0)
    }
    const writer = async () => {
      for (let index = 1; index < versions; index++) {
        const response = await server.post(`${path}/reupload`, { body: version(index) })
        assert.strictEqual(response.status, 200)
        await response.arrayBuffer()
        written++
      }
    }
    await Promise.all([writer(), ...Array.from({ length: 50 }, (_, index) => reader(index))])
    assert.isAbove(reads, versions)
  })
})
