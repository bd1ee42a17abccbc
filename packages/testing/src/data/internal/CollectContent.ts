/**
 * Collects a content in memory.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"

/** Returns all bytes of a content and their SHA-256, hexadecimal. Copies each chunk, because the source may reuse its memory. */
export const collectContent = Effect.fnUntraced(function* <E, R>(content: Stream.Stream<Uint8Array, E, R>) {
  const hash = createHash("sha256")
  const chunks: Array<Uint8Array> = []
  yield* Stream.runForEach(content, (chunk) =>
    Effect.sync(() => {
      hash.update(chunk)
      chunks.push(new Uint8Array(chunk))
    })
  )
  return { bytes: Buffer.concat(chunks), sha256: hash.digest("hex") }
})
