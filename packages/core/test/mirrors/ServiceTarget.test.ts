import { describe, expect } from "@effect/vitest"
import * as Actor from "@holdfast/core/Actor"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { Files } from "@holdfast/core/files/Files"
import { Headers } from "@holdfast/core/headers/Headers"
import { Members } from "@holdfast/core/members/Members"
import { objectName } from "@holdfast/core/mirrors/targets/MirroredFile"
import { Mirrors } from "@holdfast/core/mirrors/Mirrors"
import * as Role from "@holdfast/core/Role"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as MirrorScene from "@holdfast/testing/mirrors/MirrorScene"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { member, test } from "./support/Setup.ts"

const { filesOf, record, reupload, settled, startWorker, until, upload } = MirrorScene

const into = (bucket: BucketRef, apiKey: Redacted.Redacted, verify = true) => ({
  type: "SERVICE" as const,
  name: "To a neighbour",
  serviceTenantId: bucket.tenantId,
  serviceBucketId: bucket.bucketId,
  apiKey,
  verify
})

/** Two buckets of two tenants, the first mirrored into the second. */
const scene = Effect.gen(function* () {
  const [from, to] = [yield* Fixtures.bucket(), yield* Fixtures.bucket()]
  const neighbour = yield* member(to.tenantId, "role_file_writer")
  const made = yield* (yield* Mirrors).create(Actor.system, from, into(to, neighbour.key))
  return { from, to, neighbour, ref: { ...from, mirrorId: made.id } }
})

/** What files of two buckets have in common when one mirrors the other. */
const shown = (bucket: BucketRef) =>
  Effect.map(filesOf(bucket), (files) =>
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

describe("a mirror into another tenant", () => {
  test(
    "follows contents, names, headers, metadata and removals",
    Effect.gen(function* () {
      const [files, headers] = [yield* Files, yield* Headers]
      const { from, ref, to } = yield* scene
      const a = yield* upload(from, "a.html", "<p>one</p>", { path: "/ü/", metadata: { by: "Zoë" } })
      const b = yield* upload(from, "b", "two")
      const ofA = { ...from, fileId: a.id }
      yield* headers.set(Actor.system, ofA, { name: "Cache-Control", value: "no-store" })
      yield* headers.set(Actor.system, ofA, { name: "X-Own", value: "1" })
      yield* startWorker()
      const expectEqual = Effect.gen(function* () {
        yield* settled(ref)
        expect(yield* shown(to)).toEqual(yield* shown(from))
      })
      yield* expectEqual
      expect(yield* shown(to)).toHaveLength(2)
      const copyOfA = (yield* filesOf(to)).find(({ name }) => name === "a.html")
      yield* headers.remove(Actor.system, ofA, "x-own")
      yield* headers.set(Actor.system, ofA, { name: "Cache-Control", value: "private" })
      yield* files.update(Actor.system, ofA, { metadata: { by: ["Zoë", { and: null }] } })
      yield* expectEqual
      yield* reupload(from, b.id, "three")
      yield* expectEqual
      yield* files.update(Actor.system, { ...from, fileId: b.id }, { name: "c", path: "/elsewhere/" })
      yield* expectEqual
      yield* files.remove(Actor.system, { ...from, fileId: b.id })
      yield* expectEqual
      // What changed was its headers and metadata alone: its content was written once.
      expect((yield* filesOf(to)).map(({ id, version }) => [id, version])).toEqual([[copyOfA?.id, 1]])
    })
  )

  test(
    "does not write what is the same already, and finds in a comparison what is not",
    Effect.gen(function* () {
      const [from, to] = [yield* Fixtures.bucket(), yield* Fixtures.bucket()]
      yield* Effect.forEach(["a", "b"], (name) => upload(from, name, "same"))
      const [a, b] = yield* Effect.forEach(["a", "b"], (name) => upload(to, name, "same"))
      const { key } = yield* member(to.tenantId, "role_file_writer")
      const mirrors = yield* Mirrors
      const made = yield* mirrors.create(Actor.system, from, into(to, key))
      const ref = { ...from, mirrorId: made.id }
      yield* startWorker()
      yield* settled(ref)
      expect((yield* filesOf(to)).map(({ id, version }) => [id, version])).toEqual([
        [a?.id, 1],
        [b?.id, 1]
      ])
      yield* reupload(to, a?.id ?? "", "changed by others")
      yield* upload(to, "theirs", "x")
      yield* (yield* Files).remove(Actor.system, { ...to, fileId: b?.id ?? "" })
      yield* mirrors.sync(Actor.system, ref)
      const right = JSON.stringify(yield* shown(from))
      yield* until(
        Effect.map(shown(to), (all) => JSON.stringify(all.filter(({ name }) => name !== "theirs"))),
        (found) => found === right
      )
      expect((yield* shown(to)).map(({ name }) => name)).toEqual(["a", "b", "theirs"])
    })
  )

  test(
    "fails when its key loses its rights, and works again with another",
    Effect.gen(function* () {
      const mirrors = yield* Mirrors
      const { from, neighbour, ref, to } = yield* scene
      yield* upload(from, "a", "x")
      yield* startWorker()
      yield* settled(ref)
      const reading = { role: { id: "role_file_reader" } }
      yield* (yield* Members).update(Actor.system, to.tenantId, neighbour.memberId, reading)
      yield* upload(from, "b", "x")
      const failing = yield* until(record(ref), ({ state }) => state === "FAILING")
      expect(failing.stats).toMatchObject({ pending: 1, lastError: "The caller has no permission for this operation." })
      const fresh = yield* member(to.tenantId, "role_file_writer")
      const reader = yield* member(to.tenantId, "role_file_reader")
      const refused = mirrors.update(Actor.system, ref, { apiKey: reader.key })
      expect(yield* Effect.flip(refused)).toMatchObject({ _tag: "MirrorTargetUnreachable", reason: "Denied" })
      yield* mirrors.update(Actor.system, ref, { apiKey: fresh.key })
      yield* settled(ref)
      expect(yield* shown(to)).toEqual(yield* shown(from))
    })
  )

  test(
    "is not made with a wrong key, into no bucket, or back to where it comes from",
    Effect.gen(function* () {
      const mirrors = yield* Mirrors
      const { from, neighbour, to } = yield* scene
      const own = yield* member(from.tenantId, Role.admin)
      const create = (source: BucketRef, input: ReturnType<typeof into>) =>
        Effect.flip(mirrors.create(Actor.system, source, input))
      expect(yield* create(from, into(to, own.key))).toMatchObject({
        _tag: "MirrorTargetUnreachable",
        reason: "Denied"
      })
      const nowhere = { ...to, bucketId: from.bucketId }
      expect(yield* create(from, into(nowhere, neighbour.key))).toMatchObject({ reason: "NotFound" })
      expect(yield* create(to, into(from, own.key))).toMatchObject({ _tag: "MirrorLoop", code: "mirror_loop" })
      expect(yield* create(from, into(from, own.key))).toMatchObject({ _tag: "MirrorLoop" })
      expect(yield* create(to, into(from, own.key, false))).toMatchObject({ _tag: "MirrorLoop" })
    })
  )

  test(
    "comes to rest with one that faces it",
    Effect.gen(function* () {
      const mirrors = yield* Mirrors
      const sql = yield* SqlClient
      const { from, ref, to } = yield* scene
      const own = yield* member(from.tenantId, Role.admin)
      // The check that would refuse it does not see the first one for a moment.
      yield* sql`UPDATE mirror SET target_bucket_id = NULL`
      const facing = yield* mirrors.create(Actor.system, to, into(from, own.key))
      const back = { ...to, mirrorId: facing.id }
      const files = yield* Files
      yield* startWorker()
      const atRest = until(
        Effect.all([record(ref), record(back)]),
        ([one, other]) => one.stats.pending + other.stats.pending === 0
      )
      const a = yield* upload(from, "a", "one", { metadata: { k: "v" } })
      yield* upload(to, "b", "two")
      yield* atRest
      expect((yield* shown(from)).map(({ name }) => name)).toEqual(["a", "b"])
      expect(yield* shown(to)).toEqual(yield* shown(from))
      yield* reupload(from, a.id, "three")
      yield* files.update(Actor.system, { ...from, fileId: a.id }, { metadata: {} })
      yield* atRest
      expect(yield* shown(to)).toEqual(yield* shown(from))
      yield* files.remove(Actor.system, { ...from, fileId: a.id })
      yield* atRest
      expect((yield* shown(from)).map(({ name }) => name)).toEqual(["b"])
      expect(yield* shown(to)).toEqual(yield* shown(from))
    })
  )
})
