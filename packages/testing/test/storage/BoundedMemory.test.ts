import { assert, layer } from "@effect/vitest"
import { type BlobStoreDefinition, defineBlobStore } from "@holdfast/core"
import * as BoundedMemory from "@holdfast/testing/storage/BoundedMemory"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { afterAll } from "vitest"

const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "bounded-memory-"))
afterAll(() => Fs.rmSync(directory, { recursive: true, force: true }))

const file = Path.join(directory, "blob")
const bytes = 32 * 1024 * 1024

/** A store of one file, which streams. */
const streaming: BlobStoreDefinition = {
  name: "streaming",
  put: ({ content }) => Fs.promises.writeFile(file, content),
  read: async ({ signal }) => ({ size: Fs.statSync(file).size, content: Fs.createReadStream(file, { signal }) }),
  stat: async () => ({ size: Fs.statSync(file).size }),
  remove: async () => Fs.rmSync(file),
  list: () => []
}

const buffersPut: BlobStoreDefinition = {
  ...streaming,
  put: async ({ content }) => {
    const chunks: Array<Uint8Array> = []
    for await (const chunk of content) chunks.push(chunk)
    Fs.writeFileSync(file, Buffer.concat(chunks))
  }
}

const buffersRead: BlobStoreDefinition = {
  ...streaming,
  read: async () => {
    const whole = Fs.readFileSync(file)
    const chunks = function* () {
      for (let at = 0; at < whole.length; at += 65_536) yield whole.subarray(at, at + 65_536)
    }
    return { size: whole.length, content: chunks() }
  }
}

const cases = [
  ["that streams", streaming, undefined],
  ["that collects what it stores", buffersPut, "put"],
  ["that loads what is read", buffersRead, "read"]
] as const

for (const [name, definition, operation] of cases) {
  layer(defineBlobStore(definition).blobs, { excludeTestServices: true })((it) => {
    const result = operation === undefined ? "passes" : `MemoryNotBounded of ${operation}`
    it.effect(`store ${name} → ${result}`, () =>
      Effect.gen(function* () {
        const found = yield* Effect.match(BoundedMemory.check({ bytes }), {
          onSuccess: () => undefined,
          onFailure: (error) => (error._tag === "MemoryNotBounded" ? error.operation : error._tag)
        })
        assert.strictEqual(found, operation)
      })
    )
  })
}
