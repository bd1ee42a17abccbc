import { describe, expect } from "@effect/vitest"
import * as Actor from "@holdfast/core/Actor"
import { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import type { CreateMirror, UpdateMirror } from "@holdfast/core/mirrors/MirrorInput"
import { Mirrors } from "@holdfast/core/mirrors/Mirrors"
import * as Role from "@holdfast/core/Role"
import * as AesSecretBox from "@holdfast/core/secrets/AesSecretBox"
import { SecretBox } from "@holdfast/core/secrets/SecretBox"
import * as MirrorScene from "@holdfast/testing/mirrors/MirrorScene"
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
import { member, test } from "./support/Setup.ts"

const { record, settled, startWorker, upload } = MirrorScene
const secret = "the secret key"

const s3 = (bucketName = Sample.word()) => ({
  type: "CLOUD_A" as const,
  name: "Backup",
  region: "here",
  bucketName,
  accessKeyId: "AKIA",
  secretAccessKey: Redacted.make(secret)
})

/** As it may come from a caller that checks nothing. */
const unchecked = (input: unknown) => input as CreateMirror & UpdateMirror

const pointers = (error: unknown) =>
  (error as { readonly errors: ReadonlyArray<{ readonly pointer: string }> }).errors.map(({ pointer }) => pointer)

describe("mirrors", () => {
  test(
    "are told without their secret, which is sealed at rest",
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
        stats: { pending: 0, pendingBytes: 0, copied: 0, failed: 0, lagSeconds: 0, lastError: null, comparing: false },
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
    "are an Admin's alone",
    Effect.gen(function* () {
      const mirrors = yield* Mirrors
      const { bucket, ref } = yield* MirrorScene.mirrored()
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
        const { actor } = yield* member(bucket.tenantId, id)
        for (const call of all(actor))
          expect(yield* Effect.flip(call as Effect.Effect<unknown, unknown>)).toMatchObject({ _tag: "Forbidden" })
      }
      const stranger = yield* member(yield* Fixtures.tenant, Role.admin)
      for (const call of all(stranger.actor)) {
        expect(yield* Effect.flip(call as Effect.Effect<unknown, unknown>)).toMatchObject({ _tag: "Forbidden" })
      }
      const { actor } = yield* member(bucket.tenantId, Role.admin)
      for (const call of all(actor)) yield* call as Effect.Effect<unknown, unknown>
      expect(yield* Effect.flip(mirrors.get(actor, ref))).toMatchObject({ _tag: "NotFound", resource: "mirror" })
    })
  )

  test(
    "are not found in another bucket, nor under what is no id",
    Effect.gen(function* () {
      const mirrors = yield* Mirrors
      const { bucket, ref } = yield* MirrorScene.mirrored()
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
    "tell what is wrong with an input, and nothing of what is secret in it",
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
      const { ref } = yield* MirrorScene.mirrored(bucket)
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
    "are made only where the target answers, unless it is not asked, and only of types that there are",
    Effect.gen(function* () {
      const mirrors = yield* Mirrors
      const bucket = yield* Fixtures.bucket()
      const input = s3()
      const target = yield* (yield* MemoryTargets).of(input.bucketName)
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
      expect(yield* target.faults.calls()).toBe(1)
      const azure = { type: "AZURE_BLOB", name: "x", accountName: "a", containerName: "c" } as const
      const other = mirrors.create(Actor.system, bucket, { ...azure, accountKey: Redacted.make("x") })
      expect(yield* Effect.flip(other)).toMatchObject({ _tag: "MirrorTypeUnavailable", type: "CLOUD_B" })
    })
  )

  test(
    "are renamed, and get another key with its id",
    Effect.gen(function* () {
      const mirrors = yield* Mirrors
      const { ref, target } = yield* MirrorScene.mirrored()
      yield* target.demand("fresh")
      const change = { name: "Other", accessKeyId: "AKIB", secretAccessKey: Redacted.make("fresh") }
      const changed = yield* mirrors.update(Actor.system, ref, change)
      expect(changed).toMatchObject({ name: "Other", accessKeyId: "AKIB", region: "here" })
      yield* upload(ref, "a", "x")
      yield* startWorker()
      yield* settled(ref)
      expect(yield* target.names).toEqual(["a"])
    })
  )

  test(
    "list their files in pages",
    Effect.gen(function* () {
      const mirrors = yield* Mirrors
      const { bucket, ref } = yield* MirrorScene.mirrored()
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
    "have their secret sealed anew once the key is another",
    Effect.gen(function* () {
      const { ref } = yield* MirrorScene.mirrored()
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
      yield* settled(ref)
      const { revision, secret: sealed } = yield* stored
      expect(box.isStale(sealed)).toBe(false)
      expect(Redacted.value(yield* box.open(sealed, ref.mirrorId))).toBe("secret")
      expect(revision).toBe(1)
    })
  )

  test(
    "whose secret nobody can open fail, and say so",
    Effect.gen(function* () {
      const { ref } = yield* MirrorScene.mirrored()
      yield* upload(ref, "a", "x")
      const lost = yield* Layer.build(
        AesSecretBox.layer({ current: Redacted.make(new Uint8Array(32)) }).pipe(Layer.provide(Aead.layerWebCrypto))
      )
      yield* Effect.provide(startWorker(), lost)
      const failing = yield* MirrorScene.until(record(ref), ({ state }) => state === "FAILING")
      expect(failing.stats.lastError).toContain("give the mirror new ones")
    })
  )
})
