/**
 * The operations of the S3 API on buckets and objects, as the AWS SDK calls them.
 */
import {
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
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
import { FileRepository } from "@holdfast/core/files/FileRepository"
import type * as FileHooks from "@holdfast/core/files/hooks/FileHooks"
import * as PostgresMetadata from "@holdfast/postgres/PostgresMetadata"
import { requires } from "@holdfast/testing/Requires"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { createHash } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { operations } from "../../src/s3/Operations.ts"
import * as Database from "../support/Database.ts"
import { json } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"
import * as EncodedWords from "../../src/s3/operations/objects/EncodedWords.ts"
import * as S3Server from "./S3Server.ts"
import * as Sign from "./Sign.ts"

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
  let endpoint: Awaited<ReturnType<typeof S3Server.serve>>
  let s3: S3Client
  let token: S3Server.S3Token
  let tenantId: string
  let serial = 0

  beforeAll(async () => {
    server = await start()
    const made = await server.post("/tenants", { json: { name: "t", subdomain: `t${crypto.randomUUID()}` } })
    tenantId = ((await made.json()) as { readonly id: string }).id
    endpoint = await S3Server.serve(server, operations)
    token = await S3Server.makeToken(server, tenantId)
    s3 = S3Server.client(endpoint.url, token)
  }, 60_000)

  afterAll(async () => {
    s3.destroy()
    await endpoint.close()
    await server.close()
  })

  const makeBucket = async () => {
    const Bucket = `bucket-${++serial}`
    await s3.send(new CreateBucketCommand({ Bucket }))
    return Bucket
  }

  /** Returns the path of a bucket's files in the HTTP API. */
  const filesOf = async (Bucket: string): Promise<string> => {
    const answer = await server.get(`/tenants/${tenantId}/buckets?limit=1000`)
    const { items } = (await answer.json()) as { readonly items: ReadonlyArray<{ readonly id: string; name: string }> }
    return `/tenants/${tenantId}/buckets/${items.find(({ name }) => name === Bucket)?.id}/files`
  }
  const put = (Bucket: string, Key: string, Body = Key) => s3.send(new PutObjectCommand({ Bucket, Key, Body }))
  const read = async (Bucket: string, Key: string) =>
    (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString()

  it("CreateBucket, ListBuckets, HeadBucket, DeleteBucket: objects remain → 409; empty → removed", async () => {
    const Bucket = await makeBucket()
    await s3.send(new CreateBucketCommand({ Bucket }))
    for (const name of ["A_b", "foo-.bar", "foo.-bar", "foo..bar"]) {
      expect(await failure(s3.send(new CreateBucketCommand({ Bucket: name })))).toEqual(["InvalidBucketName", 400])
    }
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
    await put(Bucket, "plain")
    const plain = { Bucket, Key: "plain" }
    expect((await s3.send(new HeadObjectCommand(plain))).CacheControl).toBeUndefined()
    expect((await s3.send(new GetObjectCommand(plain))).CacheControl).toBe("private, no-cache")
    expect(await failure(s3.send(new GetObjectCommand({ Bucket, Key: "none" })))).toEqual(["NoSuchKey", 404])
    expect(await failure(s3.send(new GetObjectCommand({ Bucket, Key: "folder/" })))).toEqual(["NoSuchKey", 404])
    expect(await failure(put(Bucket, "a//b"))).toEqual(["InvalidArgument", 400])
    expect(await failure(put(Bucket, "/"))).toEqual(["InvalidArgument", 400])
  })

  it("PutObject in a nearly full bucket: the new content fits in place of the old one → stored; it does not → refused", async () => {
    const Bucket = await makeBucket()
    const path = (await filesOf(Bucket)).replace(/\/files$/, "")
    expect((await server.patch(path, { json: { maxBytes: 1000 } })).status).toBe(200)
    await put(Bucket, "a", "x".repeat(800))
    await put(Bucket, "a", "y".repeat(900))
    expect(await failure(put(Bucket, "a", "z".repeat(1001)))).toEqual(["QuotaExceeded", 403])
    expect(await failure(put(Bucket, "b", "z".repeat(101)))).toEqual(["QuotaExceeded", 403])
    expect(await read(Bucket, "a")).toBe("y".repeat(900))
  })

  it("key with a slash at its end → a marker: in lists of keys, in those of folders, not in those of files", async () => {
    const Bucket = await makeBucket()
    await put(Bucket, "empty/", "")
    await put(Bucket, "full/a", "a")
    await put(Bucket, "full/", "")
    const keys = async (query: object) => {
      const { CommonPrefixes = [], Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, ...query }))
      return [...Contents.map(({ Key }) => Key), ...CommonPrefixes.map(({ Prefix }) => Prefix)]
    }
    expect(await keys({})).toEqual(["empty/", "full/", "full/a"])
    expect(await keys({ Delimiter: "/" })).toEqual(["empty/", "full/"])
    expect(await keys({ Delimiter: "/", Prefix: "full/" })).toEqual(["full/", "full/a"])
    expect((await s3.send(new HeadObjectCommand({ Bucket, Key: "empty/" }))).ContentLength).toBe(0)
    const files = await filesOf(Bucket)
    const list = async (query: string) => {
      const page = await (await server.get(`${files}?${query}`)).json()
      const { folders, items } = page as {
        readonly folders: ReadonlyArray<string>
        readonly items: ReadonlyArray<object>
      }
      return [items.length, folders.length]
    }
    expect(await list("path=/")).toEqual([0, 2])
    expect(await list("path=/full/")).toEqual([1, 0])
    expect(await list("path=/empty/")).toEqual([0, 0])
    expect(await list("path=/&recursive=true")).toEqual([1, 0])
    expect((await server.post(files, { json: { name: "" } })).status).toBe(400)
    const [bucketId = ""] = /bkt_[^/]*/.exec(files) ?? []
    const marker = await server.run(
      Effect.flatMap(FileRepository, ({ find }) =>
        find({ tenantId, bucketId }, { _tag: "Place", place: { path: "/empty/", name: "" } })
      )
    )
    const id = Option.getOrThrow(marker).id
    for (const change of [{ name: "named" }, { path: "/moved/" }]) {
      expect((await server.patch(`${files}/${id}`, { json: change })).status).toBe(404)
      expect((await server.post(`${files}/${id}/move`, { json: change })).status).toBe(404)
    }
    expect(await keys({})).toEqual(["empty/", "full/", "full/a"])
    await s3.send(new DeleteObjectCommand({ Bucket, Key: "empty/" }))
    expect(await keys({ Delimiter: "/" })).toEqual(["full/"])
  })

  it("folder with a marker: page of a list ends with its last folder → its files follow; scope of the folder → in the list above", async () => {
    const Bucket = await makeBucket()
    await put(Bucket, "a/", "")
    await put(Bucket, "a/b/c")
    await put(Bucket, "a/file")
    const files = await filesOf(Bucket)
    interface Listed {
      readonly folders: ReadonlyArray<string>
      readonly items: ReadonlyArray<{ readonly name: string }>
      readonly nextCursor: string | null
    }
    const listed: Array<string> = []
    for (let cursor: string | null = ""; cursor !== null;) {
      const query: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`
      const page = await json<Listed>(await server.get(`${files}?path=/a/&limit=1${query}`))
      listed.push(...page.folders, ...page.items.map(({ name }) => name))
      cursor = page.nextCursor
    }
    expect(listed).toEqual(["/a/b/", "file"])

    const members = await json<{ readonly items: ReadonlyArray<{ readonly id: string }> }>(
      await server.get(`/tenants/${tenantId}/members`)
    )
    const scoped = { name: "t", member: { id: members.items[0]?.id }, scope: { pathPrefix: "/a/" } }
    const { key } = await json<{ readonly key: string }>(
      await server.post(`/tenants/${tenantId}/tokens`, { json: scoped })
    )
    const above = await json<Listed>(await server.get(`${files}?path=/`, { key }))
    expect(above.folders).toEqual(["/a/"])
    await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: "a/b/c" }, { Key: "a/file" }] } }))
    const withMarker = await json<Listed>(await server.get(`${files}?path=/`, { key }))
    expect(withMarker.folders).toEqual(["/a/"])
  })

  it("folder with a marker: moved or removed by the HTTP API → its marker, too; a folder at the new place keeps its own", async () => {
    const Bucket = await makeBucket()
    const folders = (await filesOf(Bucket)).replace(/files$/, "folders")
    const change = async (operation: string, body: object) => {
      const { status } = await server.post(`${folders}/${operation}`, { json: body })
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }))
      return [status, ...Contents.map(({ Key }) => Key)]
    }
    for (const key of ["a/", "a/b/", "a/x", "e/"]) await put(Bucket, key)
    expect(await change("move", { path: "/a/", to: "/to/" })).toEqual([200, "e/", "to/", "to/b/", "to/x"])
    expect(await change("delete", { path: "/e/" })).toEqual([200, "to/", "to/b/", "to/x"])
    for (const [index, onConflict] of ["fail", "rename", "replace"].entries()) {
      for (const key of ["c/", "c/b/", `c/y${index}`]) await put(Bucket, key)
      const [status, ...keys] = await change("move", { path: "/c/", to: "/to/", onConflict })
      expect([status, keys.length]).toEqual([200, 4 + index])
      expect(keys.slice(0, 3)).toEqual(["to/", "to/b/", "to/x"])
      expect(await read(Bucket, "to/")).toBe(onConflict === "replace" ? "c/" : "a/")
    }
    expect(await change("move", { path: "/to/", to: "/" })).toEqual([200, "b/", "x", "y0", "y1", "y2"])
    expect(await change("delete", { path: "/" })).toEqual([200])
  })

  it("metadata that is not ASCII: UTF-8, Latin-1, encoded words → stored as the text, returned in encoded words", async () => {
    const Bucket = await makeBucket()
    const texts = ["f\u00fcr", "\u20ac".repeat(40)]
    const sent = [
      [Buffer.from("f\u00fcr").toString("latin1"), Buffer.from("\u20ac".repeat(40)).toString("latin1")],
      [
        "f\u00fcr",
        `=?UTF-8?B?${Buffer.from("\u20ac".repeat(20)).toString("base64")}?= =?utf-8?Q?${"=E2=82=AC".repeat(20)}?=`
      ]
    ]
    for (const [index, [one = "", other = ""]] of sent.entries()) {
      const headers = { "x-amz-meta-one": one, "x-amz-meta-other": other }
      const { headers: signed, url } = Sign.sign(`${endpoint.url}/s3/${Bucket}/k${index}`, token, {
        method: "PUT",
        headers
      })
      expect((await fetch(url, { method: "PUT", headers: { ...headers, ...signed }, body: "x" })).status).toBe(200)
      const { Metadata = {} } = await s3.send(new HeadObjectCommand({ Bucket, Key: `k${index}` }))
      expect([Metadata["one"], Metadata["other"]]).toEqual(texts.map(EncodedWords.encode))
      expect([Metadata["one"], Metadata["other"]].map((text) => EncodedWords.decode(text ?? ""))).toEqual(texts)
      expect(Metadata["other"]?.split(" ").every((word) => word.length <= 75)).toBe(true)
    }
  })

  it("user metadata of 2,048 bytes of UTF-8 → stored; of one more → MetadataTooLarge, nothing stored; copied as it is", async () => {
    const Bucket = await makeBucket()
    // The names have four bytes, "é" has two, and its encoding in the header counts no bytes.
    const encoded = EncodedWords.encode("é".repeat(500))
    const of = (bytes: number) => ({ one: encoded, f: "x".repeat(bytes - 1004) })
    const put = (Key: string, bytes: number) =>
      s3.send(new PutObjectCommand({ Bucket, Key, Body: "x", Metadata: of(bytes) }))
    await put("largest", 2048)
    const head = async (Key: string) => (await s3.send(new HeadObjectCommand({ Bucket, Key }))).Metadata?.["f"]?.length
    expect(await head("largest")).toBe(1044)
    const CopySource = `${Bucket}/largest`
    const copy = (Key: string, Metadata: Record<string, string>) =>
      s3.send(new CopyObjectCommand({ Bucket, Key, CopySource, MetadataDirective: "REPLACE", Metadata }))
    const create = (Key: string, bytes: number) =>
      s3.send(new CreateMultipartUploadCommand({ Bucket, Key, Metadata: of(bytes) }))
    await copy("copied", of(2048))
    await create("in parts", 2048)
    const refused = { name: "MetadataTooLarge", Size: "2049", MaxSizeAllowed: "2048" }
    for (const send of [() => put("large", 2049), () => copy("large", of(2049)), () => create("large", 2049)]) {
      expect(await send().catch((error: unknown) => error)).toMatchObject({
        ...refused,
        $metadata: { httpStatusCode: 400 }
      })
    }
    expect(await failure(head("large"))).toEqual(["NotFound", 404])

    // Metadata that comes by another API may be larger.
    const files = await filesOf(Bucket)
    const { items } = await json<{ readonly items: ReadonlyArray<{ readonly id: string; name: string }> }>(
      await server.get(files)
    )
    const id = items.find(({ name }) => name === "largest")?.id
    const changed = await server.patch(`${files}/${id}`, { json: { metadata: { f: "x".repeat(5000) } } })
    expect(changed.status).toBe(200)
    await s3.send(new CopyObjectCommand({ Bucket, Key: "kept", CopySource }))
    expect(await head("kept")).toBe(5000)
  })

  it("DeleteObject, DeleteObjects: reserved file → as for no object, the reservation stays", async () => {
    const Bucket = await makeBucket()
    const files = await filesOf(Bucket)
    const { id } = (await (await server.post(files, { json: { name: "soon" } })).json()) as { readonly id: string }
    await s3.send(new DeleteObjectCommand({ Bucket, Key: "soon" }))
    await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: "soon" }] } }))
    expect((await server.get(`${files}/${id}`)).status).toBe(200)
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
  })

  it("partNumber of an object that did not come in parts: 1 → 206 with all of it; others, a range besides → an error", async () => {
    const Bucket = await makeBucket()
    await put(Bucket, "a", "0123456789")
    await s3.send(new PutObjectCommand({ Bucket, Key: "empty" }))
    const get = (options: object) => s3.send(new GetObjectCommand({ Bucket, Key: "a", ...options }))
    const head = (options: object) => s3.send(new HeadObjectCommand({ Bucket, Key: "a", ...options }))
    const first = { ContentLength: 10, ContentRange: "bytes 0-9/10", $metadata: { httpStatusCode: 206 } }
    const whole = await get({ PartNumber: 1, ChecksumMode: "ENABLED" })
    expect(whole).toMatchObject({ ...first, ETag: md5("0123456789"), ChecksumType: "FULL_OBJECT" })
    expect(whole.PartsCount).toBeUndefined()
    expect(await whole.Body?.transformToString()).toBe("0123456789")
    expect(await head({ PartNumber: 1 })).toMatchObject(first)
    const empty = { ContentLength: 0, $metadata: { httpStatusCode: 200 } }
    expect(await get({ Key: "empty", PartNumber: 1 })).toMatchObject(empty)

    const beyond = await get({ PartNumber: 2 }).catch((error: unknown) => error)
    expect(beyond).toMatchObject({
      name: "InvalidPartNumber",
      message: "The requested partnumber is not satisfiable",
      PartNumberRequested: "2",
      ActualPartCount: "1",
      $metadata: { httpStatusCode: 416 }
    })
    expect((await failure(head({ PartNumber: 2 })))?.[1]).toBe(416)
    for (const PartNumber of [0, 10_001]) {
      expect(await failure(get({ PartNumber }))).toEqual(["InvalidArgument", 400])
    }
    const ranged = { PartNumber: 1, Range: "bytes=0-1" }
    expect(await failure(get(ranged))).toEqual(["InvalidRequest", 400])
    expect((await failure(head(ranged)))?.[1]).toBe(400)
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

  it("lists: prefix and marker in Unicode NFD → the keys, which begin with the prefix as it was sent", async () => {
    const Bucket = await makeBucket()
    for (const key of ["Café/a", "Café/é", "Café/über/b"]) await put(Bucket, key)
    const Prefix = "Café/".normalize("NFD")
    const listed = { Bucket, Prefix, Delimiter: "/" }
    const expected = [[`${Prefix}a`, `${Prefix}é`], [`${Prefix}über/`]]
    const old = await s3.send(new ListObjectsCommand(listed))
    expect([old.Contents?.map(({ Key }) => Key), old.CommonPrefixes?.map((one) => one.Prefix)]).toEqual(expected)
    const versions = await s3.send(new ListObjectVersionsCommand(listed))
    expect(versions.Versions?.map(({ Key }) => Key)).toEqual(expected[0])
    for (const EncodingType of [undefined, "url"] as const) {
      const pages: Array<string | undefined> = []
      let ContinuationToken: string | undefined
      do {
        const page = await s3.send(
          new ListObjectsV2Command({ ...listed, MaxKeys: 1, ContinuationToken, ...(EncodingType && { EncodingType }) })
        )
        pages.push(page.Contents?.[0]?.Key ?? page.CommonPrefixes?.[0]?.Prefix)
        ContinuationToken = page.NextContinuationToken
      } while (ContinuationToken !== undefined)
      const keys = expected.flat()
      expect(pages).toEqual(EncodingType === undefined ? keys : keys.map((key) => encodeURI(key)))
    }
    const after = new ListObjectsV2Command({ Bucket, StartAfter: `${Prefix}é`.normalize("NFD") })
    expect((await s3.send(after)).Contents?.map(({ Key }) => Key)).toEqual(["Café/über/b"])
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: `${Prefix}é` }))
    expect(await Body?.transformToString()).toBe("Café/é")
  })

  it("lists: max-keys is the largest integer of 32 bits → all keys; one more → InvalidArgument", async () => {
    const Bucket = await makeBucket()
    await put(Bucket, "a")
    const MaxKeys = 2_147_483_647
    const expected = { MaxKeys: 1000, IsTruncated: false }
    const Contents = [{ Key: "a" }]
    expect(await s3.send(new ListObjectsCommand({ Bucket, MaxKeys }))).toMatchObject({ ...expected, Contents })
    expect(await s3.send(new ListObjectsV2Command({ Bucket, MaxKeys }))).toMatchObject({ ...expected, Contents })
    const versions = await s3.send(new ListObjectVersionsCommand({ Bucket, MaxKeys }))
    expect(versions).toMatchObject({ ...expected, Versions: Contents })
    const more = new ListObjectsV2Command({ Bucket, MaxKeys: MaxKeys + 1 })
    expect(await failure(s3.send(more))).toEqual(["InvalidArgument", 400])
  })

  it("ListObjectsV2: continuation token that this service has not made → InvalidArgument", async () => {
    const Bucket = await makeBucket()
    const wrong = new ListObjectsV2Command({ Bucket, ContinuationToken: "not a token!" })
    expect(await failure(s3.send(wrong))).toEqual(["InvalidArgument", 400])
  })

  it("HeadObject: range → head of the answer to GetObject; beyond the content → 416", async () => {
    const Bucket = await makeBucket()
    await put(Bucket, "a", "0123456789")
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key: "a", Range: "bytes=2-4" }))
    const described = { ContentLength: 3, ContentRange: "bytes 2-4/10", $metadata: { httpStatusCode: 206 } }
    expect(head).toMatchObject(described)
    expect(await s3.send(new GetObjectCommand({ Bucket, Key: "a", Range: "bytes=2-4" }))).toMatchObject(described)
    const beyond = new HeadObjectCommand({ Bucket, Key: "a", Range: "bytes=10-" })
    expect((await failure(s3.send(beyond)))?.[1]).toBe(416)
  })

  it("DeleteObjects: existing, unknown and repeated keys, quiet or not → removed, each listed unless quiet; empty key → none", async () => {
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
    const keys = async () => (await s3.send(new ListObjectsV2Command({ Bucket }))).Contents?.map(({ Key }) => Key)
    expect(await keys()).toEqual(["c"])
    expect(await failure(remove(["c", ""], false))).toEqual(["MalformedXML", 400])
    expect(await keys()).toEqual(["c"])
    expect((await remove(["c", "c"], false)).Deleted?.map(({ Key }) => Key)).toEqual(["c", "c"])
    expect(await keys()).toBeUndefined()
  })

  it("CopyObject: directives and conditions → content and tag of the source, metadata as stated", async () => {
    const [from, Bucket] = [await makeBucket(), await makeBucket()]
    await s3.send(new PutObjectCommand({ Bucket: from, Key: "a b", Body: "x", Metadata: { m: "1" }, Tagging: "t=1" }))
    const CopySource = `${from}/a%20b`
    const copy = (Key: string, options: object = {}) =>
      s3.send(new CopyObjectCommand({ Bucket, Key, CopySource, ...options }))
    expect((await copy("kept")).CopyObjectResult?.ETag).toBe(md5("x"))
    await copy("ignored", { Metadata: { m: "x".repeat(3000) } })
    await copy("replaced", { MetadataDirective: "REPLACE", Metadata: { n: "2" }, ContentType: "text/n" })
    const head = (Key: string) => s3.send(new HeadObjectCommand({ Bucket, Key }))
    expect((await head("kept")).Metadata).toEqual({ m: "1" })
    expect((await head("ignored")).Metadata).toEqual({ m: "1" })
    expect(await head("replaced")).toMatchObject({ Metadata: { n: "2" }, ContentType: "text/n" })
    expect(await read(Bucket, "kept")).toBe("x")
    expect(await failure(copy("no", { CopySourceIfMatch: '"y"' }))).toEqual(["PreconditionFailed", 412])
    const self = { Bucket: from, Key: "a b", CopySource }
    expect(await failure(s3.send(new CopyObjectCommand(self)))).toEqual(["InvalidRequest", 400])
    await s3.send(new CopyObjectCommand({ ...self, MetadataDirective: "REPLACE", Metadata: { k: "3" } }))
    expect(await read(from, "a b")).toBe("x")
  })

  const algorithms = ["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"] as const

  it.each(algorithms)(
    "CopyObject: source with %s → the same checksum; another algorithm → that one",
    async (algorithm) => {
      const Bucket = await makeBucket()
      const checksums = Object.fromEntries(
        await Promise.all(
          algorithms.map(async (ChecksumAlgorithm) => {
            const Key = `with ${ChecksumAlgorithm}`
            const sent = await s3.send(new PutObjectCommand({ Bucket, Key, Body: "content", ChecksumAlgorithm }))
            return [ChecksumAlgorithm, sent[`Checksum${ChecksumAlgorithm}`]] as const
          })
        )
      )
      const CopySource = encodeURI(`${Bucket}/with ${algorithm}`)
      for (const wanted of [undefined, ...algorithms]) {
        const Key = `copy with ${wanted}`
        const { CopyObjectResult } = await s3.send(
          new CopyObjectCommand({ Bucket, Key, CopySource, ...(wanted && { ChecksumAlgorithm: wanted }) })
        )
        const name = wanted ?? algorithm
        const expected = { [`Checksum${name}`]: checksums[name], ChecksumType: "FULL_OBJECT" }
        const found = (answer: object) =>
          Object.fromEntries(Object.entries(answer).filter(([key]) => key.startsWith("Checksum")))
        expect(found(CopyObjectResult ?? {})).toEqual(expected)
        const copy = { Bucket, Key, ChecksumMode: "ENABLED" } as const
        expect(found(await s3.send(new HeadObjectCommand(copy)))).toEqual(expected)
        const got = await s3.send(new GetObjectCommand(copy))
        expect([found(got), await got.Body?.transformToString(), got.ETag]).toEqual([
          expected,
          "content",
          md5("content")
        ])
      }
    }
  )

  it("CopyObject: source without a checksum → its SHA-256; to itself, unknown algorithm → replaced, InvalidRequest", async () => {
    const Bucket = await makeBucket()
    const { headers, url } = Sign.sign(`${endpoint.url}/s3/${Bucket}/a`, token, { method: "PUT" })
    expect((await fetch(url, { method: "PUT", headers, body: "content" })).status).toBe(200)
    const copy = (Key: string, options: object = {}) =>
      s3.send(new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/a`, ...options }))
    const ChecksumSHA256 = createHash("sha256").update("content").digest("base64")
    expect((await copy("b")).CopyObjectResult).toMatchObject({ ChecksumSHA256, ChecksumType: "FULL_OBJECT" })
    const replaced = await copy("a", { MetadataDirective: "REPLACE", ChecksumAlgorithm: "SHA1" })
    const ChecksumSHA1 = createHash("sha1").update("content").digest("base64")
    expect(replaced.CopyObjectResult).toMatchObject({ ChecksumSHA1, ChecksumType: "FULL_OBJECT" })
    expect((await copy("b")).CopyObjectResult).toMatchObject({ ChecksumSHA1 })
    expect(await failure(copy("c", { ChecksumAlgorithm: "MD4" }))).toEqual(["InvalidRequest", 400])
    expect(await failure(s3.send(new HeadObjectCommand({ Bucket, Key: "c" })))).toEqual(["NotFound", 404])
  })

  it("tags and attributes: set, read, removed → as stated", async () => {
    const Bucket = await makeBucket()
    await put(Bucket, "a", "12345")
    const TagSet = [
      { Key: "a", Value: "" },
      { Key: "k", Value: "v & w" }
    ]
    await s3.send(new PutObjectTaggingCommand({ Bucket, Key: "a", Tagging: { TagSet: TagSet.toReversed() } }))
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

  it("configurations that cannot be set: read → that of a bucket without them; removed → 204", async () => {
    const Bucket = await makeBucket()
    await put(Bucket, "a")
    const send = async (method: string, path: string) => {
      const { headers, url } = Sign.sign(`${endpoint.url}/s3/${Bucket}${path}`, token, { method })
      const answer = await fetch(url, { method, headers })
      const text = await answer.text()
      return [answer.status, /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? /<(\w+) xmlns/.exec(text)?.[1]]
    }
    expect(await send("GET", "?ownershipControls=")).toEqual([404, "OwnershipControlsNotFoundError"])
    expect(await send("GET", "?policyStatus=")).toEqual([404, "NoSuchBucketPolicy"])
    expect(await send("GET", "?inventory=")).toEqual([200, "ListInventoryConfigurationsResult"])
    expect(await send("GET", "?inventory=&id=one")).toEqual([404, "NoSuchConfiguration"])
    expect(await send("GET", "?metrics=")).toEqual([200, "ListMetricsConfigurationsResult"])
    for (const parameter of ["retention", "legal-hold"]) {
      expect(await send("GET", `/a?${parameter}=`)).toEqual([400, "InvalidRequest"])
      expect(await send("GET", `/none?${parameter}=`)).toEqual([404, "NoSuchKey"])
    }
    for (const parameter of ["policy", "lifecycle", "cors", "encryption", "publicAccessBlock", "tagging"]) {
      expect(await send("DELETE", `?${parameter}=`)).toEqual([204, undefined])
    }
    expect(await send("DELETE", "?inventory=&id=one")).toEqual([501, "NotImplemented"])
    expect(await read(Bucket, "a")).toBe("a")
  })

  it("scopes: token of a folder, of a reader → no more than the scope", async () => {
    const Bucket = await makeBucket()
    for (const key of ["in/a", "in/b/c", "out"]) await put(Bucket, key)
    const token = await S3Server.makeToken(server, tenantId, { scope: { pathPrefix: "/in/" } })
    const limited = S3Server.client(endpoint.url, token)
    const list = await limited.send(new ListObjectsV2Command({ Bucket }))
    expect(list.Contents?.map(({ Key }) => Key)).toEqual(["in/a", "in/b/c"])
    expect(await failure(limited.send(new GetObjectCommand({ Bucket, Key: "out" })))).toEqual(["AccessDenied", 403])
    expect(await failure(limited.send(new PutObjectCommand({ Bucket, Key: "x", Body: "" })))).toEqual([
      "AccessDenied",
      403
    ])
    limited.destroy()
    const reader = S3Server.client(endpoint.url, await S3Server.makeToken(server, tenantId, { role: "File Reader" }))
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

it("removal of a folder with a marker, with the hook onDelete → called for the marker too, nothing left", async () => {
  const asked: Array<string> = []
  const before = ({ file }: FileHooks.Deletion) => Effect.sync(() => void asked.push(file.path + file.name))
  const server = await TestServer.start({ hooks: { onDelete: { before } } })
  onTestFinished(() => server.close())
  const { bucketId, tenantId } = await server.makeBucket()
  const path = `/tenants/${tenantId}/buckets/${bucketId}`
  await server.patch(path, { json: { name: "marked" } })
  const token = await S3Server.makeToken(server, tenantId)
  for (const key of ["a/", "a/x", "b/"]) {
    const { headers, url } = Sign.sign(`${server.url}/s3/marked/${key}`, token, { method: "PUT" })
    expect((await fetch(url, { method: "PUT", headers, body: "" })).status).toBe(200)
  }
  for (const folder of ["/a/", "/b/"]) {
    expect((await server.post(`${path}/folders/delete`, { json: { path: folder } })).status).toBe(200)
  }
  expect(asked).toEqual(["/a/", "/a/x", "/b/"])
  expect(await (await server.get(`${path}/files`)).json()).toMatchObject({ items: [], folders: [] })
})
