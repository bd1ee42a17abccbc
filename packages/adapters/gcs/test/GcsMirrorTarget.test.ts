import { assert, layer } from "@effect/vitest"
import type { MirrorObject } from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as AddressRefused from "@holdfast/outbound/AddressRefused"
import * as Generate from "@holdfast/testing/data/Generate"
import * as FakeGcs from "@holdfast/testing/servers/gcs/FakeGcs"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as GcsMirrorTarget from "../src/GcsMirrorTarget.ts"
import * as Documents from "./support/Documents.ts"
import * as Store from "./support/Store.ts"
import * as Target from "./support/Target.ts"

const bytes = Generate.bytes(1, 1000)

const object = (name: string, fields: Partial<MirrorObject> = {}): MirrorObject => ({
  name,
  size: bytes.byteLength,
  sha256: Generate.sha256(bytes),
  description: { contentType: "text/plain", metadata: {} },
  ...fields
})

const content = Stream.make(bytes)

layer(FakeGcs.layer, { excludeTestServices: true })("GcsMirrorTarget on a fake of the service", (it) => {
  it.effect.each(["", ".", "..", "a\nb", "a\rb", "\ud800", ".well-known/acme-challenge/a", "é".repeat(513)])(
    "name %j → Invalid for write and describe, absent for remove and stat, without a request",
    (name) =>
      Effect.gen(function* () {
        const fake = yield* FakeGcs.FakeGcs
        const { target } = yield* Target.open
        yield* fake.takeRequests
        const errors = yield* Effect.all([
          Effect.flip(target.write(object(name), content)),
          Effect.flip(target.describe(object(name)))
        ])
        for (const error of errors) assert.deepStrictEqual([error.reason, error.isOfObject], ["Invalid", true])
        yield* target.remove(name)
        assert.isTrue(Option.isNone(yield* target.stat(name)))
        assert.deepStrictEqual(yield* fake.takeRequests, [])
      })
  )

  it.effect("write: object of 6 TiB, or metadata of 9,000 bytes → Invalid", () =>
    Effect.gen(function* () {
      const { target } = yield* Target.open
      const large = yield* Effect.flip(target.write(object("a", { size: 6 * 1024 ** 4 }), content))
      assert.strictEqual(large.reason, "Invalid")
      const description = { contentType: "text/plain", metadata: { long: "x".repeat(9000) } }
      const long = yield* Effect.flip(target.write(object("a", { description }), content))
      assert.strictEqual(long.reason, "Invalid")
      assert.include(long.detail, "metadata")
    })
  )

  it.effect("tag: generation and metageneration", () =>
    Effect.gen(function* () {
      const fake = yield* FakeGcs.FakeGcs
      const { bucket, target } = yield* Target.open
      const { tag } = yield* target.write(object("a"), content)
      const stored = yield* fake.findObject(bucket.bucket, "a")
      assert.strictEqual(tag, `${String(stored?.resource["generation"])}.1`)
      assert.strictEqual((yield* target.describe(object("a"))).tag, `${String(stored?.resource["generation"])}.2`)
    })
  )

  it.effect("describe: changed in between 2 times → described; 6 times → Unavailable", () =>
    Effect.gen(function* () {
      const fake = yield* FakeGcs.FakeGcs
      const { readBack, target } = yield* Target.open
      yield* target.write(object("a"), content)
      const changed = { fault: { kind: "refuse", status: 412, reason: "conditionNotMet" }, match: /^PATCH/ } as const
      yield* fake.injectFault({ ...changed, times: 2 })
      const description = { contentType: "text/css", metadata: { a: "1" } }
      yield* target.describe(object("a", { description }))
      assert.deepInclude(Option.getOrThrow(yield* readBack("a")).description, description)
      yield* fake.injectFault({ ...changed, times: 6 })
      assert.strictEqual((yield* Effect.flip(target.describe(object("a")))).reason, "Unavailable")
    })
  )

  it.effect("describe: response lost → described", () =>
    Effect.gen(function* () {
      const fake = yield* FakeGcs.FakeGcs
      const { readBack, target } = yield* Target.open
      yield* target.write(object("a"), content)
      yield* fake.injectFault({ fault: { kind: "cutResponse", after: 0 }, match: /^PATCH/ })
      const description = { contentType: "text/css", metadata: { a: "1" } }
      const { tag } = yield* target.describe(object("a", { description }))
      assert.deepInclude(Option.getOrThrow(yield* readBack("a")).description, description)
      assert.strictEqual(Option.getOrThrow(yield* target.stat("a")).tag, tag)
    })
  )

  it.effect("write: damaged in transit → Damaged, the former object unchanged", () =>
    Effect.gen(function* () {
      const fake = yield* FakeGcs.FakeGcs
      const { readBack, target } = yield* Target.open
      yield* target.write(object("a"), content)
      yield* fake.injectFault({ fault: { kind: "damage" }, match: /^POST/ })
      assert.strictEqual((yield* Effect.flip(target.write(object("a"), content))).reason, "Damaged")
      assert.isTrue(Buffer.from(bytes).equals(Option.getOrThrow(yield* readBack("a")).bytes))
    })
  )

  it.effect("check: permission missing for write, describe or list → Denied, and the written object is removed", () =>
    Effect.gen(function* () {
      const fake = yield* FakeGcs.FakeGcs
      const { bucket, target } = yield* Target.open
      yield* target.check
      const unprivileged = { ...Target.locationOf(bucket), credentials: fake.unprivilegedCredentials }
      const error = yield* Effect.flip(
        Effect.flatMap(GcsMirrorTarget.open(Target.options)(unprivileged), ({ check }) => check)
      )
      assert.deepStrictEqual([error.reason, error.operation], ["Denied", "check"])
      for (const match of [/^PATCH/, /^GET .*maxResults/]) {
        yield* fake.injectFault({ fault: { kind: "refuse", status: 403, reason: "forbidden" }, match })
        assert.strictEqual((yield* Effect.flip(target.check)).reason, "Denied")
        assert.deepStrictEqual(yield* Stream.runCollect(target.list), [])
      }
    })
  )

  it.effect("check: connection cut before its DELETE → the next check overwrites and removes the same object", () =>
    Effect.gen(function* () {
      const fake = yield* FakeGcs.FakeGcs
      const { target } = yield* Target.open
      yield* fake.injectFault({
        fault: { kind: "refuse", status: 503 },
        match: /^DELETE/,
        times: Target.options.maxAttempts ?? 1
      })
      assert.strictEqual((yield* Effect.flip(target.check)).reason, "Unavailable")
      assert.strictEqual((yield* Stream.runCollect(target.list)).length, 1)
      yield* target.check
      assert.deepStrictEqual(yield* Stream.runCollect(target.list), [])
    })
  )

  it.effect("token_uri at a private address → Refused, without a request", () =>
    Effect.gen(function* () {
      const fake = yield* FakeGcs.FakeGcs
      const bucket = yield* Store.makeBucket
      // The service itself is public, and gets no request either: there is no token for it.
      const location = { ...Target.locationOf(bucket), endpoint: undefined }
      yield* fake.takeRequests
      for (const tokenUri of [
        `${bucket.endpoint}/token`,
        bucket.endpoint.replace("127.0.0.1", "localhost"),
        bucket.endpoint.replace("127.0.0.1", "[::ffff:127.0.0.1]"),
        "http://169.254.169.254/computeMetadata/v1/"
      ]) {
        const credentials = Documents.withFields(bucket.credentials, { token_uri: tokenUri })
        const target = yield* GcsMirrorTarget.open({ ...Target.options, allowPrivate: false })({
          ...location,
          credentials
        })
        const error = yield* Effect.flip(target.stat("a"))
        assert.deepStrictEqual(
          [error.reason, error.operation, error.detail],
          ["Refused", "stat", AddressRefused.detail]
        )
      }
      assert.deepStrictEqual(yield* fake.takeRequests, [])
    })
  )

  it.effect.each([
    { type: "external_account", credential_source: { file: "/etc/passwd" } },
    { type: "authorized_user" },
    { private_key: "none" },
    { token_uri: "file:///etc/passwd" }
  ])("open: credentials with %j → Denied", (fields) =>
    Effect.gen(function* () {
      const bucket = yield* Store.makeBucket
      const credentials = Documents.withFields(bucket.credentials, fields)
      const error = yield* Effect.flip(
        GcsMirrorTarget.open(Target.options)({ ...Target.locationOf(bucket), credentials })
      )
      assert.deepStrictEqual([error.reason, error.operation], ["Denied", "open"])
    })
  )

  it.effect("open: invalid endpoint → Refused; credentials that are not JSON → Denied, without their text", () =>
    Effect.gen(function* () {
      const location = Target.locationOf(yield* Store.makeBucket)
      const open = GcsMirrorTarget.open(Target.options)
      assert.strictEqual((yield* Effect.flip(open({ ...location, endpoint: "gcs" }))).reason, "Refused")
      const error = yield* Effect.flip(open({ ...location, credentials: Redacted.make("a secret") }))
      assert.strictEqual(error.reason, "Denied")
      assert.notInclude(error.detail, "secret")
    })
  )
})
