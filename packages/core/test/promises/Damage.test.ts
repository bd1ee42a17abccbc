/**
 * What an opened Holdfast does about contents that were changed or lost on the disk, and about a store of another deployment.
 */
import { ContentDamaged, StoreMismatch } from "@holdfast/core"
import { sqlite } from "@holdfast/sqlite"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { expect, it } from "vitest"
import { blobsIn, makeDirectory, openIn, rejection, setUp } from "./support.ts"

/** Uploads a file. Returns it with the path of its content. */
const upload = async ({ bucket, files, holdfast, root }: Awaited<ReturnType<typeof setUp>>, content: string) => {
  const before = blobsIn(files)
  const { id } = await holdfast.files.upload(root, { ...bucket, name: "a.txt", content })
  const blob = blobsIn(files).find((path) => !before.includes(path)) ?? ""
  return { ref: { ...bucket, fileId: id }, path: Path.join(files, blob) }
}

it.each<[fault: string, damage: (path: string) => void]>([
  ["a byte is changed", (path) => Fs.writeFileSync(path, "Hullo")],
  ["the content is cut", (path) => Fs.truncateSync(path, 4)],
  ["the content is missing", (path) => Fs.rmSync(path)]
])("read: %s → ContentDamaged, and the record says so", async (_, damage) => {
  const opened = await setUp()
  const { holdfast, root } = opened
  const { path, ref } = await upload(opened, "Hello")
  expect(await (await holdfast.files.read(root, ref)).text()).toBe("Hello")
  damage(path)
  const error = await rejection(holdfast.files.read(root, ref).then((content) => content.text()))
  expect(error).toBeInstanceOf(ContentDamaged)
  await expect.poll(async () => (await holdfast.files.get(root, ref)).damaged).toBe(true)
  expect(await rejection(holdfast.files.read(root, ref))).toBeInstanceOf(ContentDamaged)
})

it("scrub: a range would not notice the changed byte → the record says that the content is damaged", async () => {
  const opened = await setUp({ sweepEvery: "1 hour", scrubEvery: "1 second" })
  const { holdfast, root } = opened
  const { path, ref } = await upload(opened, "Hello")
  Fs.writeFileSync(path, "Hullo")
  await expect.poll(async () => (await holdfast.files.get(root, ref)).damaged).toBe(true)
})

it("open: the store of another deployment, or one that has lost its contents → StoreMismatch, nothing is changed", async () => {
  const opened = await setUp()
  const { path, ref } = await upload(opened, "Hello")
  await opened.holdfast.close()
  const other = await setUp()
  await upload(other, "Hello")
  await other.holdfast.close()

  const metadata = sqlite({ file: Path.join(opened.directory, "metadata.sqlite") })
  for (const [directory, reason] of [
    [other.directory, "Different"],
    [makeDirectory(), "Empty"]
  ] as const) {
    const files = Path.join(directory, "files")
    const before = Fs.existsSync(files) ? blobsIn(files) : []
    const error = await rejection(openIn(directory, { metadata }))
    expect(error).toBeInstanceOf(StoreMismatch)
    expect(error).toMatchObject({ reason, message: expect.stringContaining("blob store") })
    expect(blobsIn(files)).toEqual(before)
  }
  expect(Fs.existsSync(path)).toBe(true)
  const again = await openIn(opened.directory)
  expect(await (await again.files.read(again.system(), ref)).text()).toBe("Hello")
})
