import { fs } from "@holdfast/fs"
import * as Holdfast from "@holdfast/core"
import { sqlite } from "@holdfast/sqlite"
import * as Path from "node:path"
import { Readable } from "node:stream"
import { assert, describe, it } from "vitest"
import { blobsIn, makeDirectory, setUp } from "./support.ts"

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail("should have been rejected"),
    (error: unknown) => error
  )

/** Inputs as a program without types may hand them in. */
const untyped = <T>(value: unknown): T => value as T

const rest = (controller: AbortController) =>
  async function* () {
    yield new Uint8Array(100_000)
    controller.abort(new Error("changed my mind"))
    yield new Uint8Array(100_000)
  }

describe("bad input at the Promise door", () => {
  it("names the field for wrong types, and touches nothing", async () => {
    const { bucket, files, holdfast, root } = await setUp()
    const wrong: ReadonlyArray<readonly [unknown, string]> = [
      [{ ...bucket, name: 7, content: "x" }, "/name"],
      [{ ...bucket, content: "x" }, "/name"],
      [{ ...bucket, name: "a", path: "/../", content: "x" }, "/path"],
      [{ ...bucket, name: "a", content: 7 }, "/content"],
      [{ ...bucket, name: "a" }, "/content"],
      [{ ...bucket, name: "a", content: "x", alias: "NO" }, "/alias"],
      [{ ...bucket, name: "a", content: "x", headers: [{ name: "etag", value: "x" }] }, "/headers/0/name"],
      [7, ""],
      [null, ""]
    ]
    for (const [input, pointer] of wrong) {
      const error = await rejection(holdfast.files.upload(root, untyped(input)))
      assert.instanceOf(error, Holdfast.InvalidRequest, JSON.stringify(input))
      assert.strictEqual(error.errors[0]?.pointer, pointer)
    }
    assert.deepStrictEqual(blobsIn(files), [])
  })

  it("refuses an actor that is none, or of another instance", async () => {
    const one = await setUp()
    const two = await setUp()
    for (const actor of [two.root, two.system, "key", null, {}]) {
      const error = await rejection(one.holdfast.files.list(untyped(actor), one.bucket))
      assert.instanceOf(error, Holdfast.InvalidRequest)
      assert.strictEqual(error.errors[0]?.pointer, "/actor")
    }
  })

  it("leaves nothing when the content fails midway", async () => {
    const { bucket, files, holdfast, root } = await setUp()
    const cause = new Error("the disk that was read from broke")
    const broken: ReadonlyArray<Holdfast.Source> = [
      Readable.from(
        (async function* () {
          yield new Uint8Array(100_000)
          throw cause
        })()
      ),
      new ReadableStream({
        start: (controller) => controller.enqueue(new Uint8Array(10)),
        pull: (controller) => controller.error(cause)
      })
    ]
    for (const content of broken) {
      const error = await rejection(holdfast.files.upload(root, { ...bucket, name: "a", content }))
      assert.instanceOf(error, Holdfast.SourceFailed)
      assert.strictEqual(error.cause, cause)
    }
    const wrongChunks = await rejection(
      holdfast.files.upload(root, { ...bucket, name: "a", content: untyped([new Uint8Array(3), 7]) })
    )
    assert.instanceOf(wrongChunks, Holdfast.SourceFailed)
    assert.deepStrictEqual(blobsIn(files), [])
    assert.deepStrictEqual((await holdfast.files.list(root, bucket)).items, [])
  })

  it("ends with Aborted when the signal fires, before or midway, and leaves nothing", async () => {
    const { bucket, files, holdfast, root } = await setUp()
    const input = { ...bucket, name: "a" }
    const before = await rejection(
      holdfast.files.upload(root, { ...input, content: "x" }, { signal: AbortSignal.abort("early") })
    )
    assert.instanceOf(before, Holdfast.Aborted)
    assert.strictEqual(before.cause, "early")
    const controller = new AbortController()
    const midway = await rejection(
      holdfast.files.upload(root, { ...input, content: rest(controller)() }, { signal: controller.signal })
    )
    assert.instanceOf(midway, Holdfast.Aborted)
    assert.deepStrictEqual(blobsIn(files), [])
    const noSignal = await rejection(holdfast.files.list(root, bucket, untyped({ signal: 7 })))
    assert.instanceOf(noSignal, Holdfast.InvalidRequest)
    assert.strictEqual(noSignal.errors[0]?.pointer, "/signal")
  })

  it("checks what was announced of a content", async () => {
    const { bucket, files, holdfast, root } = await setUp({ maxUploadBytes: 10 })
    const upload = (more: object) => rejection(holdfast.files.upload(root, untyped({ ...bucket, name: "a", ...more })))
    assert.instanceOf(await upload({ content: "12345678901" }), Holdfast.ContentTooLarge)
    assert.instanceOf(await upload({ content: "123", length: 4 }), Holdfast.LengthMismatch)
    assert.instanceOf(await upload({ content: "123", sha256: "0".repeat(64) }), Holdfast.ChecksumMismatch)
    assert.deepStrictEqual(blobsIn(files), [])
  })

  it("rejects with Closed after close, also what was running", async () => {
    const { bucket, files, holdfast, root } = await setUp()
    const running = rejection(
      holdfast.files.upload(root, {
        ...bucket,
        name: "a",
        content: new ReadableStream({ pull: () => new Promise(() => {}) })
      })
    )
    await holdfast.close()
    await holdfast.close()
    assert.instanceOf(await running, Holdfast.Closed)
    assert.instanceOf(await rejection(holdfast.files.list(root, bucket)), Holdfast.Closed)
    assert.deepStrictEqual(blobsIn(files), [])
  })

  it("tells a directory that is held from one that is free", async () => {
    const directory = makeDirectory()
    const options = () => ({
      metadata: sqlite({ file: ":memory:" }),
      blobs: fs({ directory: Path.join(directory, "f") })
    })
    {
      await using first = await Holdfast.open(options())
      assert.isFunction(first.close)
      const error = await rejection(Holdfast.open(options()))
      assert.propertyVal(error, "_tag", "DirectoryLockError")
    }
    await using second = await Holdfast.open(options())
    assert.isFunction(second.close)
  })
})
