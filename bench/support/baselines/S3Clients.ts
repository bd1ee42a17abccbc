/**
 * The process that sends requests of the S3 protocol with the SDK, the same to each server.
 */
import * as Jobs from "../processes/Jobs.ts"
import { protocol, type S3Job, type S3JobResult } from "./S3Job.ts"
import * as S3Sdk from "./S3Sdk.ts"

const mebibyte = 1024 * 1024
const partBytes = 16 * mebibyte
const partConcurrency = 4

type Client = Awaited<ReturnType<typeof S3Sdk.load>>

const clients = new Map<string, Promise<Client>>()

const connect = ({ gateway }: S3Job): Promise<Client> => {
  const text = JSON.stringify(gateway)
  const client = clients.get(text) ?? S3Sdk.load(text)
  clients.set(text, client)
  return client
}

/** Runs a function `count` times, at most `concurrency` of them at the same time. */
const times = async (count: number, concurrency: number, run: (index: number) => Promise<unknown>): Promise<void> => {
  let next = 0
  const work = async () => {
    while (next < count) await run(next++)
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, count) }, work))
}

const drain = async (body: NodeJS.ReadableStream | undefined): Promise<void> => {
  for await (const _ of body ?? []) continue
}

const uploadParts = async ({ client, sdk }: Client, Bucket: string, Key: string, bytes: number): Promise<void> => {
  const Body = Buffer.alloc(partBytes, "holdfast")
  const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand({ Bucket, Key }))
  const Parts: Array<{ readonly PartNumber: number; readonly ETag: string | undefined }> = []
  await times(bytes / partBytes, partConcurrency, async (index) => {
    const PartNumber = index + 1
    const { ETag } = await client.send(new sdk.UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }))
    Parts[index] = { PartNumber, ETag }
  })
  await client.send(new sdk.CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }))
}

const run = async (job: S3Job): Promise<S3JobResult> => {
  const connected = await connect(job)
  const { client, sdk } = connected
  const { bucket: Bucket, bytes, concurrency, count, delimiter, kind, prefix } = job
  const Body = kind === "put" ? Buffer.alloc(bytes, "holdfast") : undefined
  const list = { Bucket, MaxKeys: 1000, Prefix: prefix, ...(delimiter === "" ? {} : { Delimiter: delimiter }) }
  const steps: Readonly<Record<S3Job["kind"], (Key: string) => Promise<unknown>>> = {
    bucket: () => client.send(new sdk.CreateBucketCommand({ Bucket })),
    put: (Key) => client.send(new sdk.PutObjectCommand({ Bucket, Key, Body })),
    get: async (Key) => drain((await client.send(new sdk.GetObjectCommand({ Bucket, Key }))).Body),
    parts: (Key) => uploadParts(connected, Bucket, Key, bytes),
    list: () => client.send(new sdk.ListObjectsV2Command(list))
  }
  const before = process.cpuUsage()
  const start = performance.now()
  await times(count, concurrency, (index) => steps[kind](`${prefix}${index}`))
  const wallMs = performance.now() - start
  const { system, user } = process.cpuUsage(before)
  return { wallMs, cpuMs: (user + system) / 1000 }
}

Jobs.serve(protocol, run)
process.send?.("ready")
