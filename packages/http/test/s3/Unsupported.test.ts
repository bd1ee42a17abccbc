/**
 * Requests that ask for what this server does not do: none is answered as if it had been done.
 */
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client
} from "@aws-sdk/client-s3"
import { afterAll, beforeAll, expect, it } from "vitest"
import { operations } from "../../src/s3/Operations.ts"
import * as TestServer from "../support/TestServer.ts"
import * as S3Server from "./S3Server.ts"
import * as Sign from "./Sign.ts"

const Bucket = "unsupported"

let server: TestServer.TestServer
let endpoint: Awaited<ReturnType<typeof S3Server.serve>>
let token: S3Server.S3Token
let s3: S3Client

beforeAll(async () => {
  server = await TestServer.start()
  const { tenantId } = await server.makeTenant()
  endpoint = await S3Server.serve(server, operations)
  token = await S3Server.makeToken(server, tenantId)
  s3 = S3Server.client(endpoint.url, token)
  await s3.send(new CreateBucketCommand({ Bucket }))
  await s3.send(new PutObjectCommand({ Bucket, Key: "object", Body: "before" }))
})

afterAll(async () => {
  s3.destroy()
  await endpoint.close()
  await server.close()
})

const failure = (sent: Promise<unknown>) =>
  sent.then(
    () => "ok",
    (error: unknown) => {
      const { $metadata, name } = error as { name: string; $metadata: { httpStatusCode: number } }
      return [name, $metadata.httpStatusCode]
    }
  )

const send = async (method: string, path: string, headers: Readonly<Record<string, string>>) => {
  const signed = Sign.sign(`${endpoint.url}/s3/${path}`, token, { method, headers })
  const answer = await fetch(signed.url, {
    method,
    headers: signed.headers,
    ...(method === "PUT" ? { body: "after" } : {})
  })
  const code = /<Code>(\w+)<\/Code>/.exec(await answer.text())?.[1]
  return code === undefined ? answer.status : [code, answer.status]
}

const read = async () => (await s3.send(new GetObjectCommand({ Bucket, Key: "object" }))).Body?.transformToString()

it.each([
  ["x-amz-server-side-encryption-customer-algorithm", "AES256", "NotImplemented", 501],
  ["x-amz-server-side-encryption-customer-key", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", "NotImplemented", 501],
  ["x-amz-copy-source-server-side-encryption-customer-algorithm", "AES256", "NotImplemented", 501],
  ["x-amz-server-side-encryption", "aws:kms", "NotImplemented", 501],
  ["x-amz-object-lock-mode", "COMPLIANCE", "InvalidRequest", 400],
  ["x-amz-object-lock-legal-hold", "ON", "InvalidRequest", 400],
  ["x-amz-website-redirect-location", "/other", "NotImplemented", 501],
  ["x-amz-write-offset-bytes", "6", "NotImplemented", 501]
])("PutObject: header %s → refused, the object unchanged", async (name, value, code, status) => {
  expect(await send("PUT", `${Bucket}/object`, { [name]: value })).toEqual([code, status])
  expect(await read()).toBe("before")
})

it("PutObject: encryption AES256 and a storage class → stored", async () => {
  const headers = { "x-amz-server-side-encryption": "AES256", "x-amz-storage-class": "STANDARD_IA" }
  expect(await send("PUT", `${Bucket}/encrypted`, headers)).toBe(200)
})

it("CreateBucket: object lock → refused, no bucket", async () => {
  const locked = { Bucket: "locked", ObjectLockEnabledForBucket: true }
  expect(await failure(s3.send(new CreateBucketCommand(locked)))).toEqual(["NotImplemented", 501])
  expect(await send("HEAD", "locked", {})).toBe(404)
  expect(await failure(s3.send(new CreateBucketCommand({ ...locked, ObjectLockEnabledForBucket: false })))).toBe("ok")
})

it("DeleteObject, DeleteObjects: condition on the time or the size → refused, the object is still there", async () => {
  const Key = "object"
  const time = new Date(0)
  expect(await failure(s3.send(new DeleteObjectCommand({ Bucket, Key, IfMatchLastModifiedTime: time })))).toEqual([
    "NotImplemented",
    501
  ])
  expect(await failure(s3.send(new DeleteObjectCommand({ Bucket, Key, IfMatchSize: 1 })))).toEqual([
    "NotImplemented",
    501
  ])
  const Objects = [{ Key, Size: 1 }]
  const { Errors } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
  expect(Errors).toMatchObject([{ Key, Code: "NotImplemented" }])
  expect(await read()).toBe("before")
})

it("version that the object has not → NoSuchVersion; null → the object", async () => {
  const wrong = { Bucket, Key: "object", VersionId: "3sL4kqtJlcpXroDTDmJ+rmSpXd3dIbrHY" }
  expect(await failure(s3.send(new GetObjectCommand(wrong)))).toEqual(["NoSuchVersion", 404])
  expect((await failure(s3.send(new HeadObjectCommand(wrong))))[1]).toBe(404)
  expect(await failure(s3.send(new GetObjectTaggingCommand(wrong)))).toEqual(["NoSuchVersion", 404])
  const attributes = new GetObjectAttributesCommand({ ...wrong, ObjectAttributes: ["ETag"] })
  expect(await failure(s3.send(attributes))).toEqual(["NoSuchVersion", 404])
  expect(await failure(s3.send(new DeleteObjectCommand(wrong)))).toEqual(["NoSuchVersion", 404])
  const { Body } = await s3.send(new GetObjectCommand({ ...wrong, VersionId: "null" }))
  expect(await Body?.transformToString()).toBe("before")
})
