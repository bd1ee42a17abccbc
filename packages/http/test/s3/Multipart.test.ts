/**
 * Multipart uploads of the S3 API, by the AWS SDK, its `lib-storage` and minio-js.
 */
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  ObjectAttributes as ObjectAttribute,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand
} from "@aws-sdk/client-s3"
import { Upload } from "@aws-sdk/lib-storage"
import { Client as MinioClient } from "minio"
import { createHash, randomBytes } from "node:crypto"
import { Readable } from "node:stream"
import { crc32 } from "node:zlib"
import * as Actor from "@holdfast/core/Actor"
import { Quotas } from "@holdfast/core/usage/Quotas"
import { afterAll, beforeAll, expect, it } from "vitest"
import { operations } from "../../src/s3/Operations.ts"
import { describeEach } from "../support/EachDatabase.ts"
import type { TestServer } from "../support/TestServer.ts"
import * as S3Server from "./S3Server.ts"

const MiB = 1024 * 1024

/** The largest integer of 32 bits with a sign, which clients of Java send for "all". */
const largestInteger = 2_147_483_647
const md5 = (...parts: ReadonlyArray<Uint8Array>) => parts.reduce((hash, part) => hash.update(part), createHash("md5"))
const hexOf = (part: Uint8Array) => md5(part).digest("hex")

/** The entity tag of an object of these parts. */
const tagOf = (parts: ReadonlyArray<Uint8Array>) =>
  `"${md5(...parts.map((part) => md5(part).digest())).digest("hex")}-${parts.length}"`

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "ok",
    (error: { readonly name: string }) => error.name
  )

describeEach("multipart", (current: () => TestServer) => {
  let sdk: S3Client
  let minio: MinioClient
  let atRoot: Awaited<ReturnType<typeof S3Server.serve>>
  let token: S3Server.S3Token
  let Bucket: string

  beforeAll(async () => {
    const { bucketId, tenantId } = await current().makeBucket()
    const bucket = (await (await current().get(`/tenants/${tenantId}/buckets/${bucketId}`)).json()) as { name: string }
    Bucket = bucket.name
    token = await S3Server.makeToken(current(), tenantId)
    sdk = S3Server.client(current().url, token)
    // minio-js takes a host without a path.
    atRoot = await S3Server.serve(current(), operations, { path: "" })
    minio = new MinioClient({
      endPoint: "127.0.0.1",
      port: atRoot.port,
      useSSL: false,
      accessKey: token.accessKeyId,
      secretKey: token.secretAccessKey,
      region: "us-east-1",
      pathStyle: true,
      partSize: 5 * MiB
    })
  })

  afterAll(async () => {
    sdk.destroy()
    await atRoot.close()
  })

  const create = async (Key: string) => {
    const { UploadId = "" } = await sdk.send(new CreateMultipartUploadCommand({ Bucket, Key }))
    return { Bucket, Key, UploadId }
  }
  type Ref = Awaited<ReturnType<typeof create>>
  const put = (ref: Ref, PartNumber: number, Body: Uint8Array) =>
    sdk.send(new UploadPartCommand({ ...ref, PartNumber, Body }))
  const complete = (
    ref: Ref,
    Parts: ReadonlyArray<{ readonly PartNumber: number; readonly ETag: string }>,
    more = {}
  ) => sdk.send(new CompleteMultipartUploadCommand({ ...ref, ...more, MultipartUpload: { Parts: [...Parts] } }))
  const listed = (part: Uint8Array, PartNumber: number) => ({ PartNumber, ETag: `"${hexOf(part)}"` })
  const read = async (Key: string) => {
    const { Body, ETag } = await sdk.send(new GetObjectCommand({ Bucket, Key }))
    return { bytes: Buffer.from((await Body?.transformToByteArray()) ?? []), ETag }
  }

  it("parts out of order, one sent again → the object of the last ones, with the tag of their MD5s", async () => {
    const parts = [randomBytes(5 * MiB), randomBytes(5 * MiB + 3), randomBytes(10)]
    const ref = await create("out/of order.bin")
    await put(ref, 7, parts[2]!)
    await put(ref, 1, randomBytes(100))
    await put(ref, 1, parts[0]!)
    const { ETag } = await put(ref, 3, parts[1]!)
    expect(ETag).toBe(`"${hexOf(parts[1]!)}"`)
    const found = await sdk.send(new ListPartsCommand({ ...ref, MaxParts: 2 }))
    expect(found.Parts?.map(({ PartNumber, Size }) => [PartNumber, Size])).toEqual([
      [1, 5 * MiB],
      [3, 5 * MiB + 3]
    ])
    expect([found.IsTruncated, found.NextPartNumberMarker]).toEqual([true, "3"])
    const rest = await sdk.send(new ListPartsCommand({ ...ref, PartNumberMarker: "3" }))
    expect([rest.IsTruncated, rest.Parts?.map(({ PartNumber }) => PartNumber)]).toEqual([false, [7]])
    const largest = await sdk.send(new ListPartsCommand({ ...ref, MaxParts: largestInteger }))
    expect([largest.MaxParts, largest.Parts?.length]).toEqual([1000, 3])
    expect(await codeOf(sdk.send(new ListPartsCommand({ ...ref, MaxParts: largestInteger + 1 })))).toBe(
      "InvalidArgument"
    )
    const list = [listed(parts[0]!, 1), listed(parts[1]!, 3), listed(parts[2]!, 7)]
    const made = await complete(ref, list)
    expect(made.ETag).toBe(tagOf(parts))
    const got = await read(ref.Key)
    expect(got.ETag).toBe(made.ETag)
    expect(got.bytes.equals(Buffer.concat(parts))).toBe(true)
    expect((await complete(ref, list)).ETag).toBe(made.ETag)
  })

  it("object replaced at the limit of bytes → parts have room for its bytes and what is left, not for more", async () => {
    const server = current()
    const { bucketId, tenantId } = await server.makeBucket()
    const { name } = (await (await server.get(`/tenants/${tenantId}/buckets/${bucketId}`)).json()) as { name: string }
    const client = S3Server.client(server.url, await S3Server.makeToken(server, tenantId))
    const own = { Bucket: name, Key: "at the limit" }
    await server.run(Quotas.use((quotas) => quotas.set(Actor.system, tenantId, { bytes: 6 * MiB + 10 })))
    await client.send(new PutObjectCommand({ ...own, Body: randomBytes(6 * MiB) }))
    const { UploadId = "" } = await client.send(new CreateMultipartUploadCommand(own))
    const ref = { ...own, UploadId }
    const parts = [randomBytes(5 * MiB), randomBytes(MiB + 10)]
    const putPart = (PartNumber: number, Body: Uint8Array) =>
      client.send(new UploadPartCommand({ ...ref, PartNumber, Body }))
    await putPart(1, parts[0]!)
    expect(await codeOf(putPart(2, randomBytes(MiB + 11)))).toBe("QuotaExceeded")
    await putPart(2, parts[1]!)
    const MultipartUpload = { Parts: parts.map((part, index) => listed(part, index + 1)) }
    await client.send(new CompleteMultipartUploadCommand({ ...ref, MultipartUpload }))
    const { ContentLength } = await client.send(new HeadObjectCommand(own))
    expect(ContentLength).toBe(6 * MiB + 10)
    const { usage } = (await (await server.get(`/tenants/${tenantId}/usage`)).json()) as { usage: object }
    expect(usage).toMatchObject({ contentBytes: 6 * MiB + 10, reservedBytes: 0 })
    client.destroy()
  })

  it("list of parts: none, unknown, other tag, other order, too small → the error of each, and the upload stays", async () => {
    const ref = await create("faults")
    const [one, two] = [randomBytes(100), randomBytes(100)]
    await put(ref, 1, one)
    await put(ref, 2, two)
    expect(await codeOf(complete(ref, []))).toBe("MalformedXML")
    expect(await codeOf(complete(ref, [listed(one, 3)]))).toBe("InvalidPart")
    expect(await codeOf(complete(ref, [listed(two, 1)]))).toBe("InvalidPart")
    expect(await codeOf(complete(ref, [listed(two, 2), listed(one, 1)]))).toBe("InvalidPartOrder")
    expect(await codeOf(complete(ref, [listed(one, 1), listed(two, 2)]))).toBe("EntityTooSmall")
    expect(await codeOf(put(ref, 0, one))).toBe("InvalidArgument")
    expect(await codeOf(put(ref, 10_001, one))).toBe("InvalidArgument")
    expect(await codeOf(put({ ...ref, Key: "another" }, 1, one))).toBe("NoSuchUpload")
    expect(await codeOf(put({ ...ref, UploadId: "unknown" }, 1, one))).toBe("NoSuchUpload")
    const made = await complete(ref, [listed(two, 2)])
    expect(made.ETag).toBe(tagOf([two]))
  })

  it("part sent again, both listed → the last one counts", async () => {
    const ref = await create("again")
    const [first, last] = [randomBytes(10), randomBytes(10)]
    await put(ref, 1, first)
    await put(ref, 1, last)
    const made = await complete(ref, [listed(first, 1), listed(last, 1)])
    expect(made.ETag).toBe(tagOf([last]))
    expect((await read(ref.Key)).bytes.equals(last)).toBe(true)
  })

  it("part with a wrong checksum → BadDigest, nothing stored", async () => {
    const ref = await create("digest")
    const wrong = new UploadPartCommand({ ...ref, PartNumber: 1, Body: "x", ContentMD5: "AAAAAAAAAAAAAAAAAAAAAA==" })
    expect(await codeOf(sdk.send(wrong))).toBe("BadDigest")
    expect((await sdk.send(new ListPartsCommand(ref))).Parts ?? []).toEqual([])
    expect(await codeOf(sdk.send(new AbortMultipartUploadCommand(ref)))).toBe("ok")
    expect(await codeOf(sdk.send(new AbortMultipartUploadCommand(ref)))).toBe("NoSuchUpload")
    expect(await codeOf(sdk.send(new HeadObjectCommand({ Bucket, Key: "digest" })))).toBe("NotFound")
  })

  it("open uploads: by key, prefix, delimiter and page; not those completed or aborted", async () => {
    const refs = [await create("list/b"), await create("list/a"), await create("list/a"), await create("list/c/d")]
    const list = (more: object = {}) => sdk.send(new ListMultipartUploadsCommand({ Bucket, Prefix: "list/", ...more }))
    const all = await list()
    const ids = [refs[1]!, refs[2]!, refs[0]!, refs[3]!].map(({ UploadId }) => UploadId)
    expect(all.Uploads?.map(({ UploadId }) => UploadId)).toEqual(ids)
    const first = await list({ MaxUploads: 1 })
    expect(first.IsTruncated).toBe(true)
    const next = { KeyMarker: first.NextKeyMarker, UploadIdMarker: first.NextUploadIdMarker }
    expect((await list(next)).Uploads?.map(({ UploadId }) => UploadId)).toEqual(ids.slice(1))
    expect(await list({ MaxUploads: largestInteger })).toMatchObject({ MaxUploads: 1000, Uploads: all.Uploads })
    expect(await codeOf(list({ MaxUploads: largestInteger + 1 }))).toBe("InvalidArgument")
    const grouped = await list({ Delimiter: "/" })
    expect(grouped.CommonPrefixes).toEqual([{ Prefix: "list/c/" }])
    const named = await create("liste é/x")
    const Prefix = "liste é/".normalize("NFD")
    expect((await list({ Prefix })).Uploads?.map(({ Key }) => Key)).toEqual([`${Prefix}x`])
    await sdk.send(new AbortMultipartUploadCommand(named))
    for (const ref of refs) await sdk.send(new AbortMultipartUploadCommand(ref))
    expect((await list()).Uploads ?? []).toEqual([])
  })

  it("parts copied from an object and from a range of it → their bytes", async () => {
    const source = randomBytes(6 * MiB)
    await sdk.send(new PutObjectCommand({ Bucket, Key: "source ü", Body: source }))
    const ref = await create("copied")
    const copy = (PartNumber: number, CopySourceRange?: string) =>
      sdk.send(
        new UploadPartCopyCommand({
          ...ref,
          PartNumber,
          CopySource: encodeURI(`${Bucket}/source ü`),
          ...(CopySourceRange === undefined ? {} : { CopySourceRange })
        })
      )
    const [whole, part] = [await copy(1), await copy(2, "bytes=1-10")]
    expect(await codeOf(copy(3, `bytes=0-${source.length}`))).toBe("InvalidRange")
    expect(await codeOf(copy(3, "bytes=5-1"))).toBe("InvalidArgument")
    const Parts = [whole, part].map(({ CopyPartResult }, index) => ({
      PartNumber: index + 1,
      ETag: CopyPartResult?.ETag ?? ""
    }))
    await complete(ref, Parts)
    const { bytes } = await read("copied")
    expect(bytes.equals(Buffer.concat([source, source.subarray(1, 11)]))).toBe(true)
  })

  it("part of an object, by GET and HEAD → its length; of a copy, which is stored whole → one part", async () => {
    const parts = [randomBytes(5 * MiB), randomBytes(10)]
    const ref = await create("by part")
    for (const [index, part] of parts.entries()) await put(ref, index + 1, part)
    await complete(
      ref,
      parts.map((part, index) => listed(part, index + 1))
    )
    const second = { Bucket, Key: ref.Key, PartNumber: 2 }
    const described = {
      ContentLength: 10,
      ContentRange: `bytes ${5 * MiB}-${5 * MiB + 9}/${5 * MiB + 10}`,
      PartsCount: 2
    }
    const head = await sdk.send(new HeadObjectCommand(second))
    expect(head).toMatchObject({ ...described, $metadata: { httpStatusCode: 206 } })
    const got = await sdk.send(new GetObjectCommand(second))
    expect(got).toMatchObject(described)
    expect(Buffer.from((await got.Body?.transformToByteArray()) ?? []).equals(parts[1]!)).toBe(true)
    const beyond = await sdk.send(new GetObjectCommand({ ...second, PartNumber: 3 })).catch((error: unknown) => error)
    expect(beyond).toMatchObject({ name: "InvalidPartNumber", PartNumberRequested: "3", ActualPartCount: "2" })
    expect(await codeOf(sdk.send(new GetObjectCommand({ ...second, Range: "bytes=0-1" })))).toBe("InvalidRequest")

    const copy = { Bucket, Key: "copy by part" }
    await sdk.send(new CopyObjectCommand({ ...copy, CopySource: encodeURI(`${Bucket}/${ref.Key}`) }))
    const first = await sdk.send(new GetObjectCommand({ ...copy, PartNumber: 1 }))
    expect([first.PartsCount, (await first.Body?.transformToByteArray())?.length]).toEqual([1, 5 * MiB + 10])
    expect(await codeOf(sdk.send(new GetObjectCommand({ ...copy, PartNumber: 2 })))).toBe("InvalidPartNumber")
    const ObjectAttributes = [ObjectAttribute.OBJECT_PARTS]
    const { ObjectParts } = await sdk.send(new GetObjectAttributesCommand({ ...copy, ObjectAttributes }))
    expect(ObjectParts).toMatchObject({ IsTruncated: false, TotalPartsCount: 1 })
  })

  it("part without bytes at the end of an object → 200 without a content", async () => {
    const parts = [randomBytes(5 * MiB), randomBytes(5 * MiB), new Uint8Array()]
    const ref = await create("empty part")
    for (const [index, part] of parts.entries()) await put(ref, index + 1, part)
    await complete(
      ref,
      parts.map((part, index) => listed(part, index + 1))
    )
    const last = { Bucket, Key: ref.Key, PartNumber: 3 }
    const described = { ContentLength: 0, PartsCount: 3, $metadata: { httpStatusCode: 200 } }
    expect(await sdk.send(new HeadObjectCommand(last))).toMatchObject(described)
    const got = await sdk.send(new GetObjectCommand(last))
    expect([got, await got.Body?.transformToString()]).toMatchObject([described, ""])
    const attributes = { Bucket, Key: ref.Key, ObjectAttributes: [ObjectAttribute.OBJECT_PARTS], PartNumberMarker: "2" }
    const { ObjectParts } = await sdk.send(new GetObjectAttributesCommand(attributes))
    expect(ObjectParts).toMatchObject({ IsTruncated: false, TotalPartsCount: 3 })
  })

  it("declared size of the object: other than that of the parts → InvalidRequest; the same → completed", async () => {
    const ref = await create("sized")
    const part = randomBytes(10)
    await put(ref, 1, part)
    expect(await codeOf(complete(ref, [listed(part, 1)], { MpuObjectSize: 11 }))).toBe("InvalidRequest")
    expect(await codeOf(complete(ref, [listed(part, 1)], { MpuObjectSize: 10 }))).toBe("ok")
  })

  it("condition of the completion: If-None-Match, object there → PreconditionFailed", async () => {
    await sdk.send(new PutObjectCommand({ Bucket, Key: "there", Body: "before" }))
    const ref = await create("there")
    const part = randomBytes(10)
    await put(ref, 1, part)
    expect(await codeOf(complete(ref, [listed(part, 1)], { IfNoneMatch: "*" }))).toBe("PreconditionFailed")
    expect((await read("there")).bytes.toString()).toBe("before")
    const tag = (await read("there")).ETag
    expect(await codeOf(complete(ref, [listed(part, 1)], { IfMatch: tag }))).toBe("ok")
    expect((await read("there")).bytes.equals(part)).toBe(true)
  })

  it.each(["CRC32", "CRC32C", "CRC64NVME"] as const)(
    "checksum of the whole, %s: right → stated, stored with those of the parts; other → BadDigest",
    async (algorithm) => {
      const parts = [randomBytes(5 * MiB), randomBytes(5 * MiB + 3), randomBytes(10)]
      const member = `Checksum${algorithm}` as const
      const single = { Bucket, Key: `single ${algorithm}`, Body: Buffer.concat(parts), ChecksumAlgorithm: algorithm }
      const expected = (await sdk.send(new PutObjectCommand(single)))[member] ?? ""
      const ref = await create(`whole ${algorithm}`)
      const Parts: Array<CompletedPart & { readonly PartNumber: number; readonly ETag: string }> = []
      for (const [index, Body] of parts.entries()) {
        const part = { ...ref, PartNumber: index + 1, Body, ChecksumAlgorithm: algorithm }
        const sent = await sdk.send(new UploadPartCommand(part))
        Parts.push({ ...listed(Body, index + 1), [member]: sent[member] })
      }
      const whole = (value: string) => ({ ChecksumType: "FULL_OBJECT", [member]: value })
      const other = Buffer.alloc(Buffer.from(expected, "base64").length).toString("base64")
      expect(await codeOf(complete(ref, Parts, whole(other)))).toBe("BadDigest")
      expect(await complete(ref, Parts, whole(expected))).toMatchObject(whole(expected))
      expect(await complete(ref, Parts, whole(expected))).toMatchObject(whole(expected))
      const { Key } = ref
      expect((await read(Key)).bytes.equals(Buffer.concat(parts))).toBe(true)
      const head = await sdk.send(new HeadObjectCommand({ Bucket, Key, ChecksumMode: "ENABLED" }))
      expect(head).toMatchObject(whole(expected))
      expect((await sdk.send(new HeadObjectCommand({ Bucket, Key })))[member]).toBeUndefined()
      const second = { Bucket, Key, PartNumber: 2, ChecksumMode: "ENABLED" } as const
      const part = { [member]: Parts[1]?.[member], ContentLength: 5 * MiB + 3, PartsCount: 3 }
      const got = await sdk.send(new GetObjectCommand(second))
      expect(got).toMatchObject(part)
      expect((await got.Body?.transformToByteArray())?.length).toBe(part.ContentLength)
      const ObjectAttributes = [ObjectAttribute.CHECKSUM, ObjectAttribute.OBJECT_PARTS]
      const page = { Bucket, Key, ObjectAttributes, MaxParts: 1, PartNumberMarker: "1" }
      const { Checksum, ObjectParts } = await sdk.send(new GetObjectAttributesCommand(page))
      expect(Checksum).toMatchObject(whole(expected))
      expect(ObjectParts).toMatchObject({
        IsTruncated: true,
        MaxParts: 1,
        NextPartNumberMarker: "2",
        TotalPartsCount: 3
      })
      expect(ObjectParts?.Parts).toEqual([{ [member]: part[member], PartNumber: 2, Size: 5 * MiB + 3 }])
      const largest = { Bucket, Key, ObjectAttributes, MaxParts: largestInteger }
      const everything = await sdk.send(new GetObjectAttributesCommand(largest))
      expect(everything.ObjectParts).toMatchObject({ IsTruncated: false, MaxParts: 1000, TotalPartsCount: 3 })
      const copy = { Bucket, Key: `copy ${algorithm}`, CopySource: encodeURI(`${Bucket}/${Key}`) }
      await sdk.send(new CopyObjectCommand(copy))
      const copied = await sdk.send(new HeadObjectCommand({ Bucket, Key: copy.Key, ChecksumMode: "ENABLED" }))
      expect(copied).toMatchObject(whole(expected))
    }
  )

  it.each(["CRC32", "CRC32C"] as const)(
    "%s of the whole chosen at the creation: completion without → stored",
    async (algorithm) => {
      const [Body, Key] = [randomBytes(100), `chosen whole ${algorithm}`]
      const chosen = { ChecksumAlgorithm: algorithm, ChecksumType: "FULL_OBJECT" } as const
      const created = await sdk.send(new CreateMultipartUploadCommand({ Bucket, Key, ...chosen }))
      expect(created).toMatchObject(chosen)
      const ref = { Bucket, Key, UploadId: created.UploadId ?? "" }
      const part = await sdk.send(new UploadPartCommand({ ...ref, PartNumber: 1, Body, ChecksumAlgorithm: algorithm }))
      expect(await codeOf(complete(ref, [listed(Body, 1)], { ChecksumType: "COMPOSITE" }))).toBe("InvalidRequest")
      const member = `Checksum${algorithm}` as const
      const whole = { ChecksumType: "FULL_OBJECT", [member]: part[member] }
      expect(await complete(ref, [listed(Body, 1)])).toMatchObject(whole)
      expect(await sdk.send(new HeadObjectCommand({ Bucket, Key, ChecksumMode: "ENABLED" }))).toMatchObject(whole)
    }
  )

  it.each(["COMPOSITE", undefined] as const)(
    "checksum of the parts chosen at the creation, %s: completion without their number → stored",
    async (ChecksumType) => {
      const [Body, Key] = [randomBytes(100), `chosen composite ${ChecksumType}`]
      const chosen = { ChecksumAlgorithm: "CRC32", ChecksumType } as const
      const created = await sdk.send(new CreateMultipartUploadCommand({ Bucket, Key, ...chosen }))
      expect(created.ChecksumType).toBe("COMPOSITE")
      const ref = { Bucket, Key, UploadId: created.UploadId ?? "" }
      const part = await sdk.send(new UploadPartCommand({ ...ref, PartNumber: 1, Body, ChecksumAlgorithm: "CRC32" }))
      const sum = Buffer.alloc(4)
      sum.writeUInt32BE(crc32(Buffer.from(part.ChecksumCRC32 ?? "", "base64")))
      const ChecksumCRC32 = sum.toString("base64")
      expect(await codeOf(complete(ref, [listed(Body, 1)], { ChecksumType: "FULL_OBJECT" }))).toBe("InvalidRequest")
      const done = await complete(ref, [listed(Body, 1)], { ChecksumCRC32 })
      expect(done).toMatchObject({ ChecksumType: "COMPOSITE", ChecksumCRC32: `${ChecksumCRC32}-1` })
    }
  )

  it.each([
    ["SHA1", "FULL_OBJECT"],
    ["SHA256", "FULL_OBJECT"],
    ["CRC64NVME", "COMPOSITE"],
    ["CRC32", "OTHER"],
    ["OTHER", undefined],
    [undefined, "COMPOSITE"]
  ])("creation with checksum algorithm %s and type %s → InvalidRequest", async (algorithm, type) => {
    const chosen = { ChecksumAlgorithm: algorithm as "SHA1", ChecksumType: type as "COMPOSITE" }
    const created = sdk.send(new CreateMultipartUploadCommand({ Bucket, Key: "refused", ...chosen }))
    expect(await codeOf(created)).toBe("InvalidRequest")
  })

  it("checksum of the checksums of the parts: right → stated; other → BadDigest; of another algorithm → refused", async () => {
    const Body = randomBytes(10)
    const digest = (data: Uint8Array) => createHash("sha256").update(data).digest()
    const ref = await create("composite")
    await sdk.send(new UploadPartCommand({ ...ref, PartNumber: 1, Body, ChecksumAlgorithm: "SHA256" }))
    const Parts = [{ ...listed(Body, 1), ChecksumSHA256: digest(Body).toString("base64") }]
    const composite = (data: Uint8Array) => ({ ChecksumSHA256: `${digest(digest(data)).toString("base64")}-1` })
    expect(await codeOf(complete(ref, Parts, composite(Buffer.from("other"))))).toBe("BadDigest")
    expect(await codeOf(complete(ref, Parts, { ChecksumCRC32: "AAAAAA==" }))).toBe("InvalidRequest")
    const done = await complete(ref, Parts, composite(Body))
    expect(done).toMatchObject({ ChecksumType: "COMPOSITE", ...composite(Body) })
  })

  it.each([
    ["CRC32", "COMPOSITE"],
    ["CRC32", "FULL_OBJECT"],
    ["CRC64NVME", "FULL_OBJECT"],
    ["SHA1", "COMPOSITE"],
    ["SHA256", "COMPOSITE"]
  ] as const)(
    "parts copied to an upload with %s, %s → checksums of the parts; copy of the object → of all bytes",
    async (ChecksumAlgorithm, ChecksumType) => {
      const member = `Checksum${ChecksumAlgorithm}` as const
      const whole = randomBytes(5 * MiB + 10)
      const stored = async (Key: string, Body: Uint8Array) =>
        (await sdk.send(new PutObjectCommand({ Bucket, Key, Body, ChecksumAlgorithm })))[member]
      const expected = await stored("whole", whole)
      const ofParts = [
        await stored("part 1", whole.subarray(0, 5 * MiB)),
        await stored("part 2", whole.subarray(5 * MiB))
      ]
      const Key = `copied ${ChecksumAlgorithm} ${ChecksumType}`
      const { UploadId } = await sdk.send(
        new CreateMultipartUploadCommand({ Bucket, Key, ChecksumAlgorithm, ChecksumType })
      )
      const ref = { Bucket, Key, UploadId: UploadId ?? "" }
      const Parts: Array<CompletedPart & { readonly PartNumber: number; readonly ETag: string }> = []
      for (const [index, range] of [`0-${5 * MiB - 1}`, `${5 * MiB}-${whole.length - 1}`].entries()) {
        const PartNumber = index + 1
        const source = { CopySource: `${Bucket}/whole`, CopySourceRange: `bytes=${range}` }
        const { CopyPartResult } = await sdk.send(new UploadPartCopyCommand({ ...ref, ...source, PartNumber }))
        expect(CopyPartResult?.[member]).toBe(ofParts[index])
        Parts.push({ PartNumber, ETag: CopyPartResult?.ETag ?? "", [member]: CopyPartResult?.[member] })
      }
      const listed = await sdk.send(new ListPartsCommand(ref))
      expect(listed.Parts?.map((part) => part[member])).toEqual(ofParts)
      const done = await complete(ref, Parts)
      expect([done.ChecksumType, done[member] === expected]).toEqual([ChecksumType, ChecksumType === "FULL_OBJECT"])

      const copy = { Bucket, Key: `${Key}, again` }
      const { CopyObjectResult } = await sdk.send(
        new CopyObjectCommand({ ...copy, CopySource: encodeURI(`${Bucket}/${Key}`) })
      )
      const head = await sdk.send(new HeadObjectCommand({ ...copy, ChecksumMode: "ENABLED" }))
      for (const answer of [CopyObjectResult, head]) {
        expect([answer?.[member], answer?.ChecksumType]).toEqual([expected, "FULL_OBJECT"])
      }
      expect((await read(copy.Key)).bytes.equals(whole)).toBe(true)
    }
  )

  it("completion: public URL of HTTPS → its location has that scheme", async () => {
    const behindProxy = await S3Server.serve(current(), operations, { publicUrl: "https://files.example.com" })
    const client = S3Server.client(behindProxy.url, token)
    try {
      const ref = await create("located")
      await put(ref, 1, Buffer.from("x"))
      const Parts = [listed(Buffer.from("x"), 1)]
      const done = await client.send(new CompleteMultipartUploadCommand({ ...ref, MultipartUpload: { Parts } }))
      expect(done.Location).toBe(`https://127.0.0.1:${behindProxy.port}/s3/${Bucket}/located`)
    } finally {
      client.destroy()
      await behindProxy.close()
    }
  })

  it("stream by lib-storage and by minio-js → the same bytes", async () => {
    const bytes = randomBytes(12 * MiB + 7)
    const stream = () => Readable.from([bytes.subarray(0, 3 * MiB), bytes.subarray(3 * MiB)])
    const upload = new Upload({
      client: sdk,
      params: { Bucket, Key: "lib-storage", Body: stream(), Metadata: { a: "b" }, ContentType: "video/mp4" }
    })
    await upload.done()
    const head = await sdk.send(new HeadObjectCommand({ Bucket, Key: "lib-storage" }))
    expect([head.Metadata, head.ContentType, head.ContentLength]).toEqual([{ a: "b" }, "video/mp4", bytes.length])
    expect((await read("lib-storage")).bytes.equals(bytes)).toBe(true)
    await minio.putObject(Bucket, "minio-js", stream(), bytes.length, { "Content-Type": "video/mp4" })
    expect((await read("minio-js")).bytes.equals(bytes)).toBe(true)
  })
})
