import { describe, expect } from "@effect/vitest"
import * as Actor from "@holdfast/core/Actor"
import { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import type { CreateMirror, UpdateMirror } from "@holdfast/core/mirrors/MirrorInput"
import { Mirrors } from "@holdfast/core/mirrors/Mirrors"
import * as Role from "@holdfast/core/Role"
import * as AesSecretBox from "@holdfast/core/secrets/AesSecretBox"
import { SecretBox } from "@holdfast/core/secrets/SecretBox"
import * as MirrorHarness from "@holdfast/testing/mirrors/MirrorHarness"
import { MemoryTargets } from "@holdfast/testing/mirrors/MemoryTargets"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Aead from "effect/crypto/Aead"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import { addMember, test } from "./support/MirrorTest.ts"

const { getRecord, startWorker, untilCopied, upload } = MirrorHarness
const secret = "the secret key"

const s3 = (bucketName = Sample.word()) => ({
  type: "CLOUD_A" as const,
  name: "Backup",
  region: "here",
  bucketName,
  accessKeyId: "AKIA",
  secretAccessKey: Redacted.make(secret)
})

/** An input from a caller without type checks. */
const unchecked = (input: unknown) => input as CreateMirror & UpdateMirror

const pointers = (error: unknown) =>
  (error as { readonly errors: ReadonlyArray<{ readonly pointer: string }> }).errors.map(({ pointer }) => pointer)

describe("Mirrors", () => {
  test(
    "create, get, list → the record without the secret; stored: the secret is encrypted",
    Effect.gen(function* () {
      const mirrors = yield* Mirrors
      const bucket = yield* Fixtures.bucket()
      const input = { ...s3(), type: "S3" as const, endpoint: "https://s3.example.com", forcePathStyle: true }
      const made = yield* mirrors.create(Actor.system, bucket, input)
      expect(made).toEqual({
        id: made.id,
        type: "CLOUD_A",
        name: "Backup",
        bucketId: bucket.bucketId,
        region: "here",
        bucketName: input.bucketName,
        accessKeyId: "AKIA",
        endpoint: "https://s3.example.com",
        forcePathStyle: true,
        state: "ACTIVE",
        stats: {
          pending: 0,
          pendingBytes: 0,
          copied: 0,
          failed: 0,
          capped: false,
          lagSeconds: 0,
          lastError: null,
          comparing: false
        },
        createdBy: null,
        createdAt: made.createdAt,
        updatedAt: made.createdAt
      })
      const ref = { ...bucket, mirrorId: made.id }
      expect(yield* mirrors.get(Actor.system, ref)).toEqual(made)
      expect(yield* mirrors.list(Actor.system, bucket, {})).toEqual({ items: [made], nextCursor: null })
      const kept = yield* (yield* MirrorRepository).find(ref, yield* DateTime.now)
      expect(inspect([kept, made, input], { depth: 20, showHidden: true })).not.toContain(secret)
    })
  )

  test(
    "all methods: actor is not an Admin of the tenant → Forbidden",
    Effect.gen(function* () {
      const mirrors = yield* Mirrors
      const { bucket, ref } = yield* MirrorHarness.createMirror()
      const all = (actor: Actor.Actor) => [
        mirrors.create(actor, bucket, s3()),
        mirrors.list(actor, bucket, {}),
        mirrors.get(actor, ref),
        mirrors.update(actor, ref, { name: "x" }),
        mirrors.sync(actor, ref),
        mirrors.files(actor, ref, {}),
        mirrors.remove(actor, ref)
      ]
      for (const { id } of Role.all) {
        if (id === Role.admin) continue
        const { actor } = yield* addMember(bucket.tenantId, id)
        for (const call of all(actor))
          expect(yield* Effect.flip(call as Effect.Effect<unknown, unknown>)).toMatchObject({ _tag: "Forbidden" })
      }
      const outsider = yield* addMember(yield* Fixtures.tenant, Role.admin)
      for (const call of all(outsider.actor)) {
        expect(yield* Effect.flip(call as Effect.Effect<unknown, unknown>)).toMatchObject({ _tag: "Forbidden" })
      }
      const { actor } = yield* addMember(bucket.tenantId, Role.admin)
      for (const call of all(actor)) yield* call as Effect.Effect<unknown, unknown>
      expect(yield* Effect.flip(mirrors.get(actor, ref))).toMatchObject({ _tag: "NotFound", resource: "mirror" })
    })
  )

  test(
    "all methods: other bucket, unknown id, malformed id → NotFound",
    Effect.gen(function* () {
      const mirrors = yield* Mirrors
      const { bucket, ref } = yield* MirrorHarness.createMirror()
      const other = yield* Fixtures.bucket(bucket.tenantId)
      for (const wrong of [
        { ...ref, bucketId: other.bucketId },
        { ...ref, mirrorId: Sample.id("mir") },
        { ...ref, mirrorId: "mir_1' OR 1=1" }
      ]) {
        for (const call of [
          mirrors.get(Actor.system, wrong),
          mirrors.update(Actor.system, wrong, {}),
          mirrors.sync(Actor.system, wrong),
          mirrors.files(Actor.system, wrong, {}),
          mirrors.remove(Actor.system, wrong)
        ]) {
          expect(yield* Effect.flip(call as Effect.Effect<unknown, unknown>)).toMatchObject({
            _tag: "NotFound",
            resource: "mirror"
          })
        }
      }
      const nowhere = { ...bucket, bucketId: Sample.id("bkt") }
      for (const call of [mirrors.create(Actor.system, nowhere, s3()), mirrors.list(Actor.system, nowhere, {})]) {
        expect(yield* Effect.flip(call as Effect.Effect<unknown, unknown>)).toMatchObject({
          _tag: "NotFound",
          resource: "bucket"
        })
      }
    })
  )

  test(
    "create, update: invalid input → InvalidRequest with the faulty fields, without the secret",
    Effect.gen(function* () {
      const mirrors = yield* Mirrors
      const bucket = yield* Fixtures.bucket()
      const faults: ReadonlyArray<readonly [input: object, pointers: ReadonlyArray<string>]> = [
        [{ ...s3(), type: "CLOUD_Z" }, ["/type"]],
        [{ name: "x" }, ["/type"]],
        [{ type: "CLOUD_A" }, ["/name", "/region", "/bucketName", "/accessKeyId", "/secretAccessKey"]],
        [{ ...s3(), region: " ", endpoint: "ftp://x", name: "" }, ["/name", "/region", "/endpoint"]],
        [{ ...s3(), endpoint: "https://user:pw@host" }, ["/endpoint"]],
        [{ ...s3(), secretAccessKey: Redacted.make({ hidden: secret }) }, ["/secretAccessKey"]],
        [{ ...s3(), secretAccessKey: secret }, ["/secretAccessKey"]],
        [{ ...s3(), bucketId: Sample.id("bkt") }, ["/bucketId"]]
      ]
      for (const [input, expected] of faults) {
        const error = yield* Effect.flip(mirrors.create(Actor.system, bucket, unchecked(input)))
        expect(error).toMatchObject({ _tag: "InvalidRequest" })
        expect(pointers(error).map((pointer) => `/${pointer.split("/")[1]}`)).toEqual(expected)
        expect(JSON.stringify(error)).not.toContain(secret)
      }
      const { ref } = yield* MirrorHarness.createMirror(bucket)
      const changes: ReadonlyArray<readonly [change: object, pointer: string]> = [
        [{ accountKey: Redacted.make(secret) }, "/accountKey"],
        [{ accessKeyId: "x" }, "/secretAccessKey"],
        [{ paused: "yes" }, "/paused"]
      ]
      for (const [change, pointer] of changes) {
        const error = yield* Effect.flip(mirrors.update(Actor.system, ref, unchecked(change)))
        expect(pointers(error)).toEqual([pointer])
      }
    })
  )

  test(
    "create: target fails → MirrorTargetUnreachable, unless verify is false; unknown type → MirrorTypeUnavailable",
    Effect.gen(function* () {
      const mirrors = yield* Mirrors
      const bucket = yield* Fixtures.bucket()
      const input = s3()
      const target = yield* (yield* MemoryTargets).get(input.bucketName)
      yield* target.faults.failNext(1, "NotFound")
      expect(yield* Effect.flip(mirrors.create(Actor.system, bucket, input))).toMatchObject({
        _tag: "MirrorTargetUnreachable",
        code: "mirror_target_unreachable",
        reason: "NotFound",
        detail: "A fault was injected."
      })
      expect((yield* mirrors.list(Actor.system, bucket, {})).items).toEqual([])
      yield* target.faults.failNext(1, "NotFound")
      yield* mirrors.create(Actor.system, bucket, { ...input, verify: false })
      expect(yield* target.faults.countCalls()).toBe(1)
      const azure = { type: "AZURE_BLOB", name: "x", accountName: "a", containerName: "c" } as const
      const other = mirrors.create(Actor.system, bucket, { ...azure, accountKey: Redacted.make("x") })
      expect(yield* Effect.flip(other)).toMatchObject({ _tag: "MirrorTypeUnavailable", type: "CLOUD_B" })
    })
  )

  test(
    "update: another name and another key → both are used",
    Effect.gen(function* () {
      const mirrors = yield* Mirrors
      const { ref, target } = yield* MirrorHarness.createMirror()
      yield* target.requireSecret("fresh")
      const change = { name: "Other", accessKeyId: "AKIB", secretAccessKey: Redacted.make("fresh") }
      const changed = yield* mirrors.update(Actor.system, ref, change)
      expect(changed).toMatchObject({ name: "Other", accessKeyId: "AKIB", region: "here" })
      yield* upload(ref, "a", "x")
      yield* startWorker()
      yield* untilCopied(ref)
      expect(yield* target.names).toEqual(["a"])
    })
  )

  test(
    "files: limit and cursor → pages; unknown state → InvalidRequest",
    Effect.gen(function* () {
      const mirrors = yield* Mirrors
      const { bucket, ref } = yield* MirrorHarness.createMirror()
      const files = yield* Effect.forEach(["a", "b", "c"], (name) => upload(bucket, name, "x"))
      const first = yield* mirrors.files(Actor.system, ref, { limit: 2 })
      const rest = yield* mirrors.files(Actor.system, ref, { limit: 2, cursor: first.nextCursor ?? "" })
      expect([...first.items, ...rest.items].map(({ fileId, state }) => [fileId, state])).toEqual(
        files.map(({ id }) => [id, "PENDING"])
      )
      expect(rest.nextCursor).toBe(null)
      const wrong = mirrors.files(Actor.system, ref, unchecked({ state: "LOST" }) as object)
      expect(pointers(yield* Effect.flip(wrong))).toEqual(["/state"])
    })
  )

  test(
    "secret key rotated → the worker encrypts the secret with the new key",
    Effect.gen(function* () {
      const { ref } = yield* MirrorHarness.createMirror()
      yield* upload(ref, "a", "x")
      const stored = Effect.gen(function* () {
        const found = yield* (yield* MirrorRepository).find(ref, yield* DateTime.now)
        return Option.getOrThrow(found).mirror
      })
      const key = (fill: number) => Redacted.make(new Uint8Array(32).fill(fill))
      const rotated = yield* Layer.build(
        AesSecretBox.layer({ current: key(8), former: [key(7)] }).pipe(Layer.provide(Aead.layerWebCrypto))
      )
      const box = yield* Effect.provide(SecretBox, rotated)
      expect(box.isStale((yield* stored).secret)).toBe(true)
      yield* Effect.provide(startWorker(), rotated)
      yield* untilCopied(ref)
      const { revision, secret: sealed } = yield* stored
      expect(box.isStale(sealed)).toBe(false)
      expect(Redacted.value(yield* box.open(sealed, ref.mirrorId))).toBe("secret")
      expect(revision).toBe(1)
    })
  )

  test(
    "secret key lost → FAILING, the error asks for new credentials",
    Effect.gen(function* () {
      const { ref } = yield* MirrorHarness.createMirror()
      yield* upload(ref, "a", "x")
      const lost = yield* Layer.build(
        AesSecretBox.layer({ current: Redacted.make(new Uint8Array(32)) }).pipe(Layer.provide(Aead.layerWebCrypto))
      )
      yield* Effect.provide(startWorker(), lost)
      const failing = yield* MirrorHarness.pollUntil(getRecord(ref), ({ state }) => state === "FAILING")
      expect(failing.stats.lastError).toContain("give the mirror new ones")
    })
  )
})
