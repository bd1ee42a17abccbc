/**
 * The process that uploads files to a bucket with the bare SDK, the one that mirrors use: the minimum cost of copying. It
 * uploads small files in one request and large ones in parts, which it reads from the disk as it sends them, with
 * Content-MD5, so that the server checks the bytes that arrive.
 */
import { createHash } from "node:crypto"
import { open } from "node:fs/promises"
import * as Jobs from "../processes/Jobs.ts"
import * as S3Sdk from "./S3Sdk.ts"
import { protocol, type SdkUploadJob, type SdkUploadResult } from "./SdkUploadJob.ts"

/** The same values as in mirrors. */
const partBytes = 8 * 1024 * 1024
const partConcurrency = 3

const { client, sdk } = await S3Sdk.load(process.argv[2])

/** Runs a function `count` times, at most `concurrency` of them at the same time. */
const times = async (count: number, concurrency: number, run: (index: number) => Promise<void>): Promise<void> => {
  let next = 0
  const work = async () => {
    while (next < count) await run(next++)
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, count) }, work))
}

const upload = async (Bucket: string, Key: string, path: string): Promise<void> => {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const readPart = async (position: number) => {
      const Body = Buffer.allocUnsafeSlow(Math.min(partBytes, size - position))
      await file.read(Body, 0, Body.byteLength, position)
      return { Body, ContentMD5: createHash("md5").update(Body).digest("base64") }
    }
    if (size < partBytes) {
      await client.send(new sdk.PutObjectCommand({ Bucket, Key, ...(await readPart(0)) }))
      return
    }
    const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand({ Bucket, Key }))
    const Parts: Array<{ readonly PartNumber: number; readonly ETag: string | undefined }> = []
    await times(Math.ceil(size / partBytes), partConcurrency, async (index) => {
      const part = { Bucket, Key, UploadId, PartNumber: index + 1 }
      const { ETag } = await client.send(new sdk.UploadPartCommand({ ...part, ...(await readPart(index * partBytes)) }))
      Parts[index] = { PartNumber: index + 1, ETag }
    })
    await client.send(new sdk.CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }))
  } finally {
    await file.close()
  }
}

const run = async ({ bucket, concurrency, count, file }: SdkUploadJob): Promise<SdkUploadResult> => {
  await client.send(new sdk.CreateBucketCommand({ Bucket: bucket }))
  const start = performance.now()
  await times(count, concurrency, (index) => upload(bucket, `stored-${index}`, file))
  return { wallMs: performance.now() - start }
}

Jobs.serve(protocol, run)
// The SDK is loaded, so its start does not count as work of the first job.
process.send?.("ready")
