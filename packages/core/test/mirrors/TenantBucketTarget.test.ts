import { describe, expect } from "@effect/vitest"
import * as Actor from "@holdfast/core/Actor"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { Metadata } from "@holdfast/core/files/File"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { Files } from "@holdfast/core/files/Files"
import { FilesByKey } from "@holdfast/core/files/keys/FilesByKey"
import { Uploads } from "@holdfast/core/files/Uploads"
import { Headers } from "@holdfast/core/headers/Headers"
import { Members } from "@holdfast/core/members/Members"
import { objectName } from "@holdfast/core/mirrors/targets/MirroredFile"
import { Mirrors } from "@holdfast/core/mirrors/Mirrors"
import * as Role from "@holdfast/core/Role"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as MirrorHarness from "@holdfast/testing/mirrors/MirrorHarness"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { SqlClient } from "effect/sql/SqlClient"
import { addMember, test } from "./support/MirrorTest.ts"

const { getRecord, listFiles, pollUntil, reupload, startWorker, untilCopied, upload } = MirrorHarness

/** The input of a mirror to a bucket of another tenant. */
const inputTo = (bucket: BucketRef, apiKey: Redacted.Redacted, verify = true) => ({
  type: "SERVICE" as const,
  name: "To another tenant",
  serviceTenantId: bucket.tenantId,
  serviceBucketId: bucket.bucketId,
  apiKey,
  verify
})

/** Creates two buckets of two tenants, and a mirror from the first to the second. */
const createPair = Effect.gen(function* () {
  const [source, target] = [yield* Fixtures.bucket(), yield* Fixtures.bucket()]
  const targetMember = yield* addMember(target.tenantId, "role_file_writer")
  const made = yield* (yield* Mirrors).create(Actor.system, source, inputTo(target, targetMember.key))
  return { source, target, targetMember, ref: { ...source, mirrorId: made.id } }
})

/** Returns the properties of all files that a mirror copies, ordered by name. */
const copiedProperties = (bucket: BucketRef) =>
  Effect.map(listFiles(bucket), (files) =>
    files
      .map((file) => ({
        name: objectName(file),
        sha256: file.content.sha256,
        contentType: file.content.contentType,
        headers: file.headers,
        metadata: file.metadata
      }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  )

describe("mirror to a bucket of another tenant", () => {
  test(
    "contents, names, headers, metadata changed, files removed → the target equals the source",
    Effect.gen(function* () {
      const [files, headers] = [yield* Files, yield* Headers]
      const { ref, source, target } = yield* createPair
      const a = yield* upload(source, "a.html", "<p>one</p>", { path: "/ü/", metadata: { by: "Zoë" } })
      const b = yield* upload(source, "b", "two")
      const ofA = { ...source, fileId: a.id }
      yield* headers.set(Actor.system, ofA, { name: "Cache-Control", value: "no-store" })
      yield* headers.set(Actor.system, ofA, { name: "X-Own", value: "1" })
      yield* startWorker()
      const expectEqual = Effect.gen(function* () {
        yield* untilCopied(ref)
        expect(yield* copiedProperties(target)).toEqual(yield* copiedProperties(source))
      })
      yield* expectEqual
      expect(yield* copiedProperties(target)).toHaveLength(2)
      const copyOfA = (yield* listFiles(target)).find(({ name }) => name === "a.html")
      yield* headers.remove(Actor.system, ofA, "x-own")
      yield* headers.set(Actor.system, ofA, { name: "Cache-Control", value: "private" })
      yield* files.update(Actor.system, ofA, { metadata: { by: ["Zoë", { and: null }] } })
      yield* expectEqual
      yield* reupload(source, b.id, "three")
      yield* expectEqual
      yield* files.update(Actor.system, { ...source, fileId: b.id }, { name: "c", path: "/elsewhere/" })
      yield* expectEqual
      yield* files.remove(Actor.system, { ...source, fileId: b.id })
      yield* expectEqual
      // Only headers and metadata changed since: the content was written once.
      expect((yield* listFiles(target)).map(({ id, version }) => [id, version])).toEqual([[copyOfA?.id, 1]])
    })
  )

  test(
    "source has a stored header that is refused now → file copied without it, in one attempt",
    Effect.gen(function* () {
      const repository = yield* FileRepository
      const { ref, source, target } = yield* createPair
      const storeHeaders = (fileId: string, ...names: ReadonlyArray<string>) =>
        repository.updateHeaders({
          bucket: source,
          selector: { _tag: "Id", id: fileId },
          change: () => Result.succeed(names.map((name) => ({ name, value: "v" }))),
          at: DateTime.makeUnsafe(1)
        })
      const [a, b] = yield* Effect.forEach(["a", "b"], (name) => upload(source, name, name))
      yield* storeHeaders(a?.id ?? "", "Link", "x-own")
      yield* startWorker()
      yield* untilCopied(ref)
      yield* storeHeaders(b?.id ?? "", "X-Accel-Redirect", "x-own")
      yield* untilCopied(ref)
      const own = [{ name: "x-own", value: "v" }]
      expect((yield* listFiles(target)).map(({ headers, name }) => [name, headers])).toEqual([
        ["a", own],
        ["b", own]
      ])
    })
  )

  test(
    "target has equal files → not written; changed by others → restored by a reconciliation",
    Effect.gen(function* () {
      const [source, target] = [yield* Fixtures.bucket(), yield* Fixtures.bucket()]
      yield* Effect.forEach(["a", "b"], (name) => upload(source, name, "same"))
      const [a, b] = yield* Effect.forEach(["a", "b"], (name) => upload(target, name, "same"))
      const { key } = yield* addMember(target.tenantId, "role_file_writer")
      const mirrors = yield* Mirrors
      const made = yield* mirrors.create(Actor.system, source, inputTo(target, key))
      const ref = { ...source, mirrorId: made.id }
      yield* startWorker()
      yield* untilCopied(ref)
      expect((yield* listFiles(target)).map(({ id, version }) => [id, version])).toEqual([
        [a?.id, 1],
        [b?.id, 1]
      ])
      yield* reupload(target, a?.id ?? "", "changed by others")
      yield* upload(target, "foreign", "x")
      yield* (yield* Files).remove(Actor.system, { ...target, fileId: b?.id ?? "" })
      yield* mirrors.sync(Actor.system, ref)
      const right = JSON.stringify(yield* copiedProperties(source))
      yield* pollUntil(
        Effect.map(copiedProperties(target), (all) => JSON.stringify(all.filter(({ name }) => name !== "foreign"))),
        (found) => found === right
      )
      expect((yield* copiedProperties(target)).map(({ name }) => name)).toEqual(["a", "b", "foreign"])
    })
  )

  test(
    "marker of a folder → copied once, also after a reconciliation; changed, removed → the copy follows",
    Effect.gen(function* () {
      const [files, keys, uploads] = [yield* Files, yield* FilesByKey, yield* Uploads]
      const mirrors = yield* Mirrors
      const { ref, source, target } = yield* createPair
      const put = (metadata: Metadata) =>
        uploads.upload(Actor.system, source, Stream.empty, Effect.succeed({ path: "/a/", name: "", metadata }), {
          allowsMarker: true,
          onConflict: "replace"
        })
      const entriesOf = (bucket: BucketRef) =>
        Effect.map(keys.list(Actor.system, bucket, { prefix: "", limit: 100 }), ({ contents }) =>
          contents.map(({ key, size }) => [key, size])
        )
      const copyOf = (key: string) => Effect.map(keys.find(Actor.system, target, key), Option.getOrThrow)
      const marker = yield* put({ by: "one" })
      yield* upload(source, "b", "two", { path: "/a/" })
      yield* startWorker()
      yield* untilCopied(ref)
      expect(yield* entriesOf(target)).toEqual([
        ["a/", 0],
        ["a/b", 3]
      ])
      const first = yield* copyOf("a/")
      expect(first.metadata).toEqual({ by: "one" })

      // A reconciliation copies what it does not find at the target: here the file that is removed there, and no more.
      const copied = (yield* getRecord(ref)).stats.copied
      yield* files.remove(Actor.system, { ...target, fileId: (yield* copyOf("a/b")).id })
      yield* mirrors.sync(Actor.system, ref)
      yield* pollUntil(entriesOf(target), ({ length }) => length === 2)
      yield* untilCopied(ref)
      expect((yield* getRecord(ref)).stats.copied).toBe(copied)
      expect(yield* copyOf("a/")).toEqual(first)
      yield* files.remove(Actor.system, { ...target, fileId: first.id })
      yield* mirrors.sync(Actor.system, ref)
      yield* pollUntil(entriesOf(target), ({ length }) => length === 2)

      yield* put({ by: "two" })
      yield* untilCopied(ref)
      expect((yield* copyOf("a/")).metadata).toEqual({ by: "two" })
      yield* files.remove(Actor.system, { ...source, fileId: marker.id })
      yield* untilCopied(ref)
      expect(yield* entriesOf(target)).toEqual([["a/b", 3]])
    })
  )

  test(
    "key loses its role → FAILING; another key → copied",
    Effect.gen(function* () {
      const mirrors = yield* Mirrors
      const { ref, source, target, targetMember } = yield* createPair
      yield* upload(source, "a", "x")
      yield* startWorker()
      yield* untilCopied(ref)
      const reading = { role: { id: "role_file_reader" } }
      yield* (yield* Members).update(Actor.system, target.tenantId, targetMember.memberId, reading)
      yield* upload(source, "b", "x")
      const failing = yield* pollUntil(getRecord(ref), ({ state }) => state === "FAILING")
      expect(failing.stats).toMatchObject({
        pending: 1,
        lastError: "The caller has no permission file:write in this tenant."
      })
      const fresh = yield* addMember(target.tenantId, "role_file_writer")
      const reader = yield* addMember(target.tenantId, "role_file_reader")
      const refused = mirrors.update(Actor.system, ref, { apiKey: reader.key })
      expect(yield* Effect.flip(refused)).toMatchObject({ _tag: "MirrorTargetUnreachable", reason: "Denied" })
      yield* mirrors.update(Actor.system, ref, { apiKey: fresh.key })
      yield* untilCopied(ref)
      expect(yield* copiedProperties(target)).toEqual(yield* copiedProperties(source))
    })
  )

  test(
    "create: key of another tenant → Denied; no bucket → NotFound; back to the source → MirrorLoop",
    Effect.gen(function* () {
      const mirrors = yield* Mirrors
      const { source, target, targetMember } = yield* createPair
      const own = yield* addMember(source.tenantId, Role.admin)
      const createFails = (source: BucketRef, input: ReturnType<typeof inputTo>) =>
        Effect.flip(mirrors.create(Actor.system, source, input))
      expect(yield* createFails(source, inputTo(target, own.key))).toMatchObject({
        _tag: "MirrorTargetUnreachable",
        reason: "Denied"
      })
      const nowhere = { ...target, bucketId: source.bucketId }
      expect(yield* createFails(source, inputTo(nowhere, targetMember.key))).toMatchObject({ reason: "NotFound" })
      expect(yield* createFails(target, inputTo(source, own.key))).toMatchObject({
        _tag: "MirrorLoop",
        code: "mirror_loop"
      })
      expect(yield* createFails(source, inputTo(source, own.key))).toMatchObject({ _tag: "MirrorLoop" })
      expect(yield* createFails(target, inputTo(source, own.key, false))).toMatchObject({ _tag: "MirrorLoop" })
    })
  )

  test(
    "two mirrors that face each other → both become idle with equal buckets",
    Effect.gen(function* () {
      const mirrors = yield* Mirrors
      const sql = yield* SqlClient
      const { ref, source, target } = yield* createPair
      const own = yield* addMember(source.tenantId, Role.admin)
      // Without this, the second mirror would be refused as a loop.
      yield* sql`UPDATE mirror SET target_bucket_id = NULL`
      const facing = yield* mirrors.create(Actor.system, target, inputTo(source, own.key))
      const back = { ...target, mirrorId: facing.id }
      const files = yield* Files
      yield* startWorker()
      const bothIdle = pollUntil(
        Effect.all([getRecord(ref), getRecord(back)]),
        ([one, other]) => one.stats.pending + other.stats.pending === 0
      )
      const a = yield* upload(source, "a", "one", { metadata: { k: "v" } })
      yield* upload(target, "b", "two")
      yield* bothIdle
      expect((yield* copiedProperties(source)).map(({ name }) => name)).toEqual(["a", "b"])
      expect(yield* copiedProperties(target)).toEqual(yield* copiedProperties(source))
      yield* reupload(source, a.id, "three")
      yield* files.update(Actor.system, { ...source, fileId: a.id }, { metadata: {} })
      yield* bothIdle
      expect(yield* copiedProperties(target)).toEqual(yield* copiedProperties(source))
      yield* files.remove(Actor.system, { ...source, fileId: a.id })
      yield* bothIdle
      expect((yield* copiedProperties(source)).map(({ name }) => name)).toEqual(["b"])
      expect(yield* copiedProperties(target)).toEqual(yield* copiedProperties(source))
    })
  )
})
