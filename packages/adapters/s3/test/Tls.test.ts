import { assert, vi } from "@effect/vitest"
import * as Generate from "@holdfast/testing/data/Generate"
import * as TestProgram from "@holdfast/testing/processes/TestProgram"
import { requires } from "@holdfast/testing/Requires"
import * as Certificate from "@holdfast/testing/servers/Certificate"
import * as ScriptedServer from "@holdfast/testing/servers/ScriptedServer"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import * as ScriptedS3 from "./support/ScriptedS3.ts"

// The test starts a process. On a busy machine that takes longer than vitest's default timeout.
vi.setConfig({ testTimeout: 60_000 })

const md5 = (body: Buffer): string => createHash("md5").update(body).digest("base64")

requires(Certificate.missing).live(
  "S3BlobStore over TLS: MD5 of every body; parts are not hashed for the signature",
  () =>
    Effect.gen(function* () {
      const certificate = yield* Certificate.make
      const large = 10 * 1024 * 1024
      const { endpoint, requests } = yield* ScriptedServer.open(
        (request, response) => {
          const { body, headers, status } = ScriptedS3.acceptUpload(large)(request)
          response.writeHead(status, headers).end(body)
        },
        { certificate }
      )
      const program = new URL("programs/put-over-tls.ts", import.meta.url)
      const env = { NODE_EXTRA_CA_CERTS: certificate.file }
      const output = yield* TestProgram.run(program, { args: [endpoint], env })
      assert.deepStrictEqual(JSON.parse(output), [1000, large])
      const bodies = requests.filter(({ method }) => method === "PUT")
      assert.strictEqual(bodies.length, 3)
      for (const { body, headers } of bodies) assert.strictEqual(headers["content-md5"], md5(body))
      const [small, ...parts] = bodies.map(({ headers }) => headers["x-amz-content-sha256"])
      // The SHA-256 of a small content is known from its receipt.
      assert.strictEqual(small, Generate.sha256(bodies[0]?.body ?? Buffer.alloc(0)))
      assert.deepStrictEqual(parts, ["UNSIGNED-PAYLOAD", "UNSIGNED-PAYLOAD"])
    })
)
