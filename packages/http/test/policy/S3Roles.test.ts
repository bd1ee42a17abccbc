/**
 * The permissions of the operations of the S3 API: those of the operations of the HTTP API that do the same, for every role and kind of
 * key.
 */
import * as MemoryBlobStore from "@holdfast/testing/storage/MemoryBlobStore"
import { createHmac } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { operations } from "../../src/s3/Operations.ts"
import * as S3Server from "../s3/S3Server.ts"
import * as Sign from "../s3/Sign.ts"
import * as TestServer from "../support/TestServer.ts"
import { roles, rows } from "./PermissionTable.ts"

const bucketRoute = "/tenants/:tenantId/buckets"
const fileRoute = `${bucketRoute}/:bucketId/files`

/** What a request is about: a bucket, a key with an object, and an upload of that key. */
interface Subject {
  readonly bucket: string
  readonly key: string
  readonly uploadId: string
}

interface Request {
  readonly method: string
  /** Behind the address of the bucket. */
  readonly path: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

interface Operation {
  readonly name: string
  /** The operations of the HTTP API whose permissions it needs; none for what every member may know. */
  readonly routes: ReadonlyArray<string>
  /** The answer to a member who may. */
  readonly answer: number | string
  readonly request: (subject: Subject) => Request
  readonly target?: "service" | "bucket"
  readonly isForm?: boolean
}

const read = [`GET ${fileRoute}/:fileId/view`]
const write = [`POST ${fileRoute}/upload`]
const list = [`GET ${fileRoute}`]

const get = (path: string) => (): Request => ({ method: "GET", path })
const ofKey =
  (method: string, query = "", more: Partial<Request> = {}) =>
  ({ key, uploadId }: Subject): Request => ({ method, path: `/${key}${query.replace("UPLOAD", uploadId)}`, ...more })

/** The configuration of a bucket, as every bucket has it. */
const configuration = (name: string, parameter: string, answer: number | string = 200): Operation => ({
  name,
  routes: [],
  answer,
  request: get(`?${parameter}`),
  target: "bucket"
})

/** The configurations of a kind: a list without any, and one that is not found. */
const configurations = (kind: string, parameter: string): ReadonlyArray<Operation> => [
  configuration(`ListBucket${kind}Configurations`, parameter),
  configuration(`GetBucket${kind}Configuration`, `${parameter}&id=one`, "NoSuchConfiguration")
]

/** The removal of a configuration that no bucket has changes nothing. */
const removal = (name: string, parameter: string): Operation => ({
  ...configuration(name, parameter, 204),
  request: () => ({ method: "DELETE", path: `?${parameter}` })
})

const copyOf = ({ bucket, key }: Subject) => ({ "x-amz-copy-source": `${bucket}/${key}` })
const tagging = "<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>"
const isPrivate = { headers: { "x-amz-acl": "private" } }
let serial = 0

const table: ReadonlyArray<Operation> = [
  { name: "ListBuckets", routes: [`GET ${bucketRoute}`], answer: 200, request: get(""), target: "service" },
  {
    name: "CreateBucket",
    routes: [`POST ${bucketRoute}`],
    answer: 200,
    request: () => ({ method: "PUT", path: `-${++serial}` }),
    target: "bucket"
  },
  { ...configuration("HeadBucket", ""), request: () => ({ method: "HEAD", path: "" }) },
  {
    name: "DeleteBucket",
    routes: [`DELETE ${bucketRoute}/:bucketId`],
    answer: "BucketNotEmpty",
    request: () => ({ method: "DELETE", path: "" }),
    target: "bucket"
  },
  configuration("GetBucketLocation", "location"),
  configuration("GetBucketVersioning", "versioning"),
  configuration("GetBucketAcl", "acl"),
  configuration("GetBucketRequestPayment", "requestPayment"),
  configuration("GetBucketAccelerateConfiguration", "accelerate"),
  configuration("GetBucketLogging", "logging"),
  configuration("GetBucketNotificationConfiguration", "notification"),
  configuration("GetBucketPolicy", "policy", "NoSuchBucketPolicy"),
  configuration("GetBucketCors", "cors", "NoSuchCORSConfiguration"),
  configuration("GetBucketLifecycleConfiguration", "lifecycle", "NoSuchLifecycleConfiguration"),
  configuration("GetBucketEncryption", "encryption", "ServerSideEncryptionConfigurationNotFoundError"),
  configuration("GetBucketReplication", "replication", "ReplicationConfigurationNotFoundError"),
  configuration("GetBucketTagging", "tagging", "NoSuchTagSet"),
  configuration("GetBucketWebsite", "website", "NoSuchWebsiteConfiguration"),
  configuration("GetObjectLockConfiguration", "object-lock", "ObjectLockConfigurationNotFoundError"),
  configuration("GetPublicAccessBlock", "publicAccessBlock", "NoSuchPublicAccessBlockConfiguration"),
  configuration("GetBucketOwnershipControls", "ownershipControls", "OwnershipControlsNotFoundError"),
  configuration("GetBucketPolicyStatus", "policyStatus", "NoSuchBucketPolicy"),
  ...configurations("Analytics", "analytics"),
  ...configurations("IntelligentTiering", "intelligent-tiering"),
  ...configurations("Inventory", "inventory"),
  ...configurations("Metrics", "metrics"),
  removal("DeleteBucketPolicy", "policy"),
  removal("DeleteBucketCors", "cors"),
  removal("DeleteBucketLifecycle", "lifecycle"),
  removal("DeleteBucketEncryption", "encryption"),
  removal("DeleteBucketReplication", "replication"),
  removal("DeleteBucketTagging", "tagging"),
  removal("DeleteBucketWebsite", "website"),
  removal("DeleteBucketOwnershipControls", "ownershipControls"),
  removal("DeletePublicAccessBlock", "publicAccessBlock"),
  { name: "GetObjectRetention", routes: read, answer: "InvalidRequest", request: ofKey("GET", "?retention") },
  { name: "GetObjectLegalHold", routes: read, answer: "InvalidRequest", request: ofKey("GET", "?legal-hold") },
  { ...configuration("PutBucketAcl", "acl"), request: () => ({ method: "PUT", path: "?acl", ...isPrivate }) },
  // Changes nothing: every object has this list.
  { name: "PutObjectAcl", routes: [], answer: 200, request: ofKey("PUT", "?acl", isPrivate) },
  { name: "GetObjectAcl", routes: read, answer: 200, request: ofKey("GET", "?acl") },
  { name: "ListObjects", routes: list, answer: 200, request: get(""), target: "bucket" },
  { name: "ListObjectsV2", routes: list, answer: 200, request: get("?list-type=2"), target: "bucket" },
  { name: "ListObjectVersions", routes: list, answer: 200, request: get("?versions"), target: "bucket" },
  { name: "GetObject", routes: read, answer: 200, request: ofKey("GET") },
  { name: "HeadObject", routes: read, answer: 200, request: ofKey("HEAD") },
  { name: "GetObjectAttributes", routes: read, answer: 200, request: ofKey("GET", "?attributes", attributes()) },
  { name: "GetObjectTagging", routes: read, answer: 200, request: ofKey("GET", "?tagging") },
  { name: "PutObject", routes: write, answer: 200, request: ofKey("PUT", "", { body: "new" }) },
  { name: "PostObject", routes: write, answer: 204, request: ofKey("POST"), isForm: true },
  {
    name: "CopyObject",
    routes: [`POST ${fileRoute}/:fileId/copy`],
    answer: 200,
    request: (subject) => ({ method: "PUT", path: `/${subject.key}-copy`, headers: copyOf(subject) })
  },
  { name: "DeleteObject", routes: [`DELETE ${fileRoute}/:fileId`], answer: 204, request: ofKey("DELETE") },
  {
    name: "DeleteObjects",
    routes: [`POST ${fileRoute}/delete`],
    answer: 200,
    request: ({ key }) => ({
      method: "POST",
      path: "?delete",
      body: `<Delete><Object><Key>${key}</Key></Object></Delete>`
    })
  },
  {
    name: "PutObjectTagging",
    routes: [`PATCH ${fileRoute}/:fileId`],
    answer: 200,
    request: ofKey("PUT", "?tagging", { body: tagging })
  },
  {
    name: "DeleteObjectTagging",
    routes: [`PATCH ${fileRoute}/:fileId`],
    answer: 204,
    request: ofKey("DELETE", "?tagging")
  },
  {
    name: "CreateMultipartUpload",
    routes: [`POST ${fileRoute}/uploads`],
    answer: 200,
    request: ofKey("POST", "?uploads")
  },
  {
    name: "ListMultipartUploads",
    routes: [`GET ${fileRoute}/uploads`],
    answer: 200,
    request: get("?uploads"),
    target: "bucket"
  },
  {
    name: "ListParts",
    routes: [`GET ${fileRoute}/uploads/:uploadId`],
    answer: 200,
    request: ofKey("GET", "?uploadId=UPLOAD")
  },
  {
    name: "UploadPart",
    routes: [`PATCH ${fileRoute}/uploads/:uploadId`],
    answer: 200,
    request: ofKey("PUT", "?partNumber=1&uploadId=UPLOAD", { body: "part" })
  },
  {
    name: "UploadPartCopy",
    routes: [...read, `PATCH ${fileRoute}/uploads/:uploadId`],
    answer: 200,
    request: (subject) => ofKey("PUT", "?partNumber=1&uploadId=UPLOAD", { headers: copyOf(subject) })(subject)
  },
  {
    name: "CompleteMultipartUpload",
    routes: [`PATCH ${fileRoute}/uploads/:uploadId`],
    // The upload has no parts.
    answer: "InvalidPart",
    request: ofKey("POST", "?uploadId=UPLOAD", {
      body: "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>x</ETag></Part></CompleteMultipartUpload>"
    })
  },
  {
    name: "AbortMultipartUpload",
    routes: [`DELETE ${fileRoute}/uploads/:uploadId`],
    answer: 204,
    request: ofKey("DELETE", "?uploadId=UPLOAD")
  }
]

function attributes(): Partial<Request> {
  return { headers: { "x-amz-object-attributes": "ETag" } }
}

/** Whether a role may call each of the operations of the HTTP API. */
const isAllowed = ({ routes }: Operation, role: TestServer.RoleName): boolean =>
  routes.every((route) => {
    const row = rows.find((one) => one.route === route)
    if (row === undefined) throw new Error(`the table has no ${route}`)
    return row.allowed.includes(role)
  })

const encode = (policy: unknown) => Buffer.from(JSON.stringify(policy)).toString("base64")

let server: TestServer.TestServer
let bucket: string
let bucketId: string
let otherId: string
let tenantId: string
let admin: S3Server.S3Token

const sendForm = async ({ accessKeyId, secretAccessKey }: S3Server.Credentials, { bucket: name, key }: Subject) => {
  const expiration = new Date(Date.now() + 3_600_000).toISOString()
  const policy = encode({ expiration, conditions: [{ bucket: name }, { key }] })
  const signature = createHmac("sha1", secretAccessKey).update(policy).digest("base64")
  const form = new FormData()
  for (const [field, value] of Object.entries({ key, AWSAccessKeyId: accessKeyId, policy, signature }))
    form.append(field, value)
  form.append("file", new Blob(["x"]), "x")
  return fetch(`${server.url}/s3/${name}`, { method: "POST", body: form })
}

/** Returns the code of an error, also of one in the list of a successful answer; otherwise the status. */
const codeOf = async (answer: Response): Promise<number | string> =>
  /<Code>(\w+)<\/Code>/.exec(await answer.text())?.[1] ?? answer.status

const send = async (
  { isForm = false, request, target }: Pick<Operation, "isForm" | "request" | "target">,
  token: S3Server.Credentials,
  subject: Subject
): Promise<number | string> => {
  if (isForm) return codeOf(await sendForm(token, subject))
  const { body, headers = {}, method, path } = request(subject)
  const address = `${server.url}/s3/${target === "service" ? "" : subject.bucket}${path}`
  const signed = Sign.sign(address, token, { method, headers })
  return codeOf(await fetch(signed.url, { method, headers: { ...headers, ...signed.headers }, body: body ?? null }))
}

/** Whether a request needs an open upload. */
const needsUpload = ({ path }: Request): boolean => path.includes("uploadId=")

/** Creates an object, with an open upload of its key where a request needs one. */
const makeSubject = async (folder: string, withUpload: boolean): Promise<Subject> => {
  const key = `${folder}/object-${++serial}`
  const plain = { bucket, key, uploadId: "" }
  expect(await send({ request: ofKey("PUT", "", { body: "old" }) }, admin, plain)).toBe(200)
  if (!withUpload) return plain
  const { headers, url } = Sign.sign(`${server.url}/s3/${bucket}/${key}?uploads`, admin, { method: "POST" })
  const created = await (await fetch(url, { method: "POST", headers })).text()
  return { ...plain, uploadId: /<UploadId>(.*?)</.exec(created)?.[1] ?? "" }
}

const shared = { in: { bucket: "", key: "", uploadId: "" }, out: { bucket: "", key: "", uploadId: "" } }

/** Returns the subject of a request that is permitted: a new one for a request that changes it. */
const subjectFor = ({ request, target }: Operation): Subject | Promise<Subject> => {
  const sent = request(shared.in)
  const changesIt = target === undefined && sent.method !== "GET" && sent.method !== "HEAD"
  return changesIt ? makeSubject("in", needsUpload(sent)) : shared.in
}

beforeAll(async () => {
  server = await TestServer.start({ blobs: MemoryBlobStore.layer, settings: { publicBuckets: true } })
  ;({ bucketId, tenantId } = await server.makeBucket())
  ;({ bucketId: otherId } = await server.makeBucket(tenantId))
  bucket = `roles-${Date.now()}`
  await server.patch(`/tenants/${tenantId}/buckets/${bucketId}`, { json: { name: bucket } })
  admin = await S3Server.makeToken(server, tenantId)
  shared.in = await makeSubject("in", true)
  shared.out = await makeSubject("out", true)
})
afterAll(() => server.close())

it("table → exactly the operations of the S3 API", () => {
  expect(table.map(({ name }) => name).toSorted()).toEqual(operations.map(({ name }) => name).toSorted())
})

describe.each(roles)("%s", (role) => {
  let token: S3Server.S3Token
  let ofFolder: S3Server.S3Token
  let ofOtherBucket: S3Server.S3Token
  beforeAll(async () => {
    const inFolder = { bucketIds: [bucketId], pathPrefix: "/in/" }
    ;[token, ofFolder, ofOtherBucket] = await Promise.all([
      S3Server.makeToken(server, tenantId, { role }),
      S3Server.makeToken(server, tenantId, { role, scope: inFolder }),
      S3Server.makeToken(server, tenantId, { role, scope: { bucketIds: [otherId] } })
    ])
  })

  it.each(table)("$name → as the operations of the HTTP API", async (operation) => {
    // An answer to HEAD has no code.
    const denied = operation.name.startsWith("Head") ? 403 : "AccessDenied"
    const missing = operation.name.startsWith("Head") ? 404 : "NoSuchBucket"
    const allowed = isAllowed(operation, role)
    const check = async (credentials: S3Server.S3Token) => {
      const subject = allowed ? await subjectFor(operation) : shared.in
      expect(await send(operation, credentials, subject)).toBe(allowed ? operation.answer : denied)
    }
    const checks = [check(token)]
    if (operation.target === undefined) checks.push(check(ofFolder))
    await Promise.all(checks)
    // What is refused changes nothing.
    if (operation.target === undefined && operation.routes.length > 0) {
      expect([denied, "NoSuchUpload"]).toContain(await send(operation, ofFolder, shared.out))
    }
    if (operation.target !== "service" && operation.name !== "CreateBucket") {
      expect(await send(operation, ofOtherBucket, shared.in)).toBe(missing)
    }
  })
})

it("credentials: of another tenant, ended, none → the bucket does not exist, not known, AccessDenied", async () => {
  const foreign = await S3Server.makeToken(server, (await server.makeTenant()).tenantId)
  const ended = await S3Server.makeToken(server, tenantId)
  await server.delete(`/tenants/${tenantId}/tokens/${ended.tokenId}/s3-credentials`)
  const subject = shared.in
  for (const operation of table) {
    const isHead = operation.name.startsWith("Head")
    if (operation.target !== "service" && operation.name !== "CreateBucket") {
      expect([operation.name, await send(operation, foreign, subject)]).toEqual([
        operation.name,
        isHead ? 404 : "NoSuchBucket"
      ])
    }
    expect([operation.name, await send(operation, ended, subject)]).toEqual([
      operation.name,
      isHead ? 403 : "InvalidAccessKeyId"
    ])
    if (operation.isForm === true) continue
    const { body, headers = {}, method, path } = operation.request(subject)
    const address = `${server.url}/s3/${operation.target === "service" ? "" : subject.bucket}${path}`
    const unsigned = await fetch(address, { method, headers, body: body ?? null })
    expect([operation.name, await codeOf(unsigned)]).toEqual([operation.name, isHead ? 403 : "AccessDenied"])
  }
})

describe("no signature", () => {
  const files = () => `/tenants/${tenantId}/buckets/${openId}/files`
  const unknown = "01890a5d-ac96-774b-bcce-b302099a8057"
  let openId: string
  let openName: string
  let open: Subject
  beforeAll(async () => {
    openName = `open-${Date.now()}`
    const input = { name: openName, visibility: "public" }
    const made = await server.post(`/tenants/${tenantId}/buckets`, { json: input })
    openId = ((await made.json()) as { readonly id: string }).id
    open = { bucket: `${tenantId}.${openId}`, key: "in/a ü.txt", uploadId: shared.in.uploadId }
    const headers = [
      { name: "cache-control", value: "public, max-age=60" },
      { name: "content-disposition", value: "attachment" }
    ]
    const file = { path: "/in/", name: "a ü.txt", metadata: { secret: "no" }, headers }
    await server.makeFile({ tenantId, bucketId: openId }, "0123456789", file)
  })

  const fetchAt = (name: string, path: string, init: RequestInit = {}) => fetch(`${server.url}/s3/${name}${path}`, init)

  it.each(table)("$name in a public bucket → read by GetObject and HeadObject alone", async (operation) => {
    if (operation.isForm === true) return expect(await codeOf(await sendForm(admin, open))).not.toBe(204)
    const isRead = operation.name === "GetObject" || operation.name === "HeadObject"
    const { body, headers = {}, method, path } = operation.request(open)
    const target = operation.target === "service" ? "" : open.bucket
    const answer = await fetchAt(target, path, { method, headers, body: body ?? null })
    expect(answer.status).toBe(isRead ? 200 : 403)
    if (method !== "HEAD") expect(await codeOf(answer)).toBe(isRead ? 200 : "AccessDenied")
  })

  it("private, unknown, named otherwise; no object, reserved, no key → one answer", async () => {
    expect((await server.post(files(), { json: { name: "reserved" } })).status).toBe(201)
    const closed = shared.in.key
    const places: ReadonlyArray<readonly [bucket: string, path: string]> = [
      [`${tenantId}.${bucketId}`, `/${closed}`],
      [`${tenantId}.${bucketId}`, "/none"],
      [`${tenantId}.bkt_${unknown}`, `/${closed}`],
      [`ten_${unknown}.${openId}`, `/${open.key}`],
      [`${tenantId}.${openId}.x`, `/${open.key}`],
      [`${tenantId}.none`, `/${open.key}`],
      [openId, `/${open.key}`],
      [openName, `/${open.key}`],
      [bucket, `/${closed}`],
      [open.bucket, "/none"],
      [open.bucket, "/reserved"],
      [open.bucket, "/a//b"],
      [open.bucket, "/in/"],
      [open.bucket, ""],
      [open.bucket, "?list-type=2"],
      [open.bucket, `/${open.key}?response-content-type=text/html`],
      [open.bucket, `/${open.key}?acl`]
    ]
    const bodies = new Set<string>()
    for (const [name, path] of places) {
      const answer = await fetchAt(name, path)
      bodies.add((await answer.text()).replace(/<Resource>.*<\/Resource>|<RequestId>.*<\/RequestId>/g, ""))
      expect([name, path, answer.status]).toEqual([name, path, 403])
      const head = await fetchAt(name, path, { method: "HEAD" })
      expect([name, path, head.status, await head.text()]).toEqual([name, path, 403, ""])
    }
    expect([...bodies].map((body) => /<Code>(\w+)/.exec(body)?.[1])).toEqual(["AccessDenied"])
  })

  it("range, part, If-None-Match → as with a signature; metadata → not sent; caches may store it", async () => {
    const at = `/${open.key}`
    const whole = await fetchAt(open.bucket, at)
    expect(await whole.text()).toBe("0123456789")
    const names = ["cache-control", "content-disposition", "vary", "x-amz-meta-secret", "x-content-type-options"]
    expect(names.map((name) => whole.headers.get(name))).toEqual([
      "public, max-age=60",
      "attachment",
      "Authorization",
      null,
      "nosniff"
    ])
    const range = await fetchAt(open.bucket, at, { headers: { range: "bytes=2-4" } })
    expect([range.status, await range.text()]).toEqual([206, "234"])
    expect((await fetchAt(open.bucket, `${at}?partNumber=1`)).status).toBe(206)
    const etag = whole.headers.get("etag") ?? ""
    expect((await fetchAt(open.bucket, at, { headers: { "if-none-match": etag } })).status).toBe(304)
    const head = await fetchAt(open.bucket, at, { method: "HEAD" })
    expect([head.headers.get("content-length"), head.headers.get("cache-control")]).toEqual([
      "10",
      "public, max-age=60"
    ])
  })

  it("visibility changed → the next request", async () => {
    const change = (visibility: string) =>
      server.patch(`/tenants/${tenantId}/buckets/${openId}`, { json: { visibility } })
    await change("private")
    expect((await fetchAt(open.bucket, `/${open.key}`)).status).toBe(403)
    await change("public")
    expect((await fetchAt(open.bucket, `/${open.key}`)).status).toBe(200)
  })
})
