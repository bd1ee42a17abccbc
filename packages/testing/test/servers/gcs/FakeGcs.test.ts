import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createHash, createSign, generateKeyPairSync } from "node:crypto"
import * as Generate from "../../../src/data/Generate.ts"
import * as FakeGcs from "../../../src/servers/gcs/FakeGcs.ts"

const unit = 256 * 1024

const md5 = (bytes: Uint8Array): string => createHash("md5").update(bytes).digest("base64")

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

interface Document {
  readonly client_email: string
  readonly private_key: string
  readonly token_uri: string
}

const parse = (credentials: Redacted.Redacted): Document => JSON.parse(Redacted.value(credentials)) as Document

const assertion = ({ client_email, private_key, token_uri }: Document): string => {
  const iat = Math.floor(Date.now() / 1000)
  const scope = "https://www.googleapis.com/auth/devstorage.read_write"
  const claims = { iss: client_email, aud: token_uri, scope, iat, exp: iat + 3600 }
  const signed = `${part({ alg: "RS256", typ: "JWT" })}.${part(claims)}`
  return `${signed}.${createSign("RSA-SHA256").update(signed).sign(private_key, "base64url")}`
}

/** Exchanges an assertion of an account for a token. */
const requestToken = (document: Document) =>
  fetch(document.token_uri, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      assertion: assertion(document)
    })
  })

/** Makes an empty bucket, and a client of the API with a token of an account. */
const open = (account: "credentials" | "unprivilegedCredentials" = "credentials") =>
  Effect.gen(function* () {
    const fake = yield* FakeGcs.FakeGcs
    yield* fake.createBucket("bucket")
    const { access_token } = yield* Effect.promise(
      async () => (await requestToken(parse(fake[account])).then((answer) => answer.json())) as { access_token: string }
    )
    const send = (method: string, path: string, body?: Uint8Array | string, headers: Record<string, string> = {}) =>
      Effect.promise(async () => {
        const url = path.startsWith("http") ? path : fake.endpoint + path
        const authorization = `Bearer ${access_token}`
        const answer = await fetch(url, {
          method,
          headers: { authorization, ...headers },
          redirect: "manual",
          ...(body === undefined ? {} : { body: Buffer.from(body) })
        })
        const bytes = Buffer.from(await answer.arrayBuffer())
        const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true
        const json = isJson ? (JSON.parse(bytes.toString()) as Record<string, unknown>) : {}
        return { status: answer.status, headers: answer.headers, bytes, json }
      })
    const put = (name: string, bytes: Uint8Array | string = "x", query = "") =>
      send("POST", `/upload/storage/v1/b/bucket/o?uploadType=media&name=${encodeURIComponent(name)}${query}`, bytes)
    const begin = (resource: object, query = "") =>
      Effect.map(
        send("POST", `/upload/storage/v1/b/bucket/o?uploadType=resumable${query}`, JSON.stringify(resource)),
        ({ headers }) => headers.get("location") ?? ""
      )
    return { ...fake, send, put, begin }
  })

const object = (name: string, query = "") => `/storage/v1/b/bucket/o/${encodeURIComponent(name)}${query}`

const errorOf = ({ json }: { readonly json: Record<string, unknown> }) =>
  (json["error"] as { readonly code: number; readonly message: string; readonly errors: ReadonlyArray<object> }) ?? {}

layer(FakeGcs.layer, { excludeTestServices: true })("FakeGcs", (it) => {
  it.effect("token endpoint: assertion signed with another key, or of an unknown account → 400", () =>
    Effect.gen(function* () {
      const { credentials } = yield* FakeGcs.FakeGcs
      const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
      const wrong = {
        ...parse(credentials),
        private_key: privateKey.export({ type: "pkcs8", format: "pem" }).toString()
      }
      const answer = yield* Effect.promise(() => requestToken(wrong))
      assert.strictEqual(answer.status, 400)
      assert.deepStrictEqual(yield* Effect.promise(() => answer.json()), {
        error: "invalid_grant",
        error_description: "Invalid JWT Signature."
      })
      const unknown = { ...parse(credentials), client_email: "unknown@testing.iam.gserviceaccount.com" }
      assert.strictEqual((yield* Effect.promise(() => requestToken(unknown))).status, 400)
    })
  )

  it.effect("request: no token, unknown or revoked token → 401, account without permissions → 403", () =>
    Effect.gen(function* () {
      const { put, revokeTokens, send } = yield* open()
      yield* put("a")
      const statuses = yield* Effect.all([
        send("GET", object("a")),
        send("GET", object("a"), undefined, { authorization: "" }),
        send("GET", object("a"), undefined, { authorization: "Bearer unknown" }),
        Effect.flatMap(open("unprivilegedCredentials"), ({ send }) => send("GET", object("a")))
      ])
      assert.deepStrictEqual(
        statuses.map(({ status }) => status),
        [200, 401, 401, 403]
      )
      yield* revokeTokens
      assert.strictEqual((yield* send("GET", object("a"))).status, 401)
    })
  )

  it.effect("GET: resource with 64-bit numbers as strings, and both checksums", () =>
    Effect.gen(function* () {
      const { put, send } = yield* open()
      yield* put("a/b c?.txt", "123456789")
      const { json, status } = yield* send("GET", object("a/b c?.txt"))
      assert.strictEqual(status, 200)
      assert.include(json, {
        name: "a/b c?.txt",
        size: "9",
        metageneration: "1",
        md5Hash: md5(Buffer.from("123456789"))
      })
      // The check value of CRC-32C.
      assert.strictEqual(json["crc32c"], Buffer.from("e3069283", "hex").toString("base64"))
      assert.match(String(json["generation"]), /^\d{16}$/)
    })
  )

  it.effect("GET alt=media: bytes and ranges, with generation and checksums in headers", () =>
    Effect.gen(function* () {
      const { put, send } = yield* open()
      const bytes = Generate.bytes(1, 1000)
      yield* put("a", bytes)
      const all = yield* send("GET", object("a", "?alt=media"))
      assert.isTrue(all.bytes.equals(bytes))
      assert.include(all.headers.get("x-goog-hash") ?? "", `md5=${md5(bytes)}`)
      for (const [range, first, end] of [
        ["bytes=0-0", 0, 1],
        ["bytes=10-19", 10, 20],
        ["bytes=990-5000", 990, 1000],
        ["bytes=990-", 990, 1000],
        ["bytes=-10", 990, 1000]
      ] as const) {
        const { bytes: some, headers, status } = yield* send("GET", object("a", "?alt=media"), undefined, { range })
        assert.strictEqual(status, 206)
        assert.isTrue(some.equals(bytes.subarray(first, end)), range)
        assert.strictEqual(headers.get("content-range"), `bytes ${first}-${end - 1}/1000`)
      }
      assert.strictEqual(
        (yield* send("GET", object("a", "?alt=media"), undefined, { range: "bytes=1000-" })).status,
        416
      )
    })
  )

  it.effect("GET: missing object or bucket → 404 with its message", () =>
    Effect.gen(function* () {
      const { send } = yield* open()
      const missing = yield* send("GET", object("nothing"))
      assert.strictEqual(missing.status, 404)
      assert.deepStrictEqual(errorOf(missing), {
        code: 404,
        message: "No such object: bucket/nothing",
        errors: [{ message: "No such object: bucket/nothing", domain: "global", reason: "notFound" }]
      })
      const noBucket = yield* send("GET", "/storage/v1/b/missing/o/a")
      assert.include(errorOf(noBucket), { message: "The specified bucket does not exist." })
      assert.strictEqual((yield* send("GET", "/storage/v1/b/missing")).status, 404)
      assert.strictEqual((yield* send("GET", "/storage/v1/b/bucket")).status, 200)
      const plain = yield* send("GET", object("nothing", "?alt=media"))
      assert.strictEqual(plain.bytes.toString(), "No such object: bucket/nothing")
    })
  )

  it.effect("multipart upload: object stored; wrong checksum or invalid name → 400", () =>
    Effect.gen(function* () {
      const { send } = yield* open()
      const bytes = Generate.bytes(2, 10_000)
      const insert = (resource: object) =>
        send(
          "POST",
          "/upload/storage/v1/b/bucket/o?uploadType=multipart",
          Buffer.concat([
            Buffer.from(`--xyz\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(resource)}`),
            Buffer.from("\r\n--xyz\r\nContent-Type: image/png\r\n\r\n"),
            bytes,
            Buffer.from("\r\n--xyz--\r\n")
          ]),
          { "content-type": "multipart/related; boundary=xyz" }
        )
      const good = yield* insert({ name: "whole", md5Hash: md5(bytes), metadata: { a: "1" } })
      assert.strictEqual(good.status, 200)
      assert.deepInclude(good.json, { contentType: "image/png", size: "10000", metadata: { a: "1" } })
      for (const wrong of [{ md5Hash: md5(Buffer.from("other")) }, { crc32c: "AAAAAA==" }]) {
        assert.strictEqual((yield* insert({ name: "damaged", ...wrong })).status, 400)
      }
      assert.strictEqual((yield* send("GET", object("damaged"))).status, 404)
      for (const name of ["", ".", "..", "a\nb", "n".repeat(1025)]) {
        assert.strictEqual((yield* insert({ name })).status, 400, name)
      }
    })
  )

  it.effect("resumable upload: object visible after its last request, and not before", () =>
    Effect.gen(function* () {
      const { begin, pendingUploads, send } = yield* open()
      const bytes = Generate.bytes(3, 2 * unit + 100)
      const uri = yield* begin({ name: "large", contentType: "video/mp4" })
      const first = yield* send("PUT", uri, bytes.subarray(0, unit + 10), { "content-range": `bytes 0-${unit + 9}/*` })
      // The service keeps whole units only.
      assert.deepStrictEqual([first.status, first.headers.get("range")], [308, `bytes=0-${unit - 1}`])
      const asked = yield* send("PUT", uri, undefined, { "content-range": "bytes */*" })
      assert.deepStrictEqual([asked.status, asked.headers.get("range")], [308, `bytes=0-${unit - 1}`])
      assert.deepStrictEqual(yield* pendingUploads("bucket"), ["large"])
      assert.strictEqual((yield* send("GET", object("large"))).status, 404)
      const gap = yield* send("PUT", uri, bytes.subarray(2 * unit), {
        "content-range": `bytes ${2 * unit}-${bytes.byteLength - 1}/*`
      })
      assert.strictEqual(gap.status, 400)
      const last = yield* send("PUT", uri, bytes.subarray(unit), {
        "content-range": `bytes ${unit}-${bytes.byteLength - 1}/${bytes.byteLength}`,
        "x-goog-hash": `md5=${md5(bytes)}`
      })
      assert.deepInclude(last.json, { size: String(bytes.byteLength), contentType: "video/mp4", md5Hash: md5(bytes) })
      const again = yield* send("PUT", uri, undefined, { "content-range": `bytes */${bytes.byteLength}` })
      assert.deepStrictEqual([again.status, again.json["generation"]], [200, last.json["generation"]])
      assert.isTrue((yield* send("GET", object("large", "?alt=media"))).bytes.equals(bytes))
      assert.deepStrictEqual(yield* pendingUploads("bucket"), [])
    })
  )

  it.effect("resumable upload: wrong checksum → 400; cancelled → 499, then 410", () =>
    Effect.gen(function* () {
      const { begin, pendingUploads, send } = yield* open()
      const damaged = yield* begin({ name: "damaged" })
      const headers = { "content-range": "bytes 0-2/3", "x-goog-hash": `crc32c=AAAAAA==` }
      assert.strictEqual((yield* send("PUT", damaged, "abc", headers)).status, 400)
      assert.strictEqual((yield* send("GET", object("damaged"))).status, 404)
      const cancelled = yield* begin({ name: "cancelled" })
      assert.strictEqual((yield* send("DELETE", cancelled)).status, 499)
      assert.strictEqual((yield* send("PUT", cancelled, "abc", { "content-range": "bytes 0-2/3" })).status, 410)
      assert.strictEqual((yield* send("PUT", `${cancelled}x`, "abc")).status, 404)
      assert.deepStrictEqual(yield* pendingUploads("bucket"), [])
    })
  )

  it.effect("preconditions: not met → 412, when an upload begins, when it ends, and for other requests", () =>
    Effect.gen(function* () {
      const { begin, put, send } = yield* open()
      const { json } = yield* put("a", "one", "&ifGenerationMatch=0")
      assert.strictEqual((yield* put("a", "two", "&ifGenerationMatch=0")).status, 412)
      const uri = yield* begin({ name: "a" }, `&ifGenerationMatch=${String(json["generation"])}`)
      const second = yield* put("a", "two", `&ifGenerationMatch=${String(json["generation"])}`)
      assert.strictEqual(second.status, 200)
      assert.isAbove(Number(second.json["generation"]), Number(json["generation"]))
      assert.strictEqual((yield* send("PUT", uri, "abc", { "content-range": "bytes 0-2/3" })).status, 412)
      assert.strictEqual((yield* send("GET", object("a", `?generation=${String(json["generation"])}`))).status, 404)
      const patched = yield* send("PATCH", object("a", "?ifMetagenerationMatch=1"), '{"cacheControl":"no-store"}')
      assert.deepStrictEqual([patched.json["metageneration"], patched.json["cacheControl"]], ["2", "no-store"])
      assert.strictEqual((yield* send("PATCH", object("a", "?ifMetagenerationMatch=1"), "{}")).status, 412)
      assert.strictEqual((yield* send("DELETE", object("a", "?ifGenerationNotMatch=0"))).status, 204)
      assert.strictEqual((yield* send("DELETE", object("a"))).status, 404)
    })
  )

  it.effect("PATCH: named fields change, null removes, absent fields stay", () =>
    Effect.gen(function* () {
      const { put, send } = yield* open()
      yield* put("a")
      const patch = (resource: object) => send("PATCH", object("a"), JSON.stringify(resource))
      yield* patch({ cacheControl: "no-store", contentLanguage: "de", metadata: { a: "1", b: "2" } })
      const { json } = yield* patch({ contentLanguage: null, metadata: { a: null, c: "3" } })
      assert.deepInclude(json, { cacheControl: "no-store", metadata: { b: "2", c: "3" } })
      assert.notProperty(json, "contentLanguage")
      assert.strictEqual((yield* patch({ metadata: { large: "x".repeat(9000) } })).status, 400)
    })
  )

  it.effect("list: pages in the order of bytes, names grouped by a delimiter", () =>
    Effect.gen(function* () {
      const { createBucket, put, send } = yield* open()
      yield* createBucket("bucket")
      const names = ["b", "a/2", "a/1", "a/x/1", "ü", "z", "a!"]
      yield* Effect.forEach(names, (name) => put(name))
      const pages = Effect.fnUntraced(function* (query: string) {
        const listed: Array<string> = []
        let token: unknown
        do {
          const next = token === undefined ? "" : `&pageToken=${encodeURIComponent(String(token))}`
          const { json } = yield* send("GET", `/storage/v1/b/bucket/o?${query}${next}`)
          listed.push(...((json["items"] ?? []) as ReadonlyArray<{ name: string }>).map(({ name }) => name))
          listed.push(...((json["prefixes"] ?? []) as ReadonlyArray<string>).map((prefix) => `${prefix}…`))
          token = json["nextPageToken"]
        } while (token !== undefined)
        return listed
      })
      const sorted = ["a!", "a/1", "a/2", "a/x/1", "b", "z", "ü"]
      assert.deepStrictEqual(yield* pages("maxResults=2"), sorted)
      assert.deepStrictEqual(yield* pages(""), sorted)
      assert.deepStrictEqual(yield* pages("prefix=a/&maxResults=1&delimiter=/"), ["a/1", "a/2", "a/x/…"])
      assert.deepStrictEqual((yield* pages("delimiter=/")).toSorted(), ["a!", "a/…", "b", "z", "ü"].toSorted())
    })
  )

  it.effect("rewrite: maxBytesRewrittenPerCall → as many calls, object visible after the last one", () =>
    Effect.gen(function* () {
      const { put, send } = yield* open()
      const bytes = Generate.bytes(4, 2 * 1024 * 1024 + 5)
      yield* put("from", bytes)
      const path = `${object("from")}/rewriteTo/b/bucket/o/to?maxBytesRewrittenPerCall=${1024 * 1024}`
      const first = yield* send("POST", path)
      assert.include(first.json, { done: false, totalBytesRewritten: "1048576", objectSize: String(bytes.byteLength) })
      const second = yield* send("POST", `${path}&rewriteToken=${String(first.json["rewriteToken"])}`)
      assert.strictEqual((yield* send("GET", object("to"))).status, 404)
      const third = yield* send("POST", `${path}&rewriteToken=${String(second.json["rewriteToken"])}`)
      assert.deepInclude(third.json, { done: true })
      assert.isTrue((yield* send("GET", object("to", "?alt=media"))).bytes.equals(bytes))
      assert.strictEqual((yield* send("POST", `${path}&rewriteToken=unknown`)).status, 400)
    })
  )

  it.effect("injectFault, stop, start: requests fail as injected, and succeed after start", () =>
    Effect.gen(function* () {
      const { injectFault, put, send, start, stop } = yield* open()
      yield* put("a", Generate.bytes(5, 100_000))
      yield* injectFault({ fault: { kind: "refuse", status: 503 }, match: /^GET .*alt=media/, times: 2 })
      assert.strictEqual((yield* send("GET", object("a"))).status, 200)
      assert.strictEqual((yield* send("GET", object("a", "?alt=media"))).status, 503)
      assert.strictEqual((yield* send("GET", object("a", "?alt=media"))).status, 503)
      assert.strictEqual((yield* send("GET", object("a", "?alt=media"))).status, 200)
      yield* injectFault({ fault: { kind: "cutResponse", after: 1000 } })
      assert.strictEqual((yield* Effect.exit(send("GET", object("a", "?alt=media"))))._tag, "Failure")
      yield* injectFault({ fault: { kind: "cutRequest", after: 10 } })
      assert.strictEqual((yield* Effect.exit(put("b", Generate.bytes(6, 100_000))))._tag, "Failure")
      assert.strictEqual((yield* send("GET", object("b"))).status, 404)
      yield* injectFault({ fault: { kind: "cutResponse", after: 0 } })
      assert.strictEqual((yield* Effect.exit(put("c")))._tag, "Failure")
      assert.strictEqual((yield* send("GET", object("c"))).status, 200)
      yield* stop
      assert.strictEqual((yield* Effect.exit(send("GET", object("a"))))._tag, "Failure")
      yield* start
      assert.strictEqual((yield* send("GET", object("a"))).status, 200)
    })
  )
})
