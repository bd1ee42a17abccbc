/**
 * A program whose declarations a compiler checks with each kind of module resolution. It is compiled in the app, not here.
 */
import { createClient, createUploader, type FileRecord, uploadTo } from "@holdfast/client"
import { HoldfastUpload } from "@holdfast/client/elements"
import { open } from "@holdfast/core"
import { fs } from "@holdfast/fs"
import { toFastify, toNodeListener, toWebHandler } from "@holdfast/http"
import { sqlite } from "@holdfast/sqlite"

export const mount = async () => {
  const holdfast = await open({ metadata: sqlite({ file: "data/holdfast.sqlite" }), blobs: fs({ directory: "data" }) })
  return [toNodeListener(holdfast), toFastify(holdfast), toWebHandler(holdfast, { prefix: "/store" })] as const
}

export const uploader = createUploader({ upload: (file, call) => uploadTo("/incoming", file, call) })
export const name: string | undefined = uploader.getSnapshot().items[0]?.result?.name
export const read = (): Promise<FileRecord> =>
  createClient({ url: "https://files.example.com" }).files.get({ tenantId: "t", bucketId: "b", fileId: "f" })
export const isUpload = (element: Element): boolean => element instanceof HoldfastUpload
