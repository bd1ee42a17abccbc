import { assert, describe, it } from "@effect/vitest"
import * as BlobKeys from "@holdfast/testing/data/BlobKeys"
import * as Generate from "@holdfast/testing/data/Generate"
import * as RemoteStoreFaults from "@holdfast/testing/storage/RemoteStoreFaults"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import * as ScriptedS3 from "./support/ScriptedS3.ts"

const key = BlobKeys.key(0)

const md5 = (body: Buffer): string => createHash("md5").update(body).digest("base64")

RemoteStoreFaults.suite("S3BlobStore", ScriptedS3.protocol)

describe("S3BlobStore: checksums without TLS", () => {
  it.live("put: small content → its MD5, and no checksum of the SDK", () =>
    Effect.gen(function* () {
      const { requests, store } = yield* ScriptedS3.openStore(
        (_request, response) => void response.writeHead(200).end()
      )
      yield* store.put(key, Generate.stream(4, 100_000))
      const [request] = requests
      assert.isDefined(request)
      assert.isTrue(request.body.equals(Generate.bytes(4, 100_000)))
      assert.strictEqual(request.headers["content-md5"], md5(request.body))
      assert.deepStrictEqual(
        Object.keys(request.headers).filter((name) => /^x-amz-(sdk-)?(checksum|trailer)/.test(name)),
        []
      )
    })
  )

  const size = 20 * 1024 * 1024

  it.live.each([
    [size, "stored"],
    [size - 1, "Internal, removed"]
  ] as const)("put: parts with signed SHA-256, service reports %i bytes → %s", ([reported, expected]) =>
    Effect.gen(function* () {
      const { requests, store } = yield* ScriptedS3.openStore((request, response) => {
        const { body, headers, status } = ScriptedS3.acceptUpload(reported)(request)
        response.writeHead(status, headers).end(body)
      })
      const putting = store.put(key, Generate.stream(5, size))
      if (expected === "stored") assert.strictEqual((yield* putting).size, size)
      else assert.strictEqual((yield* Effect.flip(putting)).reason, "Internal")
      const parts = requests.filter(({ method }) => method === "PUT")
      assert.strictEqual(parts.length, 3)
      for (const { body, headers } of parts) {
        assert.strictEqual(headers["x-amz-content-sha256"], Generate.sha256(body))
      }
      assert.strictEqual(ScriptedS3.summarize(requests).includes("DELETE x-id"), expected !== "stored")
    })
  )
})
