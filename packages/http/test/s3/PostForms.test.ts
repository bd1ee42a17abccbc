/**
 * Uploads from a browser: forms with a policy that is signed.
 */
import { GetObjectCommand, GetObjectTaggingCommand, HeadObjectCommand, type S3Client } from "@aws-sdk/client-s3"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { createHash, createHmac } from "node:crypto"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as PermittedForm from "../../src/s3/form/PermittedForm.ts"
import * as TestServer from "../support/TestServer.ts"
import * as S3Server from "./S3Server.ts"

let server: TestServer.TestServer
let tenantId: string
let token: S3Server.S3Token
let sdk: S3Client
let Bucket: string

beforeAll(async () => {
  server = await TestServer.start()
  const made = await server.makeBucket()
  tenantId = made.tenantId
  const bucket = await (await server.get(`/tenants/${tenantId}/buckets/${made.bucketId}`)).json()
  Bucket = (bucket as { readonly name: string }).name
  token = await S3Server.makeToken(server, tenantId)
  sdk = S3Server.client(server.url, token)
})

afterAll(async () => {
  sdk.destroy()
  await server.close()
})

type Fields = Readonly<Record<string, string>>

interface Policy {
  readonly expiration?: unknown
  readonly conditions?: unknown
}

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
const encode = (policy: unknown) => Buffer.from(JSON.stringify(policy)).toString("base64")
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest()

/** Returns the fields of a signature of version 4, and the conditions on them. */
const scopeOf = ({ accessKeyId }: S3Server.Credentials) => {
  const date = `${new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`
  const credential = `${accessKeyId}/${date.slice(0, 8)}/eu-1/s3/aws4_request`
  return { "x-amz-algorithm": "AWS4-HMAC-SHA256", "x-amz-credential": credential, "x-amz-date": date }
}

/** Returns the fields of a form with a policy on these fields, which is signed by version 4. */
const sign = (
  fields: Fields,
  { conditions = [], credentials = token }: { conditions?: ReadonlyArray<unknown>; credentials?: S3Server.S3Token } = {}
): Fields => {
  const all = { ...fields, ...scopeOf(credentials) }
  const own = Object.entries(all).map(([name, value]) => ({ [name]: value }))
  const policy = encode({ expiration: inAnHour(), conditions: [{ bucket: Bucket }, ...own, ...conditions] })
  const scope = [all["x-amz-date"].slice(0, 8), "eu-1", "s3", "aws4_request"]
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${credentials.secretAccessKey}`)
  return { ...all, policy, "x-amz-signature": hmac(key, policy).toString("hex") }
}

/** Returns the fields of a form with this policy, which is signed by version 2. */
const signOld = (fields: Fields, policy: Policy): Fields => {
  const text = encode({ expiration: inAnHour(), conditions: [], ...policy })
  const signature = createHmac("sha1", token.secretAccessKey).update(text).digest("base64")
  return { ...fields, AWSAccessKeyId: token.accessKeyId, policy: text, signature }
}

const post = (
  fields: Fields,
  content: string | Blob = "content",
  name = "a photo.txt",
  more = ""
): Promise<Response> => {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  form.append("file", new Blob([content], { type: "text/plain" }), name)
  if (more !== "") form.append(more, new Blob(["x"]), "x")
  return fetch(`${server.url}/s3/${Bucket}`, { method: "POST", body: form, redirect: "manual" })
}

const codeOf = async (answer: Response): Promise<string> => {
  const text = await answer.text()
  return answer.status < 400 ? "ok" : (/<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? text)
}

const read = async (Key: string) => (await sdk.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString()
const exists = (Key: string): Promise<boolean> =>
  sdk.send(new HeadObjectCommand({ Bucket, Key })).then(
    () => true,
    () => false
  )

it("form with the name of the file in its key → the object, with the type and the metadata of the fields", async () => {
  const key = { key: "in/${filename}" }
  const fields = { "Content-Type": "text/x-own", "x-amz-meta-title": "für €", "cache-control": "no-store" }
  const own = [["starts-with", "$key", "in/"]]
  const answer = await post({ ...sign(fields, { conditions: own }), ...key })
  expect([answer.status, await answer.text()]).toEqual([204, ""])
  expect(answer.headers.get("etag")).toBe(`"${createHash("md5").update("content").digest("hex")}"`)
  expect(answer.headers.get("location")).toBe(`${server.url}/s3/${Bucket}/in/a%20photo.txt`)
  const head = await sdk.send(new HeadObjectCommand({ Bucket, Key: "in/a photo.txt" }))
  expect(head).toMatchObject({ ContentType: "text/x-own", CacheControl: "no-store", ContentLength: 7 })
  expect(head.Metadata?.["title"]).toBe(`=?UTF-8?B?${Buffer.from("für €").toString("base64")}?=`)
  expect(await read("in/a photo.txt")).toBe("content")
})

it("name of the file several times in the key → the key; of 1,024 bytes at most", async () => {
  const send = async (key: string, name: string) =>
    codeOf(await post({ ...sign({}, { conditions: [["starts-with", "$key", ""]] }), key }, "content", name))
  expect(await send("${filename}/$&/${filename}", "é$&")).toBe("ok")
  expect(await read("é$&/$&/é$&")).toBe("content")
  const name = `${"é".repeat(63)}e`
  const longest = "${filename}/".repeat(7) + "${filename}x"
  expect(await send(longest, name)).toBe("ok")
  expect(await send(`x${longest}`, name)).toBe("KeyTooLongError")
  expect(await send("${filename}".repeat(4000), "f".repeat(10_000))).toBe("KeyTooLongError")
})

it("key that would have a billion characters → KeyTooLongError, without making it", () => {
  const policy = encode({ expiration: inAnHour(), conditions: [["starts-with", "$key", ""]] })
  const fields = new Map([
    ["policy", policy],
    ["key", "${filename}".repeat(1_000_000)]
  ])
  const file = { filename: "f".repeat(1000), contentType: undefined, headers: {} }
  const checked = PermittedForm.check({ fields, file, content: Stream.empty }, Bucket, Date.now())
  expect(Result.isFailure(checked) && checked.failure.code).toBe("KeyTooLongError")
})

it("form signed by version 2 → the object; fields in any case; large file", async () => {
  const conditions = [{ bUcKeT: Bucket }, ["StArTs-WiTh", "$KeY", "old"], { AcL: "private" }]
  const large = "x".repeat(3_000_000)
  const answer = await post({ ...signOld({ aCl: "private", "x-ignore-me": "1" }, { conditions }), kEy: "old" }, large)
  expect(answer.status).toBe(204)
  expect((await read("old"))?.length).toBe(large.length)
})

it("success_action_status, success_action_redirect → that answer", async () => {
  const created = await post(sign({ key: "a&b", success_action_status: "201" }))
  expect(created.status).toBe(201)
  expect(await created.text()).toContain(`<Bucket>${Bucket}</Bucket><Key>a&amp;b</Key>`)
  expect((await post(sign({ key: "k", success_action_status: "200" }))).status).toBe(200)
  expect((await post(sign({ key: "k", success_action_status: "404" }))).status).toBe(204)
  const redirected = await post(sign({ key: "k", success_action_redirect: "https://app.example.com/done?a=1" }))
  const etag = createHash("md5").update("content").digest("hex")
  expect([redirected.status, redirected.headers.get("location")]).toEqual([
    303,
    `https://app.example.com/done?a=1&bucket=${Bucket}&key=k&etag=%22${etag}%22`
  ])
  expect((await post(sign({ key: "k", success_action_redirect: "javascript:alert(1)" }))).status).toBe(204)
})

it("field tagging: document of tags → the tags of the object; no such document → MalformedXML, nothing stored", async () => {
  const tagging = "<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>"
  expect((await post(sign({ key: "tagged", tagging }))).status).toBe(204)
  const { TagSet } = await sdk.send(new GetObjectTaggingCommand({ Bucket, Key: "tagged" }))
  expect(TagSet).toEqual([{ Key: "k", Value: "v" }])
  expect(await codeOf(await post(sign({ key: "untagged", tagging: "<Tagging" })))).toBe("MalformedXML")
  expect(await exists("untagged")).toBe(false)
})

it("user metadata of more than 2,048 bytes → MetadataTooLarge, nothing stored", async () => {
  const formOf = (key: string, bytes: number) => sign({ key, "x-amz-meta-é": "x".repeat(bytes - 2) })
  expect(await codeOf(await post(formOf("described", 2048)))).toBe("ok")
  const refused = await (await post(formOf("undescribed", 2049))).text()
  expect(refused).toContain("<Code>MetadataTooLarge</Code>")
  expect(refused).toContain("<Size>2049</Size><MaxSizeAllowed>2048</MaxSizeAllowed>")
  expect(await exists("undescribed")).toBe(false)
})

it("form that its policy does not permit → AccessDenied, nothing stored", async () => {
  const good = sign({ key: "denied" })
  for (const changed of [
    { key: "denied/other" },
    { "x-amz-meta-a": "no condition" },
    { "x-amz-date": "20000101T000000Z", "x-amz-credential": "a/20000101/eu-1/s3/aws4_request" }
  ]) {
    expect(await codeOf(await post({ ...good, ...changed }))).toMatch(/^(?:AccessDenied|InvalidAccessKeyId)$/)
  }
  const bucket = { bucket: Bucket }
  const key = { key: "denied" }
  for (const policy of [
    { conditions: [bucket, key], expiration: new Date(Date.now() - 1000).toISOString() },
    { conditions: [key] },
    { conditions: [{ bucket: "other" }, key] },
    { conditions: [bucket, key, ["starts-with", "$x-amz-meta-foo", "bar"]] },
    { conditions: [bucket, ["eq", "$key", "den"]] }
  ]) {
    expect(await codeOf(await post(signOld(key, policy)))).toBe("AccessDenied")
  }
  expect(await exists("denied")).toBe(false)
})

it("field of a header that is not supported → refused, nothing stored", async () => {
  const send = async (fields: Fields) => codeOf(await post(sign({ key: "locked", ...fields })))
  expect(await send({ "x-amz-object-lock-mode": "COMPLIANCE" })).toBe("InvalidRequest")
  expect(await send({ "x-amz-server-side-encryption-customer-algorithm": "AES256" })).toBe("NotImplemented")
  expect(await exists("locked")).toBe(false)
})

it("signature: none, other secret, other policy, other access key → an error, nothing stored", async () => {
  const { policy = "", "x-amz-signature": signature = "", ...fields } = sign({ key: "unsigned" })
  const send = async (form: Fields) => codeOf(await post(form))
  expect(await send({ key: "unsigned" })).toBe("AccessDenied")
  expect(await send({ ...fields, policy })).toBe("InvalidArgument")
  expect(await send({ ...fields, "x-amz-signature": signature })).toBe("InvalidArgument")
  expect(await send({ ...fields, policy, "x-amz-signature": "0".repeat(64) })).toBe("SignatureDoesNotMatch")
  expect(await send({ ...fields, policy: `${policy} `, "x-amz-signature": signature })).toBe("SignatureDoesNotMatch")
  const wrong = { ...token, secretAccessKey: "wrong" }
  expect(await send(sign({ key: "unsigned" }, { credentials: wrong }))).toBe("SignatureDoesNotMatch")
  const unknown = { ...token, accessKeyId: "unknown" }
  expect(await send(sign({ key: "unsigned" }, { credentials: unknown }))).toBe("InvalidAccessKeyId")
  const old = signOld({ key: "unsigned" }, { conditions: [{ bucket: Bucket }, { key: "unsigned" }] })
  expect(await send({ ...old, signature: "AAAA" })).toBe("SignatureDoesNotMatch")
  expect(await exists("unsigned")).toBe(false)
})

it("policy that is malformed → InvalidPolicyDocument", async () => {
  const bucket = { bucket: Bucket }
  for (const policy of [
    { expiration: "2030-01-01 00:00:00" },
    { expiration: undefined },
    { conditions: undefined },
    { conditions: "x" },
    { conditions: [{}] },
    { conditions: [null] },
    { conditions: [bucket, ["content-length-range", 0]] },
    { conditions: [bucket, ["content-length-range", -1, 0]] },
    { conditions: [bucket, ["unknown", "$key", "a"]] },
    { conditions: [bucket, ["eq", "key", "a"]] }
  ]) {
    expect(await codeOf(await post(signOld({ key: "k" }, policy)))).toBe("InvalidPolicyDocument")
  }
})

it("content-length-range: size outside → EntityTooSmall, EntityTooLarge; checksum that differs → BadDigest", async () => {
  const send = async (from: number, to: number) =>
    codeOf(await post(sign({ key: "sized" }, { conditions: [["content-length-range", from, to]] })))
  expect(await send(8, 100)).toBe("EntityTooSmall")
  expect(await send(0, 6)).toBe("EntityTooLarge")
  const checksum = (text: string) => createHash("sha256").update(text).digest("base64")
  const summed = async (value: string) =>
    codeOf(await post({ ...sign({ key: "sized" }), "x-amz-checksum-sha256": value }))
  expect(await summed(checksum("other"))).toBe("BadDigest")
  expect(await summed("no checksum")).toBe("BadDigest")
  expect(await exists("sized")).toBe(false)
  expect(await summed(checksum("content"))).toBe("ok")
  expect(await send(7, 7)).toBe("ok")
})

it("form that is malformed → an error, nothing stored", async () => {
  const signed = sign({ key: "malformed" })
  expect(await codeOf(await post({ ...signed, "x-ignore-a": "x".repeat(70_000) }))).toBe(
    "MaxPostPreDataLengthExceededError"
  )
  expect(await codeOf(await post(signed, "content", "a", "file"))).toBe("IncorrectNumberOfFilesInPostRequest")
  const { key: _, ...noKey } = signed
  expect(await codeOf(await post(noKey))).toBe("InvalidArgument")
  expect(await codeOf(await post({ ...signed, key: "k".repeat(1025) }))).toBe("KeyTooLongError")
  const send = async (body: string, boundary = "b") => {
    const headers = { "content-type": `multipart/form-data; boundary=${boundary}` }
    return codeOf(await fetch(`${server.url}/s3/${Bucket}`, { method: "POST", headers, body }))
  }
  const part = (name: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const parts = Object.entries(signed)
    .map(([name, value]) => part(name, value))
    .join("")
  expect(await send("no form")).toBe("MalformedPOSTRequest")
  expect(await send("a".repeat(1_000_000), "a".repeat(15_000))).toBe("MalformedPOSTRequest")
  expect(await send(`${parts}--b--\r\n`)).toBe("IncorrectNumberOfFilesInPostRequest")
  expect(await send(`${parts}${part("key", "malformed")}${part("file", "x")}--b--\r\n`)).toBe("MalformedPOSTRequest")
  expect(await send(`${parts}${part("file", "cut off")}`)).toBe("MalformedPOSTRequest")
  expect(await exists("malformed")).toBe(false)
  expect(await send(`${parts}${part("FILE", "whole")}${part("later", "ignored")}--b--\r\n`)).toBe("ok")
  expect(await read("malformed")).toBe("whole")
})

it("form for an operation of its own: objects to delete, a key in the address → not authenticated by it", async () => {
  const signed = sign({ key: "k" })
  for (const path of [`${Bucket}?delete`, `${Bucket}/k`, `${Bucket}?uploads`]) {
    const form = new FormData()
    for (const [field, value] of Object.entries(signed)) form.append(field, value)
    form.append("file", new Blob(["x"]), "x")
    expect(await codeOf(await fetch(`${server.url}/s3/${path}`, { method: "POST", body: form }))).toBe("AccessDenied")
  }
})

it("token of a folder: key outside → AccessDenied; inside → the object", async () => {
  const credentials = await S3Server.makeToken(server, tenantId, { scope: { pathPrefix: "/in/" } })
  expect(await codeOf(await post(sign({ key: "out" }, { credentials })))).toBe("AccessDenied")
  expect(await codeOf(await post(sign({ key: "in/side" }, { credentials })))).toBe("ok")
})
