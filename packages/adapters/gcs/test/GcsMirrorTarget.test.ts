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
import * as Bucket from "./support/Bucket.ts"
import * as Mirror from "./support/Mirror.ts"

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
    "refuses the name %j before anything is asked, as one that cannot stand there",
    (name) =>
      Effect.gen(function* () {
        const fake = yield* FakeGcs.FakeGcs
        const { target } = yield* Mirror.fresh
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

  it.effect("refuses what is larger than an object may be, and a description that the service does not take", () =>
    Effect.gen(function* () {
      const { target } = yield* Mirror.fresh
      const large = yield* Effect.flip(target.write(object("a", { size: 6 * 1024 ** 4 }), content))
      assert.strictEqual(large.reason, "Invalid")
      const description = { contentType: "text/plain", metadata: { long: "x".repeat(9000) } }
      const long = yield* Effect.flip(target.write(object("a", { description }), content))
      assert.strictEqual(long.reason, "Invalid")
      assert.include(long.detail, "metadata")
    })
  )

  it.effect("tells the generation and the metageneration as a tag", () =>
    Effect.gen(function* () {
      const fake = yield* FakeGcs.FakeGcs
      const { bucket, target } = yield* Mirror.fresh
      const { tag } = yield* target.write(object("a"), content)
      const stored = yield* fake.findObject(bucket.bucket, "a")
      assert.strictEqual(tag, `${String(stored?.resource["generation"])}.1`)
      assert.strictEqual((yield* target.describe(object("a"))).tag, `${String(stored?.resource["generation"])}.2`)
    })
  )

  it.effect("describes an object again that somebody changed in between, and gives up in the end", () =>
    Effect.gen(function* () {
      const fake = yield* FakeGcs.FakeGcs
      const { readBack, target } = yield* Mirror.fresh
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

  it.effect("describes an object whose answer was lost", () =>
    Effect.gen(function* () {
      const fake = yield* FakeGcs.FakeGcs
      const { readBack, target } = yield* Mirror.fresh
      yield* target.write(object("a"), content)
      yield* fake.injectFault({ fault: { kind: "cutResponse", after: 0 }, match: /^PATCH/ })
      const description = { contentType: "text/css", metadata: { a: "1" } }
      const { tag } = yield* target.describe(object("a", { description }))
      assert.deepInclude(Option.getOrThrow(yield* readBack("a")).description, description)
      assert.strictEqual(Option.getOrThrow(yield* target.stat("a")).tag, tag)
    })
  )

  it.effect("tells bytes that were damaged on their way, and leaves what stood there", () =>
    Effect.gen(function* () {
      const fake = yield* FakeGcs.FakeGcs
      const { readBack, target } = yield* Mirror.fresh
      yield* target.write(object("a"), content)
      yield* fake.injectFault({ fault: { kind: "damage" }, match: /^POST/ })
      assert.strictEqual((yield* Effect.flip(target.write(object("a"), content))).reason, "Damaged")
      assert.isTrue(Buffer.from(bytes).equals(Option.getOrThrow(yield* readBack("a")).bytes))
    })
  )

  it.effect("checks for every right that it needs, and removes what it wrote", () =>
    Effect.gen(function* () {
      const fake = yield* FakeGcs.FakeGcs
      const { bucket, target } = yield* Mirror.fresh
      yield* target.check
      const stranger = { ...Mirror.location(bucket), credentials: fake.unprivilegedCredentials }
      const error = yield* Effect.flip(
        Effect.flatMap(GcsMirrorTarget.open(Mirror.options)(stranger), ({ check }) => check)
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
      const { target } = yield* Mirror.fresh
      yield* fake.injectFault({
        fault: { kind: "refuse", status: 503 },
        match: /^DELETE/,
        times: Mirror.options.maxAttempts ?? 1
      })
      assert.strictEqual((yield* Effect.flip(target.check)).reason, "Unavailable")
      assert.strictEqual((yield* Stream.runCollect(target.list)).length, 1)
      yield* target.check
      assert.deepStrictEqual(yield* Stream.runCollect(target.list), [])
    })
  )

  it.effect("asks no private address for a token, whoever the document names", () =>
    Effect.gen(function* () {
      const fake = yield* FakeGcs.FakeGcs
      const bucket = yield* Bucket.options
      // The service itself is public, and must not be asked either: there is no token for it.
      const location = { ...Mirror.location(bucket), endpoint: undefined }
      yield* fake.takeRequests
      for (const tokenUri of [
        `${bucket.endpoint}/token`,
        bucket.endpoint.replace("127.0.0.1", "localhost"),
        bucket.endpoint.replace("127.0.0.1", "[::ffff:127.0.0.1]"),
        "http://169.254.169.254/computeMetadata/v1/"
      ]) {
        const credentials = Mirror.changed(bucket.credentials, { token_uri: tokenUri })
        const target = yield* GcsMirrorTarget.open({ ...Mirror.options, allowPrivate: false })({
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
  ])("opens no target with the credentials of %j", (fields) =>
    Effect.gen(function* () {
      const bucket = yield* Bucket.options
      const credentials = Mirror.changed(bucket.credentials, fields)
      const error = yield* Effect.flip(
        GcsMirrorTarget.open(Mirror.options)({ ...Mirror.location(bucket), credentials })
      )
      assert.deepStrictEqual([error.reason, error.operation], ["Denied", "open"])
    })
  )

  it.effect("opens no target at what is no address, and none with what is no document", () =>
    Effect.gen(function* () {
      const location = Mirror.location(yield* Bucket.options)
      const open = GcsMirrorTarget.open(Mirror.options)
      assert.strictEqual((yield* Effect.flip(open({ ...location, endpoint: "gcs" }))).reason, "Refused")
      const error = yield* Effect.flip(open({ ...location, credentials: Redacted.make("a secret") }))
      assert.strictEqual(error.reason, "Denied")
      assert.notInclude(error.detail, "secret")
    })
  )
})
