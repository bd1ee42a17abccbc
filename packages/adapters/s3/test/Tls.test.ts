import { assert, vi } from "@effect/vitest"
import { requires } from "@holdfast/testing/Requires"
import * as Certificate from "@holdfast/testing/servers/Certificate"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { fileURLToPath } from "node:url"
import * as Service from "./support/Service.ts"

// A process is started, which takes a busy machine longer than vitest gives by default.
vi.setConfig({ testTimeout: 60_000 })

const md5 = (body: Buffer): string => createHash("md5").update(body).digest("base64")

/** What the program prints, which trusts the certificate. */
const run = (endpoint: string, { file }: Certificate.Certificate) =>
  Effect.callback<string, Error>((resume) => {
    const path = fileURLToPath(new URL("programs/secured.ts", import.meta.url))
    const env = { PATH: process.env["PATH"], NODE_EXTRA_CA_CERTS: file }
    const child = execFile(process.execPath, [path, endpoint], { env }, (error, stdout) =>
      resume(error === null ? Effect.succeed(stdout) : Effect.fail(error))
    )
    return Effect.sync(() => child.kill())
  })

requires(Certificate.missing).live("S3BlobStore over TLS sends the MD5 of every body, and hashes none to sign it", () =>
  Effect.gen(function* () {
    const certificate = yield* Certificate.make
    const large = 10 * 1024 * 1024
    const { endpoint, received } = yield* Service.serve((request, response) => {
      const { body, headers, status } = Service.multipart(large)(request)
      response.writeHead(status, headers).end(body)
    }, certificate)
    assert.deepStrictEqual(JSON.parse(yield* run(endpoint, certificate)), [1000, large])
    const bodies = received.filter(({ method }) => method === "PUT")
    assert.strictEqual(bodies.length, 3)
    for (const { body, headers } of bodies) assert.strictEqual(headers["content-md5"], md5(body))
    const [small, ...parts] = bodies.map(({ headers }) => headers["x-amz-content-sha256"])
    // Of a small one it is known.
    assert.strictEqual(
      small,
      createHash("sha256")
        .update(bodies[0]?.body ?? "")
        .digest("hex")
    )
    assert.deepStrictEqual(parts, ["UNSIGNED-PAYLOAD", "UNSIGNED-PAYLOAD"])
  })
)
