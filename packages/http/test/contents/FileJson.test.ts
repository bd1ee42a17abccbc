import { assert, describe, it } from "@effect/vitest"
import * as File from "@holdfast/core/files/File"
import * as FileList from "@holdfast/core/files/FileList"
import { FileType } from "@holdfast/core/files/FileType"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"
import * as FastCheck from "fast-check"
import * as FileJson from "../../src/handlers/support/FileJson.ts"

const text = FastCheck.string({ unit: "binary" })
const count = FastCheck.nat()
const times = FastCheck.date({ noInvalidDate: true }).map((date) => DateTime.makeUnsafe(date.getTime()))

const members = {
  id: text,
  name: text,
  path: text,
  alias: FastCheck.option(text),
  contentType: FastCheck.option(text),
  etag: FastCheck.option(text),
  checksum: FastCheck.option(FastCheck.record({ sha256: text })),
  version: count,
  state: FastCheck.constantFrom(...File.FileState.literals),
  damaged: FastCheck.boolean(),
  metadata: FastCheck.dictionary(text, FastCheck.jsonValue() as FastCheck.Arbitrary<Schema.Json>),
  headers: FastCheck.array(FastCheck.record({ name: text, value: text })),
  createdAt: times,
  updatedAt: times
}
const expands = FastCheck.record(
  {
    size: FastCheck.record({ bytes: count, human: text }),
    type: FastCheck.record({ type: FastCheck.constantFrom(...FileType.literals) })
  },
  { requiredKeys: [] }
)
const files: FastCheck.Arbitrary<File.File> = FastCheck.oneof(
  FastCheck.record(members),
  FastCheck.record({ ...members, expands })
)

const encodeFile = Schema.encodeSync(Schema.toCodecJson(File.File))
const encodePage = Schema.encodeSync(Schema.toCodecJson(FileList.FilePage))

const assertBody = async (response: HttpServerResponse.HttpServerResponse, expected: unknown): Promise<void> => {
  assert.strictEqual(response.headers["content-type"], "application/json")
  assert.strictEqual(await HttpServerResponse.toWeb(response).text(), JSON.stringify(expected))
}

describe("FileJson", () => {
  it("record → the JSON of its schema", () =>
    FastCheck.assert(
      FastCheck.asyncProperty(files, (file) => assertBody(FileJson.respondWithFile(file), encodeFile(file)))
    ))

  it.each([0, 1, 200, 201, 1000])("page of %d files → the JSON of its schema", async (length) => {
    const items = FastCheck.sample(files, { numRuns: length, seed: 1 })
    for (const page of [
      { items, folders: [], nextCursor: null },
      { items, folders: ["/a/", '/"\u0001é/'], nextCursor: "a-_" }
    ]) {
      await assertBody(await Effect.runPromise(FileJson.respondWithPage(page)), encodePage(page))
    }
  })
})
