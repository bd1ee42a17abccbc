/**
 * Puts files to a bucket with the bare SDK, the very one that mirrors use: what copying costs at least. Small ones in one
 * request, large ones in parts, read from the disk as they are sent; with Content-MD5, so that the service checks what
 * arrives.
 */
import { createHash } from "node:crypto"
import { once } from "node:events"
import { open } from "node:fs/promises"
import * as Schema from "effect/Schema"
import { type Answer, Job } from "./PutJob.ts"
import * as Sdk from "./Sdk.ts"

/** As mirrors have them. */
const partBytes = 8 * 1024 * 1024
const partConcurrency = 3

const { client, sdk } = await Sdk.load(process.argv[2])

/** Runs something so many times, some at once. */
const times = async (count: number, concurrency: number, run: (index: number) => Promise<void>): Promise<void> => {
  let next = 0
  const work = async () => {
    while (next < count) await run(next++)
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, count) }, work))
}

const put = async (Bucket: string, Key: string, path: string): Promise<void> => {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const body = async (position: number) => {
      const Body = Buffer.allocUnsafeSlow(Math.min(partBytes, size - position))
      await file.read(Body, 0, Body.byteLength, position)
      return { Body, ContentMD5: createHash("md5").update(Body).digest("base64") }
    }
    if (size < partBytes) {
      await client.send(new sdk.PutObjectCommand({ Bucket, Key, ...(await body(0)) }))
      return
    }
    const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand({ Bucket, Key }))
    const Parts: Array<{ readonly PartNumber: number; readonly ETag: string | undefined }> = []
    await times(Math.ceil(size / partBytes), partConcurrency, async (index) => {
      const part = { Bucket, Key, UploadId, PartNumber: index + 1 }
      const { ETag } = await client.send(new sdk.UploadPartCommand({ ...part, ...(await body(index * partBytes)) }))
      Parts[index] = { PartNumber: index + 1, ETag }
    })
    const whole = { Bucket, Key, UploadId, MultipartUpload: { Parts } }
    await client.send(new sdk.CompleteMultipartUploadCommand(whole))
  } finally {
    await file.close()
  }
}

const run = async (message: unknown): Promise<Answer> => {
  const { bucket, concurrency, count, file } = await Schema.decodeUnknownPromise(Job)(message)
  await client.send(new sdk.CreateBucketCommand({ Bucket: bucket }))
  const begun = performance.now()
  await times(count, concurrency, (index) => put(bucket, `stored-${index}`, file))
  return { wallMs: performance.now() - begun }
}

process.send?.({ wallMs: 0 })
while (true) {
  const [message] = await once(process, "message")
  process.send?.(await run(message).catch((error): Answer => ({ error: String(error) })))
}
