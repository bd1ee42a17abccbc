import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "fast-check"
import { createHash } from "node:crypto"
import * as Digests from "../../src/transfer/request/Digests.ts"

const hex = createHash("sha256").update("hello").digest("hex")
const base64 = Buffer.from(hex, "hex").toString("base64")
const other = createHash("sha256").update("world").digest("base64")
const sha512 = createHash("sha512").update("hello").digest("base64")
const field = `sha-256=:${base64}:`

describe("Digests.declaredSha256", () => {
  it.effect.each<[headers: Record<string, string>, expected: string | undefined]>([
    [{}, undefined],
    [{ "repr-digest": field }, hex],
    [{ "content-digest": field }, hex],
    [{ "repr-digest": field, "content-digest": field }, hex],
    [{ "repr-digest": field, "content-digest": `sha-512=:${sha512}:` }, hex],
    [{ "repr-digest": `sha-512=:${sha512}:` }, undefined],
    [{ "repr-digest": `sha-512=:${sha512}:, ${field}` }, hex],
    [{ "repr-digest": `${field},md5=:${Buffer.alloc(16).toString("base64")}:` }, hex],
    [{ "repr-digest": `${field} ,\tunixsum=:AAA=:` }, hex],
    [{ "repr-digest": `sha-256=:${other}:, ${field}` }, hex],
    [{ "repr-digest": `${field};a;b=1; c="x\\"y,z";d=?1;e=tok/en;f=:AA==:;g=-1.5;h=@1700000000` }, hex],
    [{ "repr-digest": `sha-256=:${base64.replace(/=+$/, "")}:` }, hex],
    [{ "repr-digest": "" }, undefined]
  ])("%j → %s", ([headers, expected]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* Digests.declaredSha256(headers), expected)
    })
  )

  it.effect.each([
    `sha-256=${base64}`,
    `sha-256="${base64}"`,
    `sha-256=:${base64}`,
    `sha-256=:${base64}:,`,
    `sha-256=:${base64}: sha-512=:${sha512}:`,
    `sha-256=:${base64}:;`,
    `sha-256=:${base64}:;A=1`,
    `SHA-256=:${base64}:`,
    "sha-256=::",
    "sha-256=:AAAA:",
    `sha-256=:${sha512}:`,
    "sha-256=:!!!!:",
    "sha-256",
    "sha-512=5",
    ", sha-256=:AAAA:",
    hex
  ])("malformed value %j → InvalidRequest", (value) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Digests.declaredSha256({ "repr-digest": value }))
      assert.strictEqual(error._tag, "InvalidRequest")
    })
  )

  it.effect("Repr-Digest and Content-Digest differ → InvalidRequest", () =>
    Effect.gen(function* () {
      const headers = { "repr-digest": field, "content-digest": `sha-256=:${other}:` }
      assert.strictEqual((yield* Effect.flip(Digests.declaredSha256(headers)))._tag, "InvalidRequest")
    })
  )

  it("any SHA-256 → decoded", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const value = `sha-256=:${Buffer.from(bytes).toString("base64")}:`
        assert.strictEqual(
          Effect.runSync(Digests.declaredSha256({ "content-digest": value })),
          Buffer.from(bytes).toString("hex")
        )
      })
    )
  })
})
