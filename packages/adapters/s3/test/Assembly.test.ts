import { assert, describe, it } from "@effect/vitest"
import * as ChunkedContents from "@holdfast/testing/data/ChunkedContents"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import * as Assembly from "../src/Assembly.ts"

const partBytes = ChunkedContents.partBytes

/** All parts, each put together in the same memory. */
const assemble = (content: Stream.Stream<Uint8Array>, isEncrypted = true) =>
  Effect.gen(function* () {
    const assembly = yield* Assembly.make(content, partBytes, isEncrypted)
    const memory = Assembly.memory()
    const parts: Array<Assembly.Part> = []
    for (let part = yield* assembly.next(memory); part !== undefined; part = yield* assembly.next(memory)) {
      parts.push({ ...part, bytes: Buffer.from(part.bytes) })
    }
    assert.isUndefined(yield* assembly.next(memory))
    return { parts, receipt: assembly.receipt(), reserved: memory.buffer.byteLength }
  })

describe("Assembly", () => {
  it.effect.each(ChunkedContents.cases)("cuts %i bytes that come in chunks of %j", ([size, sizes]) =>
    Effect.gen(function* () {
      const content = Generate.bytes(1, size)
      // The generator makes no empty chunks.
      const chunks = Stream.flatMap(Generate.stream(1, size, sizes), (chunk) => Stream.make(chunk, new Uint8Array(0)))
      const { parts, receipt, reserved } = yield* assemble(chunks)
      assert.isTrue(Buffer.concat(parts.map(({ bytes }) => bytes)).equals(content))
      assert.deepStrictEqual(receipt, { size, sha256: Generate.sha256(content) })
      const count = Math.max(1, Math.ceil(size / partBytes))
      assert.deepStrictEqual(
        parts.map(({ number }) => number),
        Array.from({ length: count }, (_, index) => index + 1)
      )
      for (const { bytes, md5, number } of parts) {
        if (number < count) assert.strictEqual(bytes.byteLength, partBytes)
        assert.strictEqual(md5, createHash("md5").update(bytes).digest("base64"))
      }
      assert.isAtMost(reserved, partBytes)
    })
  )

  it.effect("has both checksums of the first part, and of others what signs them without TLS", () =>
    Effect.gen(function* () {
      const { parts, receipt } = yield* assemble(Generate.stream(3, 250_000), false)
      assert.deepStrictEqual(
        parts.map(({ md5, sha256 }) => [md5 !== undefined, sha256]),
        parts.map(({ bytes, number }) => [number === 1, Generate.sha256(bytes)])
      )
      assert.strictEqual(parts[0]?.md5, createHash("md5").update(Generate.bytes(3, partBytes)).digest("base64"))
      assert.strictEqual(receipt.sha256, Generate.sha256(Generate.bytes(3, 250_000)))
      const encrypted = yield* assemble(Generate.stream(3, 250_000))
      assert.isTrue(encrypted.parts.every(({ sha256 }) => sha256 === undefined))
    })
  )

  it.effect("reserves little for little", () =>
    Effect.gen(function* () {
      assert.isAtMost((yield* assemble(Generate.stream(2, 100))).reserved, 64 * 1024)
    })
  )
})
