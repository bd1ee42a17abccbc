/** Stores contents as files of a folder, with promises and without Effect. */
import { type BlobsAdapter, defineBlobStore } from "@holdfast/core"
import { randomUUID } from "node:crypto"
import { createReadStream, mkdirSync, rmSync } from "node:fs"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"

const ignoreMissing = (error: unknown): undefined => {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
  throw error
}

const sync = async (path: string): Promise<void> => {
  const handle = await Fs.open(path)
  await handle.sync().finally(() => handle.close())
}

export const folder = (directory: string): BlobsAdapter => {
  const [root, temporary] = [Path.join(directory, "blobs"), Path.join(directory, "tmp")]
  rmSync(temporary, { recursive: true, force: true })
  for (const path of [root, temporary]) mkdirSync(path, { recursive: true })
  const pathOf = (key: string) => Path.join(root, key)
  const stat = ({ key }: { readonly key: string }) => Fs.stat(pathOf(key)).catch(ignoreMissing)

  return defineBlobStore({
    name: "folder",
    put: async ({ content, key, signal }) => {
      const [from, to] = [Path.join(temporary, randomUUID()), pathOf(key)]
      try {
        await Fs.writeFile(from, content, { signal, flush: true })
        await Fs.mkdir(Path.dirname(to), { recursive: true })
        signal.throwIfAborted()
        await Fs.rename(from, to)
      } catch (error) {
        await Fs.rm(from, { force: true })
        throw error
      }
      // The name is durable when the directories above it are synced: bucket, tenant, root and folder.
      await Promise.all(["..", "../..", "../../..", "../../../.."].map((above) => sync(Path.join(to, above))))
    },
    read: async ({ key, range, signal }) => {
      const handle = await Fs.open(pathOf(key)).catch(ignoreMissing)
      if (handle === undefined) return undefined
      const { size } = await handle.stat()
      const [start, end] = range === undefined ? [0, size] : [range.offset, range.offset + range.length]
      if (start === end) return handle.close().then(() => ({ size, content: "" }))
      // The stream has the file open, so that it delivers all bytes of a blob that is removed meanwhile.
      return { size, content: createReadStream("", { fd: handle, start, end: end - 1, signal }) }
    },
    stat: async (blob) => {
      const found = await stat(blob)
      return found === undefined ? undefined : { size: found.size }
    },
    remove: ({ key }) => Fs.rm(pathOf(key), { force: true }),
    list: async function* () {
      for await (const entry of await Fs.opendir(root, { recursive: true })) {
        if (!entry.isFile()) continue
        const key = Path.relative(root, Path.join(entry.parentPath, entry.name)).replaceAll(Path.sep, "/")
        const found = await stat({ key })
        if (found !== undefined) yield { key, size: found.size }
      }
    },
    check: async () => Fs.access(temporary)
  })
}
