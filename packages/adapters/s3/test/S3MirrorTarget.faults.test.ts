import { assert, describe, it } from "@effect/vitest"
import type { MirrorObject } from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as AddressRefused from "@holdfast/outbound/AddressRefused"
import * as Generate from "@holdfast/testing/data/Generate"
import * as ScriptedServer from "@holdfast/testing/servers/ScriptedServer"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as S3MirrorTarget from "../src/S3MirrorTarget.ts"
import * as ScriptedS3 from "./support/ScriptedS3.ts"

const mebibyte = 1024 * 1024

const bytes = Generate.bytes(1, 10)

const object: MirrorObject = {
  name: "folder/a b.txt",
  size: 10,
  sha256: Generate.sha256(bytes),
  description: { contentType: "text/plain", metadata: {} }
}

/** The date of the object's last change. */
const changed = "Wed, 21 Oct 2026 07:28:00 GMT"

/** Returns the headers of a healthy service's responses, with objects of so many bytes. */
const healthy =
  (size: number) =>
  ({ method }: ScriptedServer.ReceivedRequest): Record<string, string | number> =>
    method === "HEAD" ? { "content-length": size, etag: '"abc"', "last-modified": changed } : { etag: '"abc"' }

describe("S3MirrorTarget on a scripted service", () => {
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
  ] as const)("%i %s → %s, with the service's message", ([status, code, reason]) =>
    Effect.gen(function* () {
      const { target } = yield* ScriptedS3.openTarget(ScriptedS3.sendError(status, code, "No way"))
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
  ] as const)("%i without a body → %s, with the status", ([status, reason]) =>
    Effect.gen(function* () {
      const { target } = yield* ScriptedS3.openTarget((_request, response) => void response.writeHead(status).end())
      const error = yield* Effect.flip(target.stat("a"))
      assert.deepStrictEqual(
        [error.reason, error.operation, error.detail],
        [reason, "stat", `The service answered with status ${status}.`]
      )
    })
  )

  it.live("error without a message → its code", () =>
    Effect.gen(function* () {
      const { target } = yield* ScriptedS3.openTarget(ScriptedS3.sendError(403, "AccessDenied"))
      const { detail } = yield* Effect.flip(target.write(object, Stream.make(bytes)))
      assert.strictEqual(detail, "The service answered with AccessDenied (status 403).")
    })
  )

  it.live("long message with keys → shortened, keys removed", () =>
    Effect.gen(function* () {
      const message = `AKIDOFTESTS\n\u0085with   secret-of-tests ${"x".repeat(1000)}`
      const { target } = yield* ScriptedS3.openTarget(ScriptedS3.sendError(403, "AKIDOFTESTS", message))
      const { detail } = yield* Effect.flip(target.write(object, Stream.make(bytes)))
      assert.match(detail, /^… with … x+ \(…, status 403\)$/)
      assert.isBelow(detail.length, 350)
    })
  )

  it.live("connection refused → Unavailable, without the address that the host resolves to", () =>
    Effect.gen(function* () {
      const open = S3MirrorTarget.open({ allowPrivate: true, maxAttempts: 1 })
      const target = yield* open(ScriptedS3.location("http://localhost:1"))
      const error = yield* Effect.flip(target.stat("a"))
      assert.strictEqual(error.reason, "Unavailable")
      assert.match(error.detail, /^The service cannot be reached \(\w+\)\.$/)
    })
  )

  it.live.each(["127.0.0.1", "localhost", "[::1]"])(
    "private address %s → Refused, with the detail of every adapter",
    (host) =>
      Effect.gen(function* () {
        const open = S3MirrorTarget.open({ allowPrivate: false, maxAttempts: 1 })
        const target = yield* open(ScriptedS3.location(`http://${host}:1`))
        const error = yield* Effect.flip(target.stat("a"))
        assert.deepStrictEqual([error.reason, error.detail], ["Refused", AddressRefused.detail])
      })
  )

  it.live.each(["ftp://example.com", "https://user:password@example.com", "example.com", "https://example.com?a"])(
    "open: endpoint %s → Refused",
    (endpoint) =>
      Effect.gen(function* () {
        const opening = S3MirrorTarget.open({ allowPrivate: true })(ScriptedS3.location(endpoint))
        const error = yield* Effect.flip(opening)
        assert.deepStrictEqual([error.reason, error.operation], ["Refused", "open"])
        assert.notInclude(error.detail, "password@")
      })
  )

  it.live("AWS_ENDPOINT_URL_S3 is set → not used for mirror targets", () =>
    Effect.gen(function* () {
      const { requests: elsewhere, target: other } = yield* ScriptedS3.openTarget(
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
      // A region that does not exist has a host name that does not exist.
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

  it.live("write: small object → one request, with MD5 and description", () =>
    Effect.gen(function* () {
      const { requests, target } = yield* ScriptedS3.openTarget(
        (request, response) => void response.writeHead(200, { ...healthy(10)(request), date: changed }).end()
      )
      const description = {
        contentType: "text/plain",
        cacheControl: "no-store",
        contentLanguage: "",
        metadata: { a: "b" }
      }
      const receipt = yield* target.write({ ...object, description }, Stream.make(bytes))
      // One second later: the clocks of a service may differ by that much.
      assert.deepStrictEqual(receipt, { tag: "abc", lastModified: Date.parse(changed) / 1000 + 1 })
      assert.deepStrictEqual(ScriptedS3.summarize(requests), ["PUT x-id"])
      assert.strictEqual(requests[0]?.url.pathname, "/bucket/folder/a%20b.txt")
      const headers: ScriptedServer.ReceivedRequest["headers"] = requests[0]?.headers ?? {}
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
  ] as const)("write: response without %s → the object is requested", ([, answer]) =>
    Effect.gen(function* () {
      const { requests, target } = yield* ScriptedS3.openTarget((request, response) => {
        response.sendDate = false
        response.writeHead(200, request.method === "PUT" ? answer : healthy(10)(request)).end()
      })
      const receipt = yield* target.write(object, Stream.make(bytes))
      assert.deepStrictEqual(receipt, { tag: "abc", lastModified: Date.parse(changed) / 1000 })
      assert.deepStrictEqual(ScriptedS3.summarize(requests), ["PUT x-id", "HEAD"])
    })
  )

  it.live("write: object of more than 10,000 parts → larger parts", () =>
    Effect.gen(function* () {
      const { requests, target } = yield* ScriptedS3.openTarget(({ method, url }, response) => {
        const isBegin = method === "POST" && url.searchParams.has("uploads")
        const body = isBegin
          ? "<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>"
          : ""
        response.writeHead(200, { etag: '"abc"' }).end(body)
      })
      const writing = target.write({ ...object, size: 100 * 1024 * mebibyte }, Generate.stream(2, 12 * mebibyte))
      assert.strictEqual((yield* Effect.flip(writing)).reason, "Damaged")
      const sizes = requests.filter(({ method }) => method === "PUT").map(({ body }) => body.byteLength)
      // 100 GiB are 10,240 parts of 10 MiB.
      assert.deepStrictEqual(sizes, [11 * mebibyte, mebibyte])
      assert.strictEqual(requests.at(-1)?.method, "DELETE")
    })
  )

  it.live("describe: copies the object that was found, and keeps its storage class", () =>
    Effect.gen(function* () {
      const { requests, target } = yield* ScriptedS3.openTarget((request, response) => {
        const kept = request.method === "HEAD" ? { "x-amz-storage-class": "STANDARD_IA" } : {}
        const body = request.method === "PUT" ? "<CopyObjectResult/>" : ""
        response.writeHead(200, { ...healthy(10)(request), ...kept }).end(body)
      })
      yield* target.describe({ ...object, name: "a/100% é+b" })
      const copy = requests.find(({ method }) => method === "PUT")
      assert.deepInclude(copy?.headers, {
        "x-amz-copy-source": "bucket/a/100%25%20%C3%A9%2Bb",
        "x-amz-copy-source-if-match": '"abc"',
        "x-amz-metadata-directive": "REPLACE",
        "x-amz-storage-class": "STANDARD_IA",
        "content-type": "text/plain"
      })
    })
  )

  it.live("write: service stored another number of bytes → Damaged", () =>
    Effect.gen(function* () {
      const { target } = yield* ScriptedS3.openTarget((request, response) => {
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
  ] as const)("write, describe: %s with non-ASCII characters → Invalid, without a request", ([field, description]) =>
    Effect.gen(function* () {
      const { requests, target } = yield* ScriptedS3.openTarget(ScriptedS3.sendError(500, "InternalError"))
      for (const call of [
        target.write({ ...object, description }, Stream.make(bytes)),
        target.describe({ ...object, description })
      ]) {
        const error = yield* Effect.flip(call)
        assert.strictEqual(error.reason, "Invalid")
        assert.include(error.detail, field)
      }
      assert.deepStrictEqual(requests, [])
    })
  )

  it.live("list: endless response → Internal, not read to its end", () =>
    Effect.gen(function* () {
      const { target } = yield* ScriptedS3.openTarget((_request, response) => {
        const sendMore = () => {
          while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024, " ")));
        }
        response.writeHead(200, { "content-type": "application/xml" }).on("drain", sendMore)
        sendMore()
      })
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(target.list))).reason, "Internal")
    })
  )

  it.live("list: names without encoding → listed; entries without a size → left out", () =>
    Effect.gen(function* () {
      const contents = [
        "<Contents><Key>100% a+b</Key><Size>3</Size><ETag>&quot;e&quot;</ETag></Contents>",
        "<Contents><Key>no size</Key></Contents>"
      ]
      const { target } = yield* ScriptedS3.openTarget(
        (_request, response) =>
          void response.writeHead(200).end(`<ListBucketResult>${contents.join("")}</ListBucketResult>`)
      )
      assert.deepStrictEqual(yield* Stream.runCollect(target.list), [{ name: "100% a+b", size: 3, tag: "e" }])
    })
  )

  it.live("check: listing denied → Denied, and the written object is removed", () =>
    Effect.gen(function* () {
      const { requests, target } = yield* ScriptedS3.openTarget((request, response) => {
        if (request.method === "GET") ScriptedS3.sendError(403, "AccessDenied", "No listing")(request, response)
        else {
          const size = requests.find(({ method }) => method === "PUT")?.body.byteLength ?? 0
          const copy = request.headers["x-amz-copy-source"] !== undefined
          response.writeHead(200, healthy(size)(request)).end(copy ? "<CopyObjectResult/>" : "")
        }
      })
      const error = yield* Effect.flip(target.check)
      assert.deepStrictEqual(
        [error.reason, error.operation, error.detail],
        ["Denied", "check", "No listing (AccessDenied, status 403)"]
      )
      const last = requests.at(-1)
      assert.strictEqual(last?.method, "DELETE")
      assert.strictEqual(last?.url.pathname, requests[0]?.url.pathname)
      assert.match(last?.url.pathname ?? "", /^\/bucket\/\.holdfast-check-/)
    })
  )

  it.live("check: connection cut before its DELETE → the next check overwrites and removes the same object", () =>
    Effect.gen(function* () {
      let size = 0
      let isCut = true
      const { requests, target } = yield* ScriptedS3.openTarget((request, response) => {
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
      const written = ScriptedServer.paths(requests, "PUT")
      assert.strictEqual(written.size, 1)
      assert.deepStrictEqual(ScriptedServer.paths(requests, "DELETE"), written)
    })
  )

  it.live("check: object removed by a concurrent check → written again, and the check succeeds", () =>
    Effect.gen(function* () {
      let size = 0
      let heads = 0
      const { requests, target } = yield* ScriptedS3.openTarget((request, response) => {
        if (request.method === "HEAD" && heads++ === 0) return void response.writeHead(404).end()
        const copy = request.headers["x-amz-copy-source"] !== undefined
        if (request.method === "PUT" && !copy) size = request.body.byteLength
        response.writeHead(200, healthy(size)(request))
        response.end(copy ? "<CopyObjectResult/>" : request.method === "GET" ? "<ListBucketResult/>" : "")
      })
      yield* target.check
      const writes = requests.filter(
        ({ headers, method }) => method === "PUT" && headers["x-amz-copy-source"] === undefined
      )
      assert.strictEqual(writes.length, 2)
      assert.strictEqual(requests.at(-1)?.method, "DELETE")
    })
  )

  it.live("remove, stat: service answers 404 → success, none", () =>
    Effect.gen(function* () {
      const { target } = yield* ScriptedS3.openTarget(ScriptedS3.sendError(404, "NoSuchKey"))
      assert.isUndefined(yield* target.remove("a"))
      assert.isTrue(Option.isNone(yield* target.stat("a")))
    })
  )
})
