/**
 * One writer replaces a content repeatedly while fifty readers read it: every body is one whole version. Every other version is uploaded
 * in parts.
 */
import * as Actor from "@holdfast/core/Actor"
import { ResumableUploads } from "@holdfast/core/uploads/ResumableUploads"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as TestServer from "../support/TestServer.ts"

/** A content whose every byte encodes its version. Of three versions, two are large. */
const version = (index: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(index % 3 === 0 ? 1000 + index : 100_000 + index).fill(index % 251)

const versions = 24

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

/** Replaces the content of a file by one of three parts. */
const replaceByParts = Effect.fnUntraced(function* (
  bucket: { readonly tenantId: string; readonly bucketId: string },
  name: string,
  content: Uint8Array
) {
  const uploads = yield* ResumableUploads
  const { id: uploadId } = yield* uploads.create(
    Actor.system,
    bucket,
    { name },
    { mode: "PARTS", onConflict: "replace" }
  )
  const ref = { ...bucket, uploadId }
  const size = Math.ceil(content.length / 3)
  for (let number = 1; number <= 3; number++) {
    const part = content.subarray((number - 1) * size, number * size)
    yield* uploads.putPart(Actor.system, ref, Stream.make(part), { number })
  }
  return yield* uploads.complete(Actor.system, ref)
})

describe("concurrent reupload and reads", () => {
  let server: TestServer.TestServer
  beforeAll(async () => {
    server = await TestServer.start()
  })
  afterAll(() => server.close())

  it(
    `${versions} versions, whole or in parts, 50 readers → every response is one whole version`,
    { timeout: 120_000 },
    async () => {
      const bucket = await server.makeBucket()
      const name = "torn.bin"
      const { id, path } = await server.makeFile(bucket, version(0), { name })
      const hashes = new Set(Array.from({ length: versions }, (_, index) => sha256(version(index))))
      /** The SHA-256 of each content by its entity tag, as far as they are known. */
      const contents = new Map<string, string>()
      let written = 0
      const isOver = () => written === versions - 1
      let reads = 0

      const read = async (part: boolean) => {
        const response = await server.get(`${path}/view`, part ? { headers: { range: "bytes=100-" } } : {})
        const body = new Uint8Array(await response.arrayBuffer())
        assert.strictEqual(response.status, part ? 206 : 200)
        const whole = part ? Buffer.concat([Buffer.alloc(100, body[0]), body]) : body
        const hash = sha256(whole)
        assert.isTrue(hashes.has(hash), "The body is no whole version.")
        const etag = response.headers.get("etag") ?? ""
        assert.strictEqual(contents.get(etag) ?? hash, hash, "The entity tag belongs to another version.")
        contents.set(etag, hash)
        reads++
      }
      const reader = async (index: number) => {
        while (!isOver()) await read(index % 3 === 0)
      }
      const writer = async () => {
        for (let index = 1; index < versions; index++) {
          if (index % 2 === 0) {
            const file = await server.run(replaceByParts(bucket, name, version(index)))
            assert.deepInclude(file, { id, version: index + 1 })
          } else {
            const response = await server.post(`${path}/reupload`, { body: version(index) })
            assert.strictEqual(response.status, 200)
            await response.arrayBuffer()
          }
          written++
        }
      }
      await Promise.all([writer(), ...Array.from({ length: 50 }, (_, index) => reader(index))])
      assert.isAbove(reads, versions)
    }
  )
})
