/**
 * The operations of the S3 API on buckets and objects, as the AWS SDK calls them.
 */
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  DeleteObjectTaggingCommand,
  GetBucketAclCommand,
  GetBucketLocationCommand,
  GetBucketPolicyCommand,
  GetBucketVersioningCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketAclCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  type S3Client
} from "@aws-sdk/client-s3"
import * as PostgresMetadata from "@holdfast/postgres/PostgresMetadata"
import { requires } from "@holdfast/testing/Requires"
import * as Redacted from "effect/Redacted"
import { createHash } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { operations } from "../../src/s3/Operations.ts"
import * as Database from "../support/Database.ts"
import * as TestServer from "../support/TestServer.ts"
import * as S3Server from "./S3Server.ts"

const md5 = (text: string): string => `"${createHash("md5").update(text).digest("hex")}"`

const failure = async (sent: Promise<unknown>) => {
  const error = await sent.then(
    () => undefined,
    (reason: unknown) => reason as { readonly name: string; readonly $metadata: { readonly httpStatusCode: number } }
  )
  return error && [error.name, error.$metadata.httpStatusCode]
}

const suite = (start: () => Promise<TestServer.TestServer>) => () => {
  let server: TestServer.TestServer
  let door: Awaited<ReturnType<typeof S3Server.serve>>
  let s3: S3Client
  let tenantId: string
  let serial = 0

  beforeAll(async () => {
    server = await start()
    const made = await server.post("/tenants", { json: { name: "t", subdomain: `t${crypto.randomUUID()}` } })
    tenantId = ((await made.json()) as { readonly id: string }).id
    door = await S3Server.serve(server, operations)
    s3 = S3Server.client(door.url, await S3Server.makeToken(server, tenantId))
  }, 60_000)

  afterAll(async () => {
    s3.destroy()
    await door.close()
    await server.close()
  })

  const makeBucket = async () => {
    const Bucket = `bucket-${++serial}`
    await s3.send(new CreateBucketCommand({ Bucket }))
    return Bucket
  }

  const put = (Bucket: string, Key: string, Body = Key) => s3.send(new PutObjectCommand({ Bucket, Key, Body }))
  const read = async (Bucket: string, Key: string) =>
    (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString()

  it("CreateBucket, ListBuckets, HeadBucket, DeleteBucket: objects remain → 409; empty → removed", async () => {
    const Bucket = await makeBucket()
    await s3.send(new CreateBucketCommand({ Bucket }))
    expect(await failure(s3.send(new CreateBucketCommand({ Bucket: "A_b" })))).toEqual(["InvalidBucketName", 400])
    const { Buckets = [] } = await s3.send(new ListBucketsCommand({}))
    expect(Buckets.map((bucket) => bucket.Name)).toContain(Bucket)
    await s3.send(new HeadBucketCommand({ Bucket }))
    await put(Bucket, "a")
    expect(await failure(s3.send(new DeleteBucketCommand({ Bucket })))).toEqual(["BucketNotEmpty", 409])
    await s3.send(new DeleteObjectCommand({ Bucket, Key: "a" }))
    await s3.send(new DeleteBucketCommand({ Bucket }))
    expect((await failure(s3.send(new HeadBucketCommand({ Bucket }))))?.[1]).toBe(404)
    expect(await failure(s3.send(new ListObjectsV2Command({ Bucket })))).toEqual(["NoSuchBucket", 404])
  })

  it("PutObject, GetObject, HeadObject: content, headers and metadata → the same, the tag is the MD5", async () => {
    const Bucket = await makeBucket()
    const Key = "a folder/ä+b.txt"
    const made = await s3.send(
      new PutObjectCommand({
        Bucket,
        Key,
        Body: "content",
        ContentType: "text/x-test",
        CacheControl: "max-age=7",
        ContentDisposition: "attachment",
        Metadata: { one: "1", text: "plain" }
      })
    )
    expect(made.ETag).toBe(md5("content"))
    const got = await s3.send(new GetObjectCommand({ Bucket, Key }))
    expect(await got.Body?.transformToString()).toBe("content")
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key }))
    for (const answer of [got, head]) {
      expect(answer).toMatchObject({
        ETag: md5("content"),
        ContentLength: 7,
        ContentType: "text/x-test",
        ContentDisposition: "attachment",
        Metadata: { one: "1", text: "plain" }
      })
    }
    expect(head.CacheControl).toBe("max-age=7")
    expect(await failure(s3.send(new GetObjectCommand({ Bucket, Key: "none" })))).toEqual(["NoSuchKey", 404])
    expect(await failure(s3.send(new GetObjectCommand({ Bucket, Key: "folder/" })))).toEqual(["NoSuchKey", 404])
    expect(await failure(put(Bucket, "a//b"))).toEqual(["InvalidArgument", 400])
    expect(await failure(put(Bucket, "folder/"))).toEqual(["InvalidArgument", 400])
  })

  it("GetObject: ranges, conditions and response headers → 206, 304, 412, 416 and the headers of the query", async () => {
    const Bucket = await makeBucket()
    await put(Bucket, "a", "0123456789")
    const get = (options: object) => s3.send(new GetObjectCommand({ Bucket, Key: "a", ...options }))
    const part = await get({ Range: "bytes=2-4", ResponseContentType: "text/other", ResponseCacheControl: "no-store" })
    expect(await part.Body?.transformToString()).toBe("234")
    expect(part).toMatchObject({ ContentRange: "bytes 2-4/10", ContentType: "text/other", CacheControl: "no-store" })
    expect(await failure(get({ Range: "bytes=20-30" }))).toEqual(["InvalidRange", 416])
    expect(await failure(get({ IfMatch: '"x"' }))).toEqual(["PreconditionFailed", 412])
    expect((await failure(get({ IfNoneMatch: md5("0123456789") })))?.[1]).toBe(304)
    expect(await (await get({ PartNumber: 1 })).Body?.transformToString()).toBe("0123456789")
    expect(await failure(get({ PartNumber: 2 }))).toEqual(["InvalidPart", 400])
  })

  it("PutObject: If-None-Match and If-Match → 412 unless they hold, content unchanged; content of the HTTP API", async () => {
    const Bucket = await makeBucket()
    const conditional = (Body: string, options: object) =>
      s3.send(new PutObjectCommand({ Bucket, Key: "a", Body, ...options }))
    expect(await failure(conditional("0", { IfMatch: '"x"' }))).toEqual(["NoSuchKey", 404])
    await conditional("1", { IfNoneMatch: "*" })
    expect(await failure(conditional("2", { IfNoneMatch: "*" }))).toEqual(["PreconditionFailed", 412])
    expect(await failure(conditional("2", { IfMatch: md5("2") }))).toEqual(["PreconditionFailed", 412])
    expect(await read(Bucket, "a")).toBe("1")
    await conditional("3", { IfMatch: md5("1") })
    expect(await read(Bucket, "a")).toBe("3")

    const buckets = await (await server.get(`/tenants/${tenantId}/buckets?limit=1000`)).json()
    const { items } = buckets as { readonly items: ReadonlyArray<{ readonly id: string; readonly name: string }> }
    const id = items.find((bucket) => bucket.name === Bucket)?.id
    const form = new FormData()
    form.set("body", JSON.stringify({ name: "b" }))
    form.set("file", new Blob(["other"]), "b")
    await server.post(`/tenants/${tenantId}/buckets/${id}/files/upload`, { body: form })
    const { ETag } = await s3.send(new HeadObjectCommand({ Bucket, Key: "b" }))
    expect(ETag).toMatch(/^"[0-9a-f]{32}-1"$/)
    await s3.send(new PutObjectCommand({ Bucket, Key: "b", Body: "new", IfMatch: ETag }))
    expect(await read(Bucket, "b")).toBe("new")
  })

  it("ListObjects, ListObjectsV2, ListObjectVersions: prefix, delimiter, pages → keys in the order of bytes", async () => {
    const Bucket = await makeBucket()
    const keys = ["a", "a-b", "a/1", "a/2", "a0", "b/c/d", "ä & <b>"]
    for (const key of keys) await put(Bucket, key)
    const all = await s3.send(new ListObjectsV2Command({ Bucket }))
    expect(all.Contents?.map(({ Key }) => Key)).toEqual(keys)
    expect(all).toMatchObject({
      KeyCount: 7,
      IsTruncated: false,
      Contents: [{ ETag: md5("a"), Size: 1 }, {}, {}, {}, {}, {}, {}]
    })
    const found: Array<string | undefined> = []
    let ContinuationToken: string | undefined
    do {
      const page = await s3.send(new ListObjectsV2Command({ Bucket, Delimiter: "/", MaxKeys: 2, ContinuationToken }))
      found.push(
        ...(page.Contents ?? []).map(({ Key }) => Key),
        ...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix)
      )
      ContinuationToken = page.NextContinuationToken
    } while (ContinuationToken !== undefined)
    expect(found).toEqual(
      ["a", "a-b", "a/", "a0", "b/", "ä & <b>"].toSorted((one, other) => found.indexOf(one) - found.indexOf(other))
    )
    const first = await s3.send(new ListObjectsCommand({ Bucket, Prefix: "a", Delimiter: "/", MaxKeys: 3 }))
    expect(first).toMatchObject({ NextMarker: "a/", IsTruncated: true })
    const second = await s3.send(new ListObjectsCommand({ Bucket, Prefix: "a", Delimiter: "/", Marker: "a/" }))
    expect(second.Contents?.map(({ Key }) => Key)).toEqual(["a0"])
    const versions = await s3.send(new ListObjectVersionsCommand({ Bucket, Prefix: "a/" }))
    expect(versions.Versions).toMatchObject([
      { Key: "a/1", VersionId: "null", IsLatest: true },
      { Key: "a/2", VersionId: "null" }
    ])
  })

  it("DeleteObjects: existing and unknown keys, quiet or not → removed, each listed unless quiet", async () => {
    const Bucket = await makeBucket()
    for (const key of ["a", "b", "c"]) await put(Bucket, key)
    const remove = (Keys: ReadonlyArray<string>, Quiet: boolean) =>
      s3.send(
        new DeleteObjectsCommand({
          Bucket,
          Delete: { Quiet, Objects: Keys.map((Key) => ({ Key, VersionId: "null" })) }
        })
      )
    expect((await remove(["a", "none"], false)).Deleted?.map(({ Key }) => Key)).toEqual(["a", "none"])
    expect((await remove(["b"], true)).Deleted).toBeUndefined()
    expect((await s3.send(new ListObjectsV2Command({ Bucket }))).Contents?.map(({ Key }) => Key)).toEqual(["c"])
  })

  it("CopyObject: directives and conditions → content and tag of the source, metadata as stated", async () => {
    const [from, Bucket] = [await makeBucket(), await makeBucket()]
    await s3.send(new PutObjectCommand({ Bucket: from, Key: "a b", Body: "x", Metadata: { m: "1" }, Tagging: "t=1" }))
    const CopySource = `${from}/a%20b`
    const copy = (Key: string, options: object = {}) =>
      s3.send(new CopyObjectCommand({ Bucket, Key, CopySource, ...options }))
    expect((await copy("kept")).CopyObjectResult?.ETag).toBe(md5("x"))
    await copy("replaced", { MetadataDirective: "REPLACE", Metadata: { n: "2" }, ContentType: "text/n" })
    const head = (Key: string) => s3.send(new HeadObjectCommand({ Bucket, Key }))
    expect((await head("kept")).Metadata).toEqual({ m: "1" })
    expect(await head("replaced")).toMatchObject({ Metadata: { n: "2" }, ContentType: "text/n" })
    expect(await read(Bucket, "kept")).toBe("x")
    expect(await failure(copy("no", { CopySourceIfMatch: '"y"' }))).toEqual(["PreconditionFailed", 412])
    const self = { Bucket: from, Key: "a b", CopySource }
    expect(await failure(s3.send(new CopyObjectCommand(self)))).toEqual(["InvalidRequest", 400])
    await s3.send(new CopyObjectCommand({ ...self, MetadataDirective: "REPLACE", Metadata: { k: "3" } }))
    expect(await read(from, "a b")).toBe("x")
  })

  it("tags and attributes: set, read, removed → as stated", async () => {
    const Bucket = await makeBucket()
    await put(Bucket, "a", "12345")
    const TagSet = [{ Key: "k", Value: "v & w" }]
    await s3.send(new PutObjectTaggingCommand({ Bucket, Key: "a", Tagging: { TagSet } }))
    const tags = () => s3.send(new GetObjectTaggingCommand({ Bucket, Key: "a" }))
    expect((await tags()).TagSet).toEqual(TagSet)
    await s3.send(new DeleteObjectTaggingCommand({ Bucket, Key: "a" }))
    expect((await tags()).TagSet ?? []).toEqual([])
    const twice = { TagSet: [...TagSet, ...TagSet] }
    expect(await failure(s3.send(new PutObjectTaggingCommand({ Bucket, Key: "a", Tagging: twice })))).toEqual([
      "InvalidTag",
      400
    ])
    const attributes = await s3.send(
      new GetObjectAttributesCommand({ Bucket, Key: "a", ObjectAttributes: ["ETag", "ObjectSize"] })
    )
    expect(attributes).toMatchObject({ ETag: md5("12345").slice(1, -1), ObjectSize: 5 })
  })

  it("configurations: location, versioning, ACL, policy → the only answer that the service has", async () => {
    const Bucket = await makeBucket()
    await s3.send(new GetBucketLocationCommand({ Bucket }))
    expect((await s3.send(new GetBucketVersioningCommand({ Bucket }))).Status).toBeUndefined()
    const { Grants = [], Owner } = await s3.send(new GetBucketAclCommand({ Bucket }))
    expect([Owner?.ID, Grants[0]?.Grantee?.Type, Grants[0]?.Permission]).toEqual([
      tenantId,
      "CanonicalUser",
      "FULL_CONTROL"
    ])
    await s3.send(new PutBucketAclCommand({ Bucket, ACL: "private" }))
    expect(await failure(s3.send(new PutBucketAclCommand({ Bucket, ACL: "public-read" })))).toEqual([
      "NotImplemented",
      501
    ])
    expect(await failure(s3.send(new GetBucketPolicyCommand({ Bucket })))).toEqual(["NoSuchBucketPolicy", 404])
  })

  it("scopes: token of a folder, of a reader → no more than the scope", async () => {
    const Bucket = await makeBucket()
    for (const key of ["in/a", "in/b/c", "out"]) await put(Bucket, key)
    const token = await S3Server.makeToken(server, tenantId, { scope: { pathPrefix: "/in/" } })
    const limited = S3Server.client(door.url, token)
    const list = await limited.send(new ListObjectsV2Command({ Bucket }))
    expect(list.Contents?.map(({ Key }) => Key)).toEqual(["in/a", "in/b/c"])
    expect(await failure(limited.send(new GetObjectCommand({ Bucket, Key: "out" })))).toEqual(["AccessDenied", 403])
    expect(await failure(limited.send(new PutObjectCommand({ Bucket, Key: "x", Body: "" })))).toEqual([
      "AccessDenied",
      403
    ])
    limited.destroy()
    const reader = S3Server.client(door.url, await S3Server.makeToken(server, tenantId, { role: "File Reader" }))
    await reader.send(new GetObjectCommand({ Bucket, Key: "out" })).then(({ Body }) => Body?.transformToString())
    for (const send of [
      () => reader.send(new PutObjectCommand({ Bucket, Key: "x", Body: "" })),
      () => reader.send(new DeleteObjectCommand({ Bucket, Key: "out" })),
      () => reader.send(new CopyObjectCommand({ Bucket, Key: "x", CopySource: `${Bucket}/out` })),
      () => reader.send(new CreateBucketCommand({ Bucket: "more" })),
      () => reader.send(new DeleteBucketCommand({ Bucket }))
    ]) {
      expect(await failure(send())).toEqual(["AccessDenied", 403])
    }
    reader.destroy()
  })
}

describe(
  "S3 operations on SQLite",
  suite(() => TestServer.start())
)

let database: Database.Database | undefined
requires(Database.missing).describe(
  "S3 operations on PostgreSQL",
  suite(async () => {
    database = await Database.start([])
    return TestServer.start({ metadata: PostgresMetadata.layer({ url: Redacted.make(await database.create()) }) })
  })
)
afterAll(() => database?.close())
