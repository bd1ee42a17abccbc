/**
 * Uploads of local files that continue where a former run of the program was stopped.
 */
import type { ActorHandle, BucketRef, FileRecord, Holdfast, UploadRecord } from "@holdfast/core"
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { basename } from "node:path"

export const uploadFile = async (
  holdfast: Holdfast,
  actor: ActorHandle,
  bucket: BucketRef,
  file: string
): Promise<FileRecord> => {
  const name = basename(file)
  const { size } = await stat(file)
  let upload: UploadRecord | undefined
  for await (const open of holdfast.uploads.iterate(actor, bucket)) {
    if (open.name === name && open.length === size) upload = open
  }
  upload ??= await holdfast.files.createUpload(actor, { ...bucket, name, length: size })
  const ref = { ...bucket, uploadId: upload.id }
  const { received: offset } = await holdfast.uploads.resume(actor, ref)
  await holdfast.uploads.append(actor, { ...ref, offset, content: createReadStream(file, { start: offset }) })
  return holdfast.uploads.complete(actor, ref)
}
