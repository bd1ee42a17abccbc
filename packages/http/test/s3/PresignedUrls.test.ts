/**
 * Presigned URLs whose query has headers `x-amz-…`, as SDKs write them.
 */
import {
  CreateBucketCommand,
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

const Bucket = "presigned"

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
})

afterAll(async () => {
  s3.destroy()
  await endpoint.close()
  await server.close()
})

interface Sent {
  readonly parameters: Readonly<Record<string, string>>
  /** Headers that are signed, and sent in the query alone. */
  readonly signed?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
  readonly body?: string
}

/** Sends a request by a presigned URL. Returns its status and the code of its error. */
const send = async (key: string, { body, headers, method = "PUT", parameters, signed = {} }: Sent) => {
  const query = new URLSearchParams({ ...parameters, ...signed })
  const address = `${endpoint.url}/s3/${Bucket}/${key}?${String(query)}`
  const { url } = Sign.sign(address, token, { method, expires: 60, headers: { ...signed, ...headers } })
  const answer = await fetch(url, {
    method,
    ...(headers === undefined ? undefined : { headers }),
    ...(body === undefined ? undefined : { body })
  })
  const code = /<Code>(\w+)<\/Code>/.exec(await answer.text())?.[1]
  return code === undefined ? answer.status : [answer.status, code]
}

const read = async (Key: string) => (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString()

it("presigned URL: metadata and tags in the query → those of the object", async () => {
  const parameters = { "x-amz-meta-text": "grün", "X-Amz-Meta-Other": "2", "x-amz-tagging": "a=1&b=2" }
  expect(await send("described", { parameters, body: "content" })).toBe(200)
  const { Metadata } = await s3.send(new HeadObjectCommand({ Bucket, Key: "described" }))
  expect(Metadata).toEqual({ text: "=?UTF-8?B?Z3LDvG4=?=", other: "2" })
  const { TagSet } = await s3.send(new GetObjectTaggingCommand({ Bucket, Key: "described" }))
  expect(TagSet).toEqual([
    { Key: "a", Value: "1" },
    { Key: "b", Value: "2" }
  ])
})

it("presigned URL: source of a copy in the query → copied, the destination is not emptied", async () => {
  await s3.send(new PutObjectCommand({ Bucket, Key: "source", Body: "new" }))
  await s3.send(new PutObjectCommand({ Bucket, Key: "copy", Body: "old" }))
  expect(await send("copy", { parameters: { "x-amz-copy-source": `${Bucket}/source` } })).toBe(200)
  expect(await read("copy")).toBe("new")
  const missing = { "x-amz-copy-source": `${Bucket}/none` }
  expect(await send("copy", { parameters: missing })).toEqual([404, "NoSuchKey"])
  expect(await read("copy")).toBe("new")
})

it("presigned URL: header signed as a header and sent in the query → accepted; another value → refused", async () => {
  const signed = { "x-amz-meta-name": "value", "x-amz-acl": "private" }
  expect(await send("signed", { parameters: {}, signed, body: "content" })).toBe(200)
  const { Metadata } = await s3.send(new HeadObjectCommand({ Bucket, Key: "signed" }))
  expect(Metadata).toEqual({ name: "value" })
  const changed = { "x-amz-meta-name": "other" }
  const address = `${endpoint.url}/s3/${Bucket}/changed?x-amz-meta-name=value`
  const { url } = Sign.sign(address, token, { method: "PUT", expires: 60, headers: { "x-amz-meta-name": "value" } })
  expect((await fetch(url, { method: "PUT", headers: changed, body: "content" })).status).toBe(403)
})

it("presigned URL: header of a mirror that is not signed → refused", async () => {
  for (const header of ["x-holdfast-trace", "x-holdfast-source"]) {
    const { url } = Sign.sign(`${endpoint.url}/s3/${Bucket}/traced`, token, { method: "PUT", expires: 60 })
    expect((await fetch(url, { method: "PUT", headers: { [header]: "a" }, body: "content" })).status).toBe(403)
  }
})

it("presigned URL: checksum of an empty body in the query → ignored, as the SDK signs it before it has the body", async () => {
  const parameters = { "x-amz-checksum-crc32": "AAAAAA==", "x-amz-sdk-checksum-algorithm": "CRC32" }
  expect(await send("summed", { parameters, body: "content" })).toBe(200)
  expect(await read("summed")).toBe("content")
})

it("presigned URL: header in the query with a control character → InvalidArgument", async () => {
  const parameters = { "x-amz-meta-text": "a\r\nb" }
  expect(await send("controls", { parameters, body: "content" })).toEqual([400, "InvalidArgument"])
})

it("request signed in its header: parameters of the query → no headers", async () => {
  const address = `${endpoint.url}/s3/${Bucket}/plain?x-amz-meta-text=a`
  const { headers, url } = Sign.sign(address, token, { method: "PUT" })
  expect((await fetch(url, { method: "PUT", headers, body: "content" })).status).toBe(200)
  expect((await s3.send(new HeadObjectCommand({ Bucket, Key: "plain" }))).Metadata).toEqual({})
})
