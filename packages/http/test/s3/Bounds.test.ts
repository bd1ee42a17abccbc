/**
 * What requests to the S3 API reach, and what they may cost.
 */
import {
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client
} from "@aws-sdk/client-s3"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest"
import * as TestServer from "../support/TestServer.ts"
import * as S3Server from "./S3Server.ts"
import * as Sign from "./Sign.ts"

let server: TestServer.TestServer
let tenantId: string
let token: S3Server.S3Token
let s3: S3Client

beforeAll(async () => {
  server = await TestServer.start()
  ;({ tenantId } = await server.makeTenant())
  token = await S3Server.makeToken(server, tenantId)
  s3 = S3Server.client(server.url, token)
  for (const Bucket of ["one", "two"]) {
    await s3.send(new CreateBucketCommand({ Bucket: `bucket-${Bucket}` }))
    await s3.send(new PutObjectCommand({ Bucket: `bucket-${Bucket}`, Key: "a", Body: Bucket }))
  }
})

afterAll(async () => {
  s3.destroy()
  await server.close()
})

const failure = (sent: Promise<unknown>) =>
  sent.then(
    () => "ok",
    (error: { readonly name: string }) => error.name
  )

const bucketIdOf = async (name: string): Promise<string> => {
  const answer = await server.get(`/tenants/${tenantId}/buckets?limit=1000`)
  const { items } = (await answer.json()) as { readonly items: ReadonlyArray<{ readonly id: string; name: string }> }
  return items.find((bucket) => bucket.name === name)?.id ?? ""
}

it("token limited to one bucket → all others do not exist for it", async () => {
  const scope = { bucketIds: [await bucketIdOf("bucket-one")] }
  const limited = S3Server.client(server.url, await S3Server.makeToken(server, tenantId, { scope }))
  onTestFinished(() => limited.destroy())
  const { Buckets } = await limited.send(new ListBucketsCommand({}))
  expect(Buckets?.map(({ Name }) => Name)).toEqual(["bucket-one"])
  const { Body } = await limited.send(new GetObjectCommand({ Bucket: "bucket-one", Key: "a" }))
  expect(await Body?.transformToString()).toBe("one")
  const object = { Bucket: "bucket-two", Key: "a" }
  const copy = { Bucket: "bucket-one", Key: "b", CopySource: "bucket-two/a" }
  expect(await failure(limited.send(new GetObjectCommand(object)))).toBe("NoSuchBucket")
  expect(await failure(limited.send(new PutObjectCommand({ ...object, Body: "x" })))).toBe("NoSuchBucket")
  expect(await failure(limited.send(new DeleteObjectCommand(object)))).toBe("NoSuchBucket")
  expect(await failure(limited.send(new ListObjectsV2Command({ Bucket: "bucket-two" })))).toBe("NoSuchBucket")
  expect(await failure(limited.send(new HeadBucketCommand({ Bucket: "bucket-two" })))).toBe("NotFound")
  expect(await failure(limited.send(new CopyObjectCommand(copy)))).toBe("NoSuchBucket")
  expect(await failure(limited.send(new CreateBucketCommand({ Bucket: "bucket-three" })))).toBe("AccessDenied")
})

it("headers of the query: a type with scripts, a shared cache → sandboxed, private", async () => {
  const get = async (query: string) => {
    const { headers, url } = Sign.sign(`${server.url}/s3/bucket-one/a?${query}`, token, { expires: 60 })
    const answer = await fetch(url, { headers })
    await answer.body?.cancel()
    return answer.headers
  }
  const html = await get("response-content-type=text%2Fhtml")
  expect(html.get("content-type")).toBe("text/html")
  expect(html.get("content-security-policy")).toMatch(/^sandbox; default-src 'none'/)
  const cached = await get("response-cache-control=public%2Cmax-age%3D60%2Cs-maxage%3D60")
  expect(cached.get("cache-control")).toBe("private, max-age=60")
  expect((await get("response-cache-control=no-cache")).get("cache-control")).toBe("no-cache")
})

it("CopyObject: more than 5 GiB → refused before the content is read", async () => {
  const bucket = { tenantId, bucketId: await bucketIdOf("bucket-one") }
  await server.run(
    Effect.gen(function* () {
      const content = { ...Sample.content(yield* Fixtures.stage(bucket)), size: 5 * 1024 ** 3 + 1 }
      yield* (yield* FileRepository).insert(bucket, Sample.file({ path: "/", name: "large", version: 1, content }))
    })
  )
  const copy = { Bucket: "bucket-one", Key: "copy", CopySource: "bucket-one/large" }
  expect(await failure(s3.send(new CopyObjectCommand(copy)))).toBe("InvalidRequest")
})

it("documents: each operation takes its largest one, and no larger one", async () => {
  const send = async (method: string, path: string, body: string) => {
    const { headers, url } = Sign.sign(`${server.url}/s3/bucket-one${path}`, token, { method })
    const answer = await fetch(url, { method, headers, body })
    return /<Code>(\w+)<\/Code>/.exec(await answer.text())?.[1] ?? "ok"
  }
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket: "bucket-one", Key: "parts" }))
  const checksums = { CRC32: 4, CRC32C: 4, CRC64NVME: 8, SHA1: 20, SHA256: 32 }
  const values = Object.entries(checksums).map(([name, bytes]) => {
    const value = Buffer.alloc(bytes).toString("base64")
    return `    <Checksum${name}>${value}</Checksum${name}>\n`
  })
  const parts = Array.from({ length: 10_000 }, (_, index) => {
    const tag = `    <ETag>&quot;${"0".repeat(32)}&quot;</ETag>\n`
    return `  <Part>\n    <PartNumber>${index + 1}</PartNumber>\n${tag}${values.join("")}  </Part>\n`
  })
  const complete = `<CompleteMultipartUpload>\n${parts.join("")}</CompleteMultipartUpload>`
  const completePath = `/parts?uploadId=${UploadId}`
  // The document is valid; the parts were not uploaded.
  expect(await send("POST", completePath, complete)).toBe("InvalidPart")
  expect(await send("POST", completePath, complete.padEnd(5_120_001))).toBe("MaxMessageLengthExceeded")

  const keys = Array.from({ length: 1000 }, (_, index) => `${index}/${"k".repeat(250)}/${"ü".repeat(120)}`)
  const objects = keys.map((key) => `<Object><Key>${key}</Key><VersionId>null</VersionId></Object>`)
  const remove = `<Delete><Quiet>true</Quiet>${objects.join("")}</Delete>`
  expect(await send("POST", "?delete=", remove)).toBe("ok")
  expect(await send("POST", "?delete=", remove.padEnd(2 * 1024 * 1024))).toBe("MaxMessageLengthExceeded")

  const tags = Array.from({ length: 10 }, (_, index) => {
    const [key, value] = [`${index}${"&#x1F600;".repeat(63)}`, "&#x1F600;".repeat(128)]
    return `<Tag><Key>${key}</Key><Value>${value}</Value></Tag>`
  })
  const tagging = `<Tagging><TagSet>${tags.join("")}</TagSet></Tagging>`
  expect(await send("PUT", "/a?tagging=", tagging)).toBe("ok")
  expect(await send("PUT", "/a?tagging=", tagging.padEnd(64 * 1024 + 1))).toBe("MaxMessageLengthExceeded")
})

it("ListBuckets: prefix of none of many buckets → pages of bounded work, with a token to continue", async () => {
  for (let index = 0; index < 12; index++) await s3.send(new CreateBucketCommand({ Bucket: `many-${index}` }))
  let ContinuationToken: string | undefined
  const found: Array<string | undefined> = []
  const pages: Array<boolean> = []
  do {
    const page = await s3.send(new ListBucketsCommand({ MaxBuckets: 1, Prefix: "none", ContinuationToken }))
    found.push(...(page.Buckets ?? []).map(({ Name }) => Name))
    ContinuationToken = page.ContinuationToken
    pages.push(ContinuationToken !== undefined)
  } while (ContinuationToken !== undefined)
  expect(found).toEqual([])
  expect(pages).toEqual([true, false])
})
