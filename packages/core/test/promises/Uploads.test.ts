import * as Holdfast from "@holdfast/core"
import { fakeHoldfast } from "@holdfast/testing"
import { createHash } from "node:crypto"
import { assert, describe, expect, it, onTestFinished } from "vitest"
import { blobsIn, rejection, setUp } from "./support.ts"

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

/** Passes an input as a program without types can pass it. */
const untyped = <T>(value: unknown): T => value as T

const inMemory = async () => {
  const fake = await fakeHoldfast()
  onTestFinished(() => fake.close())
  return { holdfast: fake.holdfast, bucket: fake.bucket, actor: fake.owner }
}

const onDisk = async () => {
  const { bucket, files, holdfast, root } = await setUp()
  return { holdfast, bucket, actor: root, files }
}

describe.each([
  ["memory", inMemory],
  ["SQLite and a disk", onDisk]
])("holdfast.uploads on %s", (_name, open) => {
  it("append: three calls, the first one aborted midway → file has all bytes, and its checksum", async () => {
    const { actor, bucket, holdfast } = await open()
    const { createdAt, id, ...upload } = await holdfast.files.createUpload(actor, {
      ...bucket,
      name: "a.txt",
      path: "/x",
      metadata: { n: 1 }
    })
    expect(upload).toMatchObject({
      mode: "APPEND",
      name: "a.txt",
      path: "/x/",
      length: null,
      received: 0,
      state: "OPEN"
    })
    assert.instanceOf(createdAt, Date)
    assert.isAbove(upload.expiresAt.getTime(), createdAt.getTime())
    const ref = { ...bucket, uploadId: id }

    const controller = new AbortController()
    const content = async function* () {
      yield "Hello "
      // Requested when the bytes before were taken.
      controller.abort()
      yield await new Promise<string>(() => {})
    }
    const { signal } = controller
    const aborted = await rejection(
      holdfast.uploads.append(actor, { ...ref, offset: 0, content: content() }, { signal })
    )
    assert.instanceOf(aborted, Holdfast.Aborted)
    const { received } = await holdfast.uploads.resume(actor, ref)
    assert.include([0, 6], received)

    const appended = await holdfast.uploads.append(actor, {
      ...ref,
      offset: received,
      content: "Hello ".slice(received)
    })
    assert.strictEqual(appended.received, 6)
    const wrong = await rejection(holdfast.uploads.append(actor, { ...ref, offset: 5, content: "World" }))
    assert.instanceOf(wrong, Holdfast.OffsetMismatch)
    assert.strictEqual(wrong.offset, 6)
    await holdfast.uploads.append(actor, { ...ref, offset: 6, content: "World", length: 11 })
    const file = await holdfast.uploads.complete(actor, ref)
    expect(file).toMatchObject({ name: "a.txt", path: "/x/", metadata: { n: 1 }, state: "READY", version: 1 })
    assert.strictEqual(await (await holdfast.files.read(actor, { ...bucket, fileId: file.id })).text(), "Hello World")
    // A program whose answer was lost asks again.
    assert.deepStrictEqual(await holdfast.uploads.complete(actor, ref), file)
    assert.strictEqual((await holdfast.uploads.get(actor, ref)).state, "DONE")
  })

  it("append: content fails midway → SourceFailed, upload keeps the bytes before", async () => {
    const { actor, bucket, holdfast } = await open()
    const { id } = await holdfast.files.createUpload(actor, { ...bucket, name: "a", length: 11 })
    const ref = { ...bucket, uploadId: id }
    const content = (function* () {
      yield "Hello "
      throw new Error("read error")
    })()
    assert.instanceOf(
      await rejection(holdfast.uploads.append(actor, { ...ref, offset: 0, content })),
      Holdfast.SourceFailed
    )
    assert.strictEqual((await holdfast.uploads.get(actor, ref)).received, 6)
    const incomplete = await rejection(holdfast.uploads.complete(actor, ref))
    assert.instanceOf(incomplete, Holdfast.UploadIncomplete)
    assert.deepStrictEqual([incomplete.received, incomplete.length], [6, 11])
  })

  it("putPart: parts in any order, one replaced → listParts and iterateParts by number, complete joins the listed ones", async () => {
    const { actor, bucket, holdfast } = await open()
    const { id } = await holdfast.files.createUpload(actor, { ...bucket, name: "a", mode: "PARTS" })
    const ref = { ...bucket, uploadId: id }
    const put = (number: number, content: string) => holdfast.uploads.putPart(actor, { ...ref, number, content })
    await Promise.all([put(7, "World"), put(2, "Bye "), put(9, "!")])
    const replaced = await put(2, "Hello ")
    assert.deepStrictEqual([replaced.number, replaced.size, replaced.sha256], [2, 6, sha256("Hello ")])
    const different = { ...ref, number: 2, content: "x", sha256: sha256("y") }
    assert.instanceOf(await rejection(holdfast.uploads.putPart(actor, different)), Holdfast.ChecksumMismatch)

    const first = await holdfast.uploads.listParts(actor, { ...ref, limit: 2 })
    assert.deepStrictEqual(
      first.items.map(({ number }) => number),
      [2, 7]
    )
    const sizes: Array<number> = []
    for await (const part of holdfast.uploads.iterateParts(actor, { ...ref, limit: 2 })) sizes.push(part.size)
    assert.deepStrictEqual(sizes, [6, 5, 1])

    const unknown = await rejection(holdfast.uploads.complete(actor, { ...ref, parts: [{ number: 1 }] }))
    assert.instanceOf(unknown, Holdfast.InvalidRequest)
    const parts = [{ number: 2, sha256: sha256("Hello ") }, { number: 7 }]
    const file = await holdfast.uploads.complete(actor, { ...ref, parts })
    assert.strictEqual(await (await holdfast.files.read(actor, { ...bucket, fileId: file.id })).text(), "Hello World")
  })

  it("abort: open upload → not found, not listed, its name is free", async () => {
    const { actor, bucket, holdfast } = await open()
    const create = (name: string) => holdfast.files.createUpload(actor, { ...bucket, name })
    const [one, two, three] = [await create("a"), await create("b"), await create("c")]
    const ref = { ...bucket, uploadId: two.id }
    await holdfast.uploads.append(actor, { ...ref, offset: 0, content: "x" })
    await holdfast.uploads.abort(actor, ref)
    assert.instanceOf(await rejection(holdfast.uploads.get(actor, ref)), Holdfast.NotFound)
    assert.instanceOf(
      await rejection(holdfast.uploads.append(actor, { ...ref, offset: 1, content: "y" })),
      Holdfast.NotFound
    )
    const names: Array<string> = []
    for await (const { name } of holdfast.uploads.iterate(actor, { ...bucket, limit: 1 })) names.push(name)
    assert.sameMembers(names, [one.name, three.name])
    await holdfast.files.upload(actor, { ...bucket, name: "b", content: "b" })
  })

  it("createUpload: place taken, before or meanwhile → FileExists; replace → a new version", async () => {
    const { actor, bucket, holdfast } = await open()
    const created = await holdfast.files.createUpload(actor, { ...bucket, name: "a" })
    await holdfast.files.upload(actor, { ...bucket, name: "a", content: "first" })
    const complete = () => holdfast.uploads.complete(actor, { ...bucket, uploadId: created.id })
    assert.instanceOf(await rejection(complete()), Holdfast.FileExists)
    assert.instanceOf(
      await rejection(holdfast.files.createUpload(actor, { ...bucket, name: "a" })),
      Holdfast.FileExists
    )
    const replacing = await holdfast.files.createUpload(actor, { ...bucket, name: "a", onConflict: "replace" })
    const ref = { ...bucket, uploadId: replacing.id }
    await holdfast.uploads.append(actor, { ...ref, offset: 0, content: "second" })
    assert.strictEqual((await holdfast.uploads.complete(actor, ref)).version, 2)
  })
})

describe("inputs of holdfast.uploads", () => {
  it("input of a wrong type → InvalidRequest at the field, nothing stored", async () => {
    const { actor, bucket, files, holdfast } = await onDisk()
    const create = (mode: Holdfast.UploadRecord["mode"]) =>
      holdfast.files.createUpload(actor, { ...bucket, name: mode, mode })
    const appends = { ...bucket, uploadId: (await create("APPEND")).id }
    const parts = { ...bucket, uploadId: (await create("PARTS")).id }
    const wrong: ReadonlyArray<readonly [(input: never) => Promise<unknown>, object, string]> = [
      [(input) => holdfast.files.createUpload(actor, input), { ...bucket, name: 7 }, "/name"],
      [(input) => holdfast.files.createUpload(actor, input), { ...bucket, name: "a", mode: "OTHER" }, "/mode"],
      [(input) => holdfast.files.createUpload(actor, input), { ...bucket, name: "a", length: -1 }, "/length"],
      [(input) => holdfast.files.createUpload(actor, input), { ...bucket, name: "a", onConflict: "no" }, "/onConflict"],
      [(input) => holdfast.uploads.append(actor, input), { ...appends, offset: 0, content: 7 }, "/content"],
      [
        (input) => holdfast.uploads.append(actor, input),
        { ...appends, offset: 0, content: "x", length: "1" },
        "/length"
      ],
      [(input) => holdfast.uploads.append(actor, input), { ...parts, offset: 0, content: "x" }, ""],
      [(input) => holdfast.uploads.putPart(actor, input), { ...parts, number: 0, content: "x" }, "/number"],
      [(input) => holdfast.uploads.putPart(actor, input), { ...parts, number: "1", content: "x" }, "/number"],
      [(input) => holdfast.uploads.putPart(actor, input), { ...appends, number: 1, content: "x" }, ""],
      [(input) => holdfast.uploads.listParts(actor, input), { ...parts, limit: 1001 }, "/limit"],
      [(input) => holdfast.uploads.get(actor, input), { ...bucket, uploadId: 7 }, "/uploadId"],
      [(input) => holdfast.uploads.complete(actor, input), { ...parts, parts: 7 }, "/parts"],
      [(input) => holdfast.uploads.complete(actor, input), { ...parts, parts: [7] }, "/parts"]
    ]
    for (const [call, input, pointer] of wrong) {
      const error = await rejection(call(untyped(input)))
      assert.instanceOf(error, Holdfast.InvalidRequest, JSON.stringify(input))
      assert.strictEqual(error.errors[0]?.pointer, pointer)
    }
    const unknown = { ...parts, cursor: "x" }
    assert.instanceOf(await rejection(holdfast.uploads.listParts(actor, unknown)), Holdfast.InvalidCursor)
    for (const uploadId of ["x", "upl_00000000-0000-0000-0000-000000000000"]) {
      assert.instanceOf(await rejection(holdfast.uploads.get(actor, { ...bucket, uploadId })), Holdfast.NotFound)
    }
    assert.deepStrictEqual(blobsIn(files), [])
  })

  it("actor without file:write → Forbidden", async () => {
    const { actor, bucket, holdfast } = await onDisk()
    const { id } = await holdfast.files.createUpload(actor, { ...bucket, name: "a" })
    const { tenantId } = bucket
    await holdfast.members.add(actor, {
      tenantId,
      user: { email: "reader@example.com" },
      role: { id: "role_file_reader" }
    })
    const reader = holdfast.account("reader@example.com")
    await holdfast.memberships.accept(reader, { tenantId })
    const ref = { ...bucket, uploadId: id }
    const calls = [
      () => holdfast.files.createUpload(reader, { ...bucket, name: "b" }),
      () => holdfast.uploads.get(reader, ref),
      () => holdfast.uploads.list(reader, bucket),
      () => holdfast.uploads.resume(reader, ref),
      () => holdfast.uploads.append(reader, { ...ref, offset: 0, content: "x" }),
      () => holdfast.uploads.listParts(reader, ref),
      () => holdfast.uploads.complete(reader, ref),
      () => holdfast.uploads.abort(reader, ref)
    ]
    for (const call of calls) assert.instanceOf(await rejection(call()), Holdfast.Forbidden)
  })
})
