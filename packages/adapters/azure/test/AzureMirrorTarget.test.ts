import { assert, describe, it, layer, vi } from "@effect/vitest"
import type { ObjectDescription } from "@holdfast/core/mirrors/targets/ObjectDescription"
import * as AddressRefused from "@holdfast/outbound/AddressRefused"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Objects from "@holdfast/testing/mirrors/contract/Objects"
import * as TestProgram from "@holdfast/testing/processes/TestProgram"
import { requires } from "@holdfast/testing/Requires"
import * as Azurite from "@holdfast/testing/servers/Azurite"
import * as ScriptedServer from "@holdfast/testing/servers/ScriptedServer"
import * as TcpProxy from "@holdfast/testing/servers/TcpProxy"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as AzureMirrorTarget from "../src/AzureMirrorTarget.ts"
import { azureMirrors } from "../src/index.ts"
import * as ScriptedAzure from "./support/ScriptedAzure.ts"
import * as Store from "./support/Store.ts"
import * as Target from "./support/Target.ts"

// The tests start a server. On a busy machine that takes longer than vitest's default timeout.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const mebibyte = 1024 * 1024

const bytes = Generate.bytes(1, 1000)

const another: ObjectDescription = { contentType: "text/plain", cacheControl: "no-cache", metadata: { "meta-a": "b" } }

/** Calls `stat` of a target at an endpoint in a process that has a proxy in its environment. */
const statWithProxy = (endpoint: string, policy: "private" | "public", proxy: string) =>
  TestProgram.run(new URL("programs/stat-with-proxy.ts", import.meta.url), {
    args: [endpoint, policy],
    env: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, http_proxy: proxy }
  })

requires(Azurite.missing).describe("AzureMirrorTarget on Azurite", () =>
  layer(Azurite.layer, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect("describe: the service's checksum of the object is kept", () =>
      Effect.gen(function* () {
        const { container, target } = yield* Target.open
        yield* target.write(Objects.object("a", bytes), Generate.stream(1, 1000))
        const properties = Effect.promise(() => Store.clientOf(container).getBlobClient("a").getProperties())
        const { contentMD5 } = yield* properties
        assert.strictEqual(contentMD5?.byteLength, 16)
        yield* target.describe(Objects.object("a", bytes, another))
        assert.deepStrictEqual((yield* properties).contentMD5, contentMD5)
        assert.deepStrictEqual((yield* properties).metadata, { meta_a: "b" })
      })
    )

    it.effect.each(["snapshot", "lease"] as const)(
      "remove: object with a %s of another program → Invalid, unchanged",
      (kind) =>
        Effect.gen(function* () {
          const { container, target } = yield* Target.open
          yield* target.write(Objects.object("a", bytes), Generate.stream(1, 1000))
          const blob = Store.clientOf(container).getBlobClient("a")
          yield* Effect.promise(() =>
            kind === "lease" ? blob.getBlobLeaseClient().acquireLease(-1) : blob.createSnapshot()
          )
          const error = yield* Effect.flip(target.remove("a"))
          assert.deepStrictEqual([error.reason, error.operation, error.isOfObject], ["Invalid", "remove", true])
          assert.isTrue(Option.isSome(yield* target.stat("a")))
        })
    )

    it.effect("write: connection cut → Unavailable, the former object unchanged; written again → stored", () =>
      Effect.gen(function* () {
        const { container, readBack, target } = yield* Target.open
        yield* Objects.write({ target, readBack }, "a", bytes)
        const proxy = yield* TcpProxy.open(Number(new URL(container.endpoint).port))
        const cutting = yield* Effect.forkChild(proxy.cutAfter(3 * mebibyte), { startImmediately: true })
        const broken = yield* AzureMirrorTarget.open({ ...Target.options, maxAttempts: 1 })({
          ...Target.locationOf(container),
          endpoint: `http://127.0.0.1:${proxy.port}/${container.accountName}`
        })
        const large = Generate.bytes(2, 8 * mebibyte)
        const error = yield* Effect.flip(Objects.write({ target: broken, readBack }, "a", large))
        assert.deepStrictEqual([error.reason, error.operation], ["Unavailable", "write"])
        assert.isDefined(cutting.pollUnsafe())
        yield* Objects.assertObject({ target, readBack }, "a", bytes)
        yield* Objects.write({ target: broken, readBack }, "a", large)
        yield* Objects.assertObject({ target, readBack }, "a", large)
      })
    )

    it.effect("server stops → Unavailable; starts → the object is found", () =>
      Effect.gen(function* () {
        const { readBack, target } = yield* Target.open
        const server = yield* Azurite.Azurite
        yield* Objects.write({ target, readBack }, "a", bytes)
        yield* server.stop
        assert.strictEqual((yield* Effect.flip(target.stat("a"))).reason, "Unavailable")
        yield* server.start
        yield* Objects.assertObject({ target, readBack }, "a", bytes)
      })
    )
  })
)

describe("AzureMirrorTarget", () => {
  it.live("describe: two conditional requests; another change in between → Unavailable, the next call succeeds", () =>
    Effect.gen(function* () {
      let tag = 0
      let isChanged = false
      const { requests, target } = yield* ScriptedAzure.openTarget((request, response) => {
        if (isChanged && request.url.searchParams.get("comp") === "metadata") {
          return ScriptedAzure.sendError(412, "ConditionNotMet")(request, response)
        }
        response.writeHead(200, { etag: `"0x${tag++}"`, "last-modified": new Date(0).toUTCString() }).end()
      })
      const object = Objects.object("a", bytes, another)
      assert.deepStrictEqual(yield* target.describe(object), { tag: "0x2" })
      assert.deepStrictEqual(ScriptedAzure.summarize(requests), ["HEAD", "PUT properties", "PUT metadata"])
      assert.deepStrictEqual(
        requests.map(({ headers }) => headers["if-match"]),
        [undefined, '"0x0"', '"0x1"']
      )
      isChanged = true
      const error = yield* Effect.flip(target.describe(object))
      assert.deepStrictEqual([error.reason, error.operation], ["Unavailable", "describe"])
      isChanged = false
      assert.deepStrictEqual(yield* target.describe(object), { tag: "0x7" })
    })
  )

  it.live("check: listing denied → Denied, and the written object is removed", () =>
    Effect.gen(function* () {
      const { requests, target } = yield* ScriptedAzure.openTarget((request, response) => {
        if (request.method === "PUT") ScriptedAzure.sendCreated(response)
        else if (request.method === "DELETE") response.writeHead(202).end()
        else ScriptedAzure.sendError(403, "AuthorizationPermissionMismatch")(request, response)
      })
      const error = yield* Effect.flip(target.check)
      assert.deepStrictEqual([error.reason, error.operation], ["Denied", "check"])
      assert.match(error.detail, /\(AuthorizationPermissionMismatch\)$/)
      assert.deepStrictEqual(ScriptedAzure.summarize(requests), ["PUT", "GET list", "DELETE"])
      assert.match(requests[0]?.url.pathname ?? "", /^\/container\/\.holdfast-check-/)
      assert.strictEqual(requests[0]?.url.pathname, requests[2]?.url.pathname)
    })
  )

  it.live("check: connection cut before its DELETE → the next check overwrites and removes the same object", () =>
    Effect.gen(function* () {
      let isCut = true
      const { requests, target } = yield* ScriptedAzure.openTarget((request, response) => {
        if (request.method === "PUT") return ScriptedAzure.sendCreated(response)
        if (request.method === "GET") {
          return void response
            .writeHead(200, { "content-type": "application/xml" })
            .end('<EnumerationResults ContainerName="container"><Blobs/><NextMarker/></EnumerationResults>')
        }
        if (!isCut) return void response.writeHead(202).end()
        isCut = false
        response.destroy()
      })
      assert.strictEqual((yield* Effect.flip(target.check)).reason, "Unavailable")
      yield* target.check
      const written = ScriptedServer.paths(requests, "PUT")
      assert.strictEqual(written.size, 1)
      assert.deepStrictEqual(ScriptedServer.paths(requests, "DELETE"), written)
    })
  )

  it.live("write, describe: name, description or size that Azure cannot store → Invalid, without a request", () =>
    Effect.gen(function* () {
      const { requests, target } = yield* ScriptedAzure.openTarget((_request, response) =>
        ScriptedAzure.sendCreated(response)
      )
      const latin: ObjectDescription = { ...another, contentDisposition: 'attachment; filename="naïve"' }
      const refused = [
        Objects.object("a/b.", bytes),
        Objects.object("a", bytes, latin),
        { ...Objects.object("a", bytes), size: 50_001 * mebibyte }
      ]
      for (const object of refused) {
        const error = yield* Effect.flip(target.write(object, Generate.stream(1, 1000)))
        assert.deepStrictEqual([error.reason, error.operation, error.isOfObject], ["Invalid", "write", true])
        assert.notInclude(error.detail, "naïve")
      }
      const error = yield* Effect.flip(target.describe(Objects.object("a", bytes, latin)))
      assert.deepStrictEqual([error.reason, error.operation], ["Invalid", "describe"])
      assert.deepStrictEqual(requests, [])
    })
  )

  it.live("write: service reports a wrong MD5 → Damaged", () =>
    Effect.gen(function* () {
      const { target } = yield* ScriptedAzure.openTarget(ScriptedAzure.sendError(400, "Md5Mismatch"))
      const error = yield* Effect.flip(target.write(Objects.object("a", bytes), Generate.stream(1, 1000)))
      assert.deepStrictEqual([error.reason, error.isOfObject], ["Damaged", true])
    })
  )

  it.live.each([
    [{ accountName: "evil.example/#" }, "NotFound"],
    [{ containerName: "../other" }, "NotFound"],
    [{ endpoint: "ftp://example.com" }, "Internal"],
    [{ endpoint: "http://user:password@example.com" }, "Internal"]
  ] as const)("open: %j → %s", ([wrong, reason]) =>
    Effect.gen(function* () {
      const opening = AzureMirrorTarget.open(Target.options)({
        ...ScriptedAzure.location("http://127.0.0.1:1"),
        endpoint: undefined,
        ...wrong
      })
      const error = yield* Effect.flip(Effect.scoped(opening))
      assert.deepStrictEqual([error.reason, error.operation], [reason, "open"])
      assert.notInclude(error.detail, "password")
    })
  )

  it.live("private address → Refused without a request, unless allowPrivate", () =>
    Effect.gen(function* () {
      const { endpoint, requests } = yield* ScriptedServer.open(ScriptedAzure.sendError(404, "BlobNotFound"))
      const location = ScriptedAzure.location(endpoint)
      const refusing = yield* azureMirrors().targets.AZURE_BLOB(location)
      const error = yield* Effect.flip(refusing.stat("a"))
      assert.deepStrictEqual([error.reason, error.detail], ["Refused", AddressRefused.detail])
      assert.deepStrictEqual(requests, [])
      const allowing = yield* azureMirrors({ allowPrivate: true }).targets.AZURE_BLOB(location)
      assert.isTrue(Option.isNone(yield* allowing.stat("a")))
    })
  )

  it.live("proxies in the environment → not used: they would connect to addresses that are not checked", () =>
    Effect.gen(function* () {
      const service = yield* ScriptedServer.open(ScriptedAzure.sendError(404, "BlobNotFound"))
      const proxy = yield* ScriptedServer.open(ScriptedAzure.sendError(404, "BlobNotFound"))
      const methods = () => service.requests.map(({ method }) => method)
      assert.strictEqual(yield* statWithProxy(service.endpoint, "private", proxy.endpoint), "None")
      assert.deepStrictEqual(methods(), ["HEAD"])
      assert.strictEqual(yield* statWithProxy(service.endpoint, "public", proxy.endpoint), "Refused")
      assert.deepStrictEqual(methods(), ["HEAD"])
      assert.deepStrictEqual(proxy.requests, [])
    })
  )

  it.live("redirect to a private address → not followed", () =>
    Effect.gen(function* () {
      const inside = yield* ScriptedServer.open((_request, response) => ScriptedAzure.sendCreated(response))
      const { requests, target } = yield* ScriptedAzure.openTarget(
        (_request, response) => void response.writeHead(307, { location: inside.endpoint }).end()
      )
      const error = yield* Effect.flip(target.stat("a"))
      assert.deepStrictEqual([error.reason, error.detail.includes("HTTP 307")], ["Internal", true])
      assert.deepStrictEqual([ScriptedAzure.summarize(requests), inside.requests], [["HEAD"], []])
    })
  )
})
