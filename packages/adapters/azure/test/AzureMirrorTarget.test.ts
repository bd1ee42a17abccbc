import { assert, describe, it, layer, vi } from "@effect/vitest"
import type { ObjectDescription } from "@holdfast/core/mirrors/targets/ObjectDescription"
import type { AzureBlobLocation } from "@holdfast/core/mirrors/targets/types/AzureBlobTargetType"
import * as AddressRefused from "@holdfast/outbound/AddressRefused"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Objects from "@holdfast/testing/mirrors/contract/Objects"
import { requires } from "@holdfast/testing/Requires"
import * as Azurite from "@holdfast/testing/servers/Azurite"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as AzureMirrorTarget from "../src/AzureMirrorTarget.ts"
import { azureMirrors } from "../src/index.ts"
import * as Container from "./support/Container.ts"
import * as Mirror from "./support/Mirror.ts"
import * as Proxy from "./support/Proxy.ts"
import * as Service from "./support/Service.ts"

// A server is started, which takes a busy machine longer than vitest gives by default.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const mebibyte = 1024 * 1024

const bytes = Generate.bytes(1, 1000)

const another: ObjectDescription = { contentType: "text/plain", cacheControl: "no-cache", metadata: { "meta-a": "b" } }

/** A target at a service that answers as a test says. */
const open = (...args: Parameters<typeof Service.serve>) =>
  Effect.gen(function* () {
    const { account, ...service } = yield* Service.serve(...args)
    const location: AzureBlobLocation = { type: "AZURE_BLOB", containerName: "container", ...account }
    return { target: yield* AzureMirrorTarget.open({ ...Mirror.options, maxAttempts: 1 })(location), ...service }
  })

const location: AzureBlobLocation = {
  type: "AZURE_BLOB",
  containerName: "container",
  ...Service.account
}

/** Runs a program with a proxy in its environment, and nothing that would except this machine from it. */
const run = (program: string, args: ReadonlyArray<string>, proxy: string) =>
  Effect.callback<string, Error>((resume) => {
    const env = { PATH: process.env["PATH"], HTTP_PROXY: proxy, HTTPS_PROXY: proxy, http_proxy: proxy }
    const path = fileURLToPath(new URL(`programs/${program}.ts`, import.meta.url))
    const child = execFile(process.execPath, [path, ...args], { env }, (error, stdout) =>
      resume(error === null ? Effect.succeed(stdout) : Effect.fail(error))
    )
    return Effect.sync(() => child.kill())
  })

requires(Azurite.missing).describe("AzureMirrorTarget on Azurite", () =>
  layer(Azurite.layer, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect("keeps the checksum that the service made of an object, when it is described anew", () =>
      Effect.gen(function* () {
        const { container, target } = yield* Mirror.fresh
        yield* target.write(Objects.object("a", bytes), Generate.stream(1, 1000))
        const properties = Effect.promise(() => Container.client(container).getBlobClient("a").getProperties())
        const { contentMD5 } = yield* properties
        assert.strictEqual(contentMD5?.byteLength, 16)
        yield* target.describe(Objects.object("a", bytes, another))
        assert.deepStrictEqual((yield* properties).contentMD5, contentMD5)
        assert.deepStrictEqual((yield* properties).metadata, { meta_a: "b" })
      })
    )

    it.effect.each(["snapshot", "lease"] as const)("leaves an object alone that somebody holds with a %s", (held) =>
      Effect.gen(function* () {
        const { container, target } = yield* Mirror.fresh
        yield* target.write(Objects.object("a", bytes), Generate.stream(1, 1000))
        const blob = Container.client(container).getBlobClient("a")
        yield* Effect.promise(() =>
          held === "lease" ? blob.getBlobLeaseClient().acquireLease(-1) : blob.createSnapshot()
        )
        const error = yield* Effect.flip(target.remove("a"))
        assert.deepStrictEqual([error.reason, error.operation, error.isOfObject], ["Invalid", "remove", true])
        assert.isTrue(Option.isSome(yield* target.stat("a")))
      })
    )

    it.effect("has nothing left of a write whose line is cut, and writes again", () =>
      Effect.gen(function* () {
        const { container, readBack, target } = yield* Mirror.fresh
        yield* Objects.write({ target, readBack }, "a", bytes)
        const line = yield* Proxy.open(Number(new URL(container.endpoint).port), 3 * mebibyte)
        const broken = yield* AzureMirrorTarget.open({ ...Mirror.options, maxAttempts: 1 })({
          ...Mirror.location(container),
          endpoint: `http://127.0.0.1:${line.port}/${container.accountName}`
        })
        const large = Generate.bytes(2, 8 * mebibyte)
        const error = yield* Effect.flip(Objects.write({ target: broken, readBack }, "a", large))
        assert.deepStrictEqual([error.reason, error.operation], ["Unavailable", "write"])
        assert.isTrue(line.wasCut())
        yield* Objects.assertObject({ target, readBack }, "a", bytes)
        yield* Objects.write({ target: broken, readBack }, "a", large)
        yield* Objects.assertObject({ target, readBack }, "a", large)
      })
    )

    it.effect("does not answer while the server is down, and does again", () =>
      Effect.gen(function* () {
        const { readBack, target } = yield* Mirror.fresh
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
  it.live("describes in two requests that each go for the state before, and tells when somebody was quicker", () =>
    Effect.gen(function* () {
      let tag = 0
      let isOvertaken = false
      const { received, seen, target } = yield* open((request, response) => {
        if (isOvertaken && request.url.searchParams.get("comp") === "metadata") {
          return Service.refuse(412, "ConditionNotMet")(request, response)
        }
        response.writeHead(200, { etag: `"0x${tag++}"`, "last-modified": new Date(0).toUTCString() }).end()
      })
      const object = Objects.object("a", bytes, another)
      assert.deepStrictEqual(yield* target.describe(object), { tag: "0x2" })
      assert.deepStrictEqual(seen(), ["HEAD", "PUT properties", "PUT metadata"])
      assert.deepStrictEqual(
        received.map(({ headers }) => headers["if-match"]),
        [undefined, '"0x0"', '"0x1"']
      )
      isOvertaken = true
      const error = yield* Effect.flip(target.describe(object))
      assert.deepStrictEqual([error.reason, error.operation], ["Unavailable", "describe"])
      isOvertaken = false
      assert.deepStrictEqual(yield* target.describe(object), { tag: "0x7" })
    })
  )

  it.live("removes what its check wrote when it may not list", () =>
    Effect.gen(function* () {
      const { received, seen, target } = yield* open((request, response) => {
        if (request.method === "PUT") Service.created(response)
        else if (request.method === "DELETE") response.writeHead(202).end()
        else Service.refuse(403, "AuthorizationPermissionMismatch")(request, response)
      })
      const error = yield* Effect.flip(target.check)
      assert.deepStrictEqual([error.reason, error.operation], ["Denied", "check"])
      assert.match(error.detail, /\(AuthorizationPermissionMismatch\)$/)
      assert.deepStrictEqual(seen(), ["PUT", "GET list", "DELETE"])
      assert.match(received[0]?.url.pathname ?? "", /^\/container\/\.holdfast-check-/)
      assert.strictEqual(received[0]?.url.pathname, received[2]?.url.pathname)
    })
  )

  it.live("check: connection cut before its DELETE → the next check overwrites and removes the same object", () =>
    Effect.gen(function* () {
      let isCut = true
      const { received, target } = yield* open((request, response) => {
        if (request.method === "PUT") return Service.created(response)
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
      const named = (method: string) =>
        new Set(received.filter((request) => request.method === method).map(({ url }) => url.pathname))
      assert.strictEqual(named("PUT").size, 1)
      assert.deepStrictEqual(named("DELETE"), named("PUT"))
    })
  )

  it.live("asks nobody for what Azure cannot hold", () =>
    Effect.gen(function* () {
      const { seen, target } = yield* open((_request, response) => Service.created(response))
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
      assert.deepStrictEqual(seen(), [])
    })
  )

  it.live("tells bytes that were damaged on their way as such", () =>
    Effect.gen(function* () {
      const { target } = yield* open(Service.refuse(400, "Md5Mismatch"))
      const error = yield* Effect.flip(target.write(Objects.object("a", bytes), Generate.stream(1, 1000)))
      assert.deepStrictEqual([error.reason, error.isOfObject], ["Damaged", true])
    })
  )

  it.live.each([
    [{ accountName: "evil.example/#" }, "NotFound"],
    [{ containerName: "../other" }, "NotFound"],
    [{ endpoint: "ftp://example.com" }, "Internal"],
    [{ endpoint: "http://user:password@example.com" }, "Internal"]
  ] as const)("does not open %j", ([wrong, reason]) =>
    Effect.gen(function* () {
      const opening = AzureMirrorTarget.open(Mirror.options)({ ...location, ...wrong })
      const error = yield* Effect.flip(Effect.scoped(opening))
      assert.deepStrictEqual([error.reason, error.operation], [reason, "open"])
      assert.notInclude(error.detail, "password")
    })
  )

  it.live("connects to public addresses alone unless it is told otherwise", () =>
    Effect.gen(function* () {
      const { account, seen } = yield* Service.serve(Service.refuse(404, "BlobNotFound"))
      const inside = { ...location, ...account }
      const refusing = yield* azureMirrors().targets.AZURE_BLOB(inside)
      const error = yield* Effect.flip(refusing.stat("a"))
      assert.deepStrictEqual([error.reason, error.detail], ["Refused", AddressRefused.detail])
      assert.deepStrictEqual(seen(), [])
      const allowing = yield* azureMirrors({ allowPrivate: true }).targets.AZURE_BLOB(inside)
      assert.isTrue(Option.isNone(yield* allowing.stat("a")))
    })
  )

  it.live("goes past the proxies of the environment, which would be out of reach of the guard", () =>
    Effect.gen(function* () {
      const service = yield* Service.serve(Service.refuse(404, "BlobNotFound"))
      const proxy = yield* Service.serve(Service.refuse(404, "BlobNotFound"))
      const { endpoint } = service.account
      assert.strictEqual(yield* run("proxied", [endpoint, "private"], proxy.account.endpoint), "None")
      assert.deepStrictEqual(service.seen(), ["HEAD"])
      assert.strictEqual(yield* run("proxied", [endpoint, "public"], proxy.account.endpoint), "Refused")
      assert.deepStrictEqual(service.seen(), ["HEAD"])
      assert.deepStrictEqual(proxy.seen(), [])
    })
  )

  it.live("does not follow a redirect to where it may not connect", () =>
    Effect.gen(function* () {
      const inside = yield* Service.serve((_request, response) => Service.created(response))
      const { seen, target } = yield* open(
        (_request, response) => void response.writeHead(307, { location: inside.account.endpoint }).end()
      )
      const error = yield* Effect.flip(target.stat("a"))
      assert.deepStrictEqual([error.reason, error.detail.includes("HTTP 307")], ["Internal", true])
      assert.deepStrictEqual([seen(), inside.seen()], [["HEAD"], []])
    })
  )
})
