import { assert, describe, it } from "@effect/vitest"
import type { MirrorObject } from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as AddressRefused from "@holdfast/outbound/AddressRefused"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as S3MirrorTarget from "../src/S3MirrorTarget.ts"
import * as Service from "./support/Service.ts"

const mebibyte = 1024 * 1024

const bytes = Generate.bytes(1, 10)

const object: MirrorObject = {
  name: "folder/a b.txt",
  size: 10,
  sha256: Generate.sha256(bytes),
  description: { contentType: "text/plain", metadata: {} }
}

const changed = "Wed, 21 Oct 2026 07:28:00 GMT"

/** Answers as a healthy service does, with objects of so many bytes. */
const healthy =
  (size: number) =>
  ({ method }: Service.Received): Record<string, string | number> =>
    method === "HEAD" ? { "content-length": size, etag: '"abc"', "last-modified": changed } : { etag: '"abc"' }

describe("S3MirrorTarget on a service that errs", () => {
  it.live.each([
    [404, "NoSuchBucket", "NotFound"],
    [301, "PermanentRedirect", "NotFound"],
    [400, "InvalidBucketName", "NotFound"],
    [403, "AccessDenied", "Denied"],
    [403, "InvalidAccessKeyId", "Denied"],
    [403, "SignatureDoesNotMatch", "Denied"],
    [401, "Unauthorized", "Denied"],
    [400, "AuthorizationHeaderMalformed", "Denied"],
    [400, "ExpiredToken", "Denied"],
    [403, "QuotaExceeded", "Full"],
    [507, "InsufficientStorage", "Full"],
    [400, "EntityTooLarge", "Invalid"],
    [400, "KeyTooLongError", "Invalid"],
    [400, "MetadataTooLarge", "Invalid"],
    [400, "BadDigest", "Damaged"],
    [403, "RequestTimeTooSkewed", "Unavailable"],
    [409, "OperationAborted", "Unavailable"],
    [429, "TooManyRequests", "Unavailable"],
    [500, "InternalError", "Unavailable"],
    [503, "SlowDown", "Unavailable"],
    [400, "InvalidRequest", "Internal"],
    [501, "NotImplemented", "Internal"]
  ] as const)("tells %i %s as %s, in the service's words", ([status, code, reason]) =>
    Effect.gen(function* () {
      const { target } = yield* Service.openMirror(Service.refuse(status, code, "No way"))
      const error = yield* Effect.flip(target.write(object, Stream.make(bytes)))
      assert.deepStrictEqual(
        [error.reason, error.operation, error.detail],
        [reason, "write", `No way (${code}, status ${status})`]
      )
      const listing = yield* Effect.flip(Stream.runDrain(target.list))
      assert.deepStrictEqual([listing.reason, listing.operation], [reason, "list"])
    })
  )

  it.live.each([
    [301, "NotFound"],
    [403, "Denied"],
    [400, "Internal"],
    [503, "Unavailable"]
  ] as const)("tells an answer %i without words as %s", ([status, reason]) =>
    Effect.gen(function* () {
      const { target } = yield* Service.openMirror((_request, response) => void response.writeHead(status).end())
      const error = yield* Effect.flip(target.stat("a"))
      assert.deepStrictEqual(
        [error.reason, error.operation, error.detail],
        [reason, "stat", `The service answered with status ${status}.`]
      )
    })
  )

  it.live("tells the name of an error that has no words", () =>
    Effect.gen(function* () {
      const { target } = yield* Service.openMirror(Service.refuse(403, "AccessDenied"))
      const { detail } = yield* Effect.flip(target.write(object, Stream.make(bytes)))
      assert.strictEqual(detail, "The service answered with AccessDenied (status 403).")
    })
  )

  it.live("shortens what a service says, and takes the keys out", () =>
    Effect.gen(function* () {
      const message = `AKIDOFNOBODY\n\u0085with   secret-of-nobody ${"x".repeat(1000)}`
      const { target } = yield* Service.openMirror(Service.refuse(403, "AKIDOFNOBODY", message))
      const { detail } = yield* Effect.flip(target.write(object, Stream.make(bytes)))
      assert.match(detail, /^… with … x+ \(…, status 403\)$/)
      assert.isBelow(detail.length, 350)
    })
  )

  it.live("tells nothing of the address that a name has", () =>
    Effect.gen(function* () {
      const open = S3MirrorTarget.open({ allowPrivate: true, maxAttempts: 1 })
      const target = yield* open({
        type: "S3",
        bucketName: "bucket",
        region: "us-east-1",
        endpoint: "http://localhost:1",
        forcePathStyle: true,
        accessKeyId: "id",
        secretAccessKey: Redacted.make("secret")
      })
      const error = yield* Effect.flip(target.stat("a"))
      assert.strictEqual(error.reason, "Unavailable")
      assert.match(error.detail, /^The service cannot be reached \(\w+\)\.$/)
    })
  )

  it.live.each(["127.0.0.1", "localhost", "[::1]"])("tells that it does not connect to %s, and no more", (host) =>
    Effect.gen(function* () {
      const target = yield* S3MirrorTarget.open({ allowPrivate: false, maxAttempts: 1 })({
        type: "S3",
        bucketName: "bucket",
        region: "us-east-1",
        endpoint: `http://${host}:1`,
        forcePathStyle: true,
        accessKeyId: "id",
        secretAccessKey: Redacted.make("secret")
      })
      const error = yield* Effect.flip(target.stat("a"))
      assert.deepStrictEqual([error.reason, error.detail], ["Refused", AddressRefused.detail])
    })
  )

  it.live.each(["ftp://example.com", "https://user:password@example.com", "example.com", "https://example.com?a"])(
    "refuses the endpoint %s when it is opened",
    (endpoint) =>
      Effect.gen(function* () {
        const opening = S3MirrorTarget.open({ allowPrivate: true })({
          type: "S3",
          bucketName: "bucket",
          region: "us-east-1",
          endpoint,
          accessKeyId: "id",
          secretAccessKey: Redacted.make("secret")
        })
        const error = yield* Effect.flip(opening)
        assert.deepStrictEqual([error.reason, error.operation], ["Refused", "open"])
        assert.notInclude(error.detail, "password@")
      })
  )

  it.live("goes where its mirror says, whatever the environment says of the deployment's own bucket", () =>
    Effect.gen(function* () {
      const { received: elsewhere, target: other } = yield* Service.openMirror(
        (request, response) => void response.writeHead(200, healthy(10)(request)).end()
      )
      yield* other.stat("a")
      const port = elsewhere[0]?.headers.host
      const former = process.env["AWS_ENDPOINT_URL_S3"]
      process.env["AWS_ENDPOINT_URL_S3"] = `http://${port}`
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          if (former === undefined) delete process.env["AWS_ENDPOINT_URL_S3"]
          else process.env["AWS_ENDPOINT_URL_S3"] = former
        })
      )
      // A region that is not there leads to a name that is not there.
      const target = yield* S3MirrorTarget.open({ allowPrivate: true, maxAttempts: 1 })({
        type: "S3",
        bucketName: "bucket",
        region: "nowhere-invalid",
        accessKeyId: "id",
        secretAccessKey: Redacted.make("secret")
      })
      assert.strictEqual((yield* Effect.flip(target.stat("a"))).reason, "Unavailable")
      assert.strictEqual(elsewhere.length, 1)
    })
  )

  it.live("sends a small object's MD5 and description in one request", () =>
    Effect.gen(function* () {
      const { received, seen, target } = yield* Service.openMirror(
        (request, response) => void response.writeHead(200, { ...healthy(10)(request), date: changed }).end()
      )
      const description = {
        contentType: "text/plain",
        cacheControl: "no-store",
        contentLanguage: "",
        metadata: { a: "b" }
      }
      const receipt = yield* target.write({ ...object, description }, Stream.make(bytes))
      // Its clocks may differ by a second.
      assert.deepStrictEqual(receipt, { tag: "abc", lastModified: Date.parse(changed) / 1000 + 1 })
      assert.deepStrictEqual(seen(), ["PUT x-id"])
      assert.strictEqual(received[0]?.url.pathname, "/bucket/folder/a%20b.txt")
      const headers: Service.Received["headers"] = received[0]?.headers ?? {}
      assert.strictEqual(headers["content-md5"]?.length, 24)
      assert.strictEqual(headers["x-amz-content-sha256"], object.sha256)
      assert.deepStrictEqual(
        [headers["content-type"], headers["cache-control"], headers["content-language"], headers["x-amz-meta-a"]],
        ["text/plain", "no-store", undefined, "b"]
      )
      assert.isFalse(Object.keys(headers).some((name) => /^x-amz-(sdk-)?(checksum|trailer)/.test(name)))
    })
  )

  it.live.each([
    ["time", { etag: '"abc"' }],
    ["entity tag", { date: changed }],
    ["entity tag", { date: changed, etag: '""' }]
  ] as const)("asks what stands when the answer to a write tells no %s", ([, answer]) =>
    Effect.gen(function* () {
      const { seen, target } = yield* Service.openMirror((request, response) => {
        response.sendDate = false
        response.writeHead(200, request.method === "PUT" ? answer : healthy(10)(request)).end()
      })
      const receipt = yield* target.write(object, Stream.make(bytes))
      assert.deepStrictEqual(receipt, { tag: "abc", lastModified: Date.parse(changed) / 1000 })
      assert.deepStrictEqual(seen(), ["PUT x-id", "HEAD"])
    })
  )

  it.live("makes parts larger for an object of more than 10,000 of them", () =>
    Effect.gen(function* () {
      const { received, target } = yield* Service.openMirror(({ method, url }, response) => {
        const begun = method === "POST" && url.searchParams.has("uploads")
        const body = begun
          ? "<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>"
          : ""
        response.writeHead(200, { etag: '"abc"' }).end(body)
      })
      const writing = target.write({ ...object, size: 100 * 1024 * mebibyte }, Generate.stream(2, 12 * mebibyte))
      assert.strictEqual((yield* Effect.flip(writing)).reason, "Damaged")
      const sizes = received.filter(({ method }) => method === "PUT").map(({ body }) => body.byteLength)
      // 100 GiB are 10,240 parts of 10 MiB.
      assert.deepStrictEqual(sizes, [11 * mebibyte, mebibyte])
      assert.strictEqual(received.at(-1)?.method, "DELETE")
    })
  )

  it.live("copies what it has seen, and keeps its storage class", () =>
    Effect.gen(function* () {
      const { received, target } = yield* Service.openMirror((request, response) => {
        const kept = request.method === "HEAD" ? { "x-amz-storage-class": "STANDARD_IA" } : {}
        const body = request.method === "PUT" ? "<CopyObjectResult/>" : ""
        response.writeHead(200, { ...healthy(10)(request), ...kept }).end(body)
      })
      yield* target.describe({ ...object, name: "a/100% é+b" })
      const copy = received.find(({ method }) => method === "PUT")
      assert.deepInclude(copy?.headers, {
        "x-amz-copy-source": "bucket/a/100%25%20%C3%A9%2Bb",
        "x-amz-copy-source-if-match": '"abc"',
        "x-amz-metadata-directive": "REPLACE",
        "x-amz-storage-class": "STANDARD_IA",
        "content-type": "text/plain"
      })
    })
  )

  it.live("tells that the service has another number of bytes", () =>
    Effect.gen(function* () {
      const { target } = yield* Service.openMirror((request, response) => {
        response.sendDate = false
        response.writeHead(200, healthy(9)(request)).end()
      })
      const error = yield* Effect.flip(target.write(object, Stream.make(bytes)))
      assert.deepStrictEqual([error.reason, error.detail], ["Damaged", "The service stored 9 bytes instead of 10."])
    })
  )

  it.live.each([
    ["ContentDisposition", { ...object.description, contentDisposition: "attachment; filename=ä" }],
    ["holdfast-file", { ...object.description, metadata: { "holdfast-file": "ä" } }]
  ] as const)("refuses a %s that no header can hold, before it asks", ([field, description]) =>
    Effect.gen(function* () {
      const { received, target } = yield* Service.openMirror(Service.refuse(500, "InternalError"))
      for (const call of [
        target.write({ ...object, description }, Stream.make(bytes)),
        target.describe({ ...object, description })
      ]) {
        const error = yield* Effect.flip(call)
        assert.strictEqual(error.reason, "Invalid")
        assert.include(error.detail, field)
      }
      assert.deepStrictEqual(received, [])
    })
  )

  it.live("reads no more of an answer than it can hold", () =>
    Effect.gen(function* () {
      const { target } = yield* Service.openMirror((_request, response) => {
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024, " ")));
        }
        response.writeHead(200, { "content-type": "application/xml" }).on("drain", more)
        more()
      })
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(target.list))).reason, "Internal")
    })
  )

  it.live("lists what a service does not encode, and leaves out what it does not tell whole", () =>
    Effect.gen(function* () {
      const contents = [
        "<Contents><Key>100% a+b</Key><Size>3</Size><ETag>&quot;e&quot;</ETag></Contents>",
        "<Contents><Key>no size</Key></Contents>"
      ]
      const { target } = yield* Service.openMirror(
        (_request, response) =>
          void response.writeHead(200).end(`<ListBucketResult>${contents.join("")}</ListBucketResult>`)
      )
      assert.deepStrictEqual(yield* Stream.runCollect(target.list), [{ name: "100% a+b", size: 3, tag: "e" }])
    })
  )

  it.live("removes its own object when the check fails after it was written", () =>
    Effect.gen(function* () {
      const { received, target } = yield* Service.openMirror((request, response) => {
        if (request.method === "GET") Service.refuse(403, "AccessDenied", "No listing")(request, response)
        else {
          const size = received.find(({ method }) => method === "PUT")?.body.byteLength ?? 0
          const copy = request.headers["x-amz-copy-source"] !== undefined
          response.writeHead(200, healthy(size)(request)).end(copy ? "<CopyObjectResult/>" : "")
        }
      })
      const error = yield* Effect.flip(target.check)
      assert.deepStrictEqual(
        [error.reason, error.operation, error.detail],
        ["Denied", "check", "No listing (AccessDenied, status 403)"]
      )
      const last = received.at(-1)
      assert.strictEqual(last?.method, "DELETE")
      assert.strictEqual(last?.url.pathname, received[0]?.url.pathname)
      assert.match(last?.url.pathname ?? "", /^\/bucket\/\.holdfast-check-/)
    })
  )

  it.live("check: connection cut before its DELETE → the next check overwrites and removes the same object", () =>
    Effect.gen(function* () {
      let size = 0
      let isCut = true
      const { received, target } = yield* Service.openMirror((request, response) => {
        if (request.method === "DELETE" && isCut) {
          isCut = false
          return void response.destroy()
        }
        const copy = request.headers["x-amz-copy-source"] !== undefined
        if (request.method === "PUT" && !copy) size = request.body.byteLength
        response.writeHead(200, healthy(size)(request))
        response.end(copy ? "<CopyObjectResult/>" : request.method === "GET" ? "<ListBucketResult/>" : "")
      })
      assert.strictEqual((yield* Effect.flip(target.check)).reason, "Unavailable")
      yield* target.check
      const named = (method: string) =>
        new Set(received.filter((request) => request.method === method).map(({ url }) => url.pathname))
      assert.strictEqual(named("PUT").size, 1)
      assert.deepStrictEqual(named("DELETE"), named("PUT"))
    })
  )

  it.live("check: object removed by a concurrent check → written again, and the check succeeds", () =>
    Effect.gen(function* () {
      let size = 0
      let heads = 0
      const { received, target } = yield* Service.openMirror((request, response) => {
        if (request.method === "HEAD" && heads++ === 0) return void response.writeHead(404).end()
        const copy = request.headers["x-amz-copy-source"] !== undefined
        if (request.method === "PUT" && !copy) size = request.body.byteLength
        response.writeHead(200, healthy(size)(request))
        response.end(copy ? "<CopyObjectResult/>" : request.method === "GET" ? "<ListBucketResult/>" : "")
      })
      yield* target.check
      const writes = received.filter(
        ({ headers, method }) => method === "PUT" && headers["x-amz-copy-source"] === undefined
      )
      assert.strictEqual(writes.length, 2)
      assert.strictEqual(received.at(-1)?.method, "DELETE")
    })
  )

  it.live("removes what is not there, also where the service says so", () =>
    Effect.gen(function* () {
      const { target } = yield* Service.openMirror(Service.refuse(404, "NoSuchKey"))
      assert.isUndefined(yield* target.remove("a"))
      assert.isTrue(Option.isNone(yield* target.stat("a")))
    })
  )
})
