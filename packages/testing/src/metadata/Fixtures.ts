/**
 * Steps that tests share: they create the records that a test needs, and read the records that it checks.
 */
import * as Effect from "effect/Effect"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { Place, Selector } from "@holdfast/core/files/FileRef"
import type { StoredFile } from "@holdfast/core/files/File"
import type { Member } from "@holdfast/core/members/Member"
import { MemberRepository } from "@holdfast/core/members/MemberRepository"
import { BlobRepository, type BlobRow } from "@holdfast/core/storage/BlobRepository"
import { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
import * as Sample from "./Sample.ts"

/** Creates a tenant without members. Returns its id. */
export const tenant = Effect.gen(function* () {
  const stored = Sample.tenant()
  yield* (yield* TenantRepository).create({ tenant: stored })
  return stored.id
})

/** Adds a member to a tenant, with its account. */
export const member = (tenantId: string, made: Member = Sample.member()) =>
  Effect.flatMap(MemberRepository, (members) => members.add(tenantId, made))

/** Returns the input that removes a member who created nothing. */
export const removal = (tenantId: string, memberId: string) =>
  ({ tenantId, memberId, created: { _tag: "Refuse" }, at: Sample.at() }) as const

/** Creates a bucket, in a new tenant unless one is given. */
export const bucket = Effect.fnUntraced(function* (tenantId?: string) {
  const owner = tenantId ?? (yield* tenant)
  const stored = Sample.bucket()
  yield* (yield* BucketRepository).create(owner, stored)
  return { tenantId: owner, bucketId: stored.id }
})

/** Stages a blob in a bucket. Returns its id. */
export const stage = Effect.fnUntraced(function* (bucketRef: BucketRef, leaseUntil = Sample.at(60_000)) {
  const blobId = Sample.id("blb")
  yield* (yield* BlobRepository).stage({ bucket: bucketRef, blobId, at: Sample.at(), leaseUntil })
  return blobId
})

/** Creates a file without content. */
export const reserve = Effect.fnUntraced(function* (bucketRef: BucketRef, fields: Partial<StoredFile> = {}) {
  const file = Sample.file(fields)
  yield* (yield* FileRepository).insert(bucketRef, file)
  return file
})

/** Creates a file with content. */
export const store = Effect.fnUntraced(function* (bucketRef: BucketRef, fields: Partial<StoredFile> = {}) {
  const content = Sample.content(yield* stage(bucketRef))
  const file = Sample.file({ version: 1, content, ...fields })
  yield* (yield* FileRepository).insert(bucketRef, file)
  return { ...file, content }
})

/** Returns the selector of a file by its id. */
export const byId = (id: string): Selector => ({ _tag: "Id", id })

/** Returns the selector of a file by its folder and name. */
export const byPlace = ({ name, path }: Place): Selector => ({ _tag: "Place", place: { path, name } })

/** Returns the selector of a file by its alias. */
export const byAlias = (alias: string): Selector => ({ _tag: "Alias", alias })

/** Finds the row of a blob; undefined when there is none. */
export const blob = Effect.fnUntraced(function* (blobId: string) {
  const rows = yield* (yield* BlobRepository).list({ after: blobId.slice(0, -1), limit: 20 })
  return rows.find((row) => row.blobId === blobId)
})

/** Returns the rows of all blobs of a bucket. */
export const blobsOf = Effect.fnUntraced(function* (bucketRef: BucketRef) {
  const blobs = yield* BlobRepository
  const found: Array<BlobRow> = []
  let after: string | undefined
  do {
    const page: ReadonlyArray<BlobRow> = yield* blobs.list({ after, limit: 500 })
    found.push(...page.filter((row) => row.bucketId === bucketRef.bucketId))
    after = page.at(-1)?.blobId
  } while (after !== undefined)
  return found
})

/** Whether `listDue` returns a blob at a time. */
export const isDue = (blobId: string, at = Sample.at()) =>
  Effect.flatMap(BlobRepository, (blobs) =>
    Effect.map(blobs.listDue({ now: at, limit: 1_000_000 }), (due) => due.some((parts) => parts.blobId === blobId))
  )

/** Runs an effect a number of times concurrently. Returns the results of all. */
export const concurrently = <A, E, R>(count: number, attempt: (index: number) => Effect.Effect<A, E, R>) =>
  Effect.forEach(Array.from({ length: count }).keys(), (index) => Effect.result(attempt(index)), {
    concurrency: "unbounded"
  })
