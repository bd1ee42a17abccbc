/**
 * The contract of `FileRepository` for concurrent changes of one file.
 */
import { expect } from "@effect/vitest"
import { PreconditionFailed } from "@holdfast/core/Errors"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import * as Header from "@holdfast/core/files/Header"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as Fixtures from "../../Fixtures.ts"

const sweepAt = Sample.at(90_000)

const contents = (bucket: BucketRef, count: number) =>
  Effect.forEach(Array.from({ length: count }).keys(), () => Effect.map(Fixtures.stage(bucket), Sample.content))

/** Returns the ids of a bucket's blobs in a state. */
const inState = (bucket: BucketRef, wanted: string) =>
  Effect.map(Fixtures.blobsOf(bucket), (rows) =>
    rows.filter(({ state }) => state === wanted).map(({ blobId }) => blobId)
  )

export const fileRaceContract = (it: It): void => {
  it.effect("replaceContent: 20 at the same time → each increases the version, only the last blob is READY", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const file = yield* Fixtures.store(bucket)
      const made = yield* contents(bucket, 20)
      const results = yield* Effect.forEach(
        made,
        (content) => files.replaceContent({ bucket, fileId: file.id, content, condition: {}, sweepAt }),
        { concurrency: "unbounded" }
      )
      const versions = results.map(({ version }) => version).toSorted((a, b) => a - b)
      expect(versions).toEqual(Array.from({ length: 20 }, (_, index) => index + 2))
      const last = results.find(({ version }) => version === 21)
      expect(yield* files.find(bucket, Fixtures.byId(file.id))).toEqual(Option.fromNullishOr(last))
      expect(yield* inState(bucket, "READY")).toEqual([last?.content?.blobId])
      expect(yield* inState(bucket, "DOOMED")).toHaveLength(20)
    })
  )

  it.effect(
    "replaceContent: 20 at the same time with the same ifMatch → one succeeds, the others PreconditionFailed",
    () =>
      Effect.gen(function* () {
        const files = yield* FileRepository
        const bucket = yield* Fixtures.bucket()
        const file = yield* Fixtures.store(bucket)
        const made = yield* contents(bucket, 20)
        const condition = { ifMatch: [file.content.etag] }
        const results = yield* Effect.forEach(
          made,
          (content) => Effect.result(files.replaceContent({ bucket, fileId: file.id, content, condition, sweepAt })),
          { concurrency: "unbounded" }
        )
        const winner = results.find(Result.isSuccess)
        expect(winner?.success.version).toBe(2)
        expect(results.filter(Result.isFailure).map(({ failure }) => failure)).toEqual(
          Array.from({ length: 19 }, () => new PreconditionFailed())
        )
        expect(yield* inState(bucket, "READY")).toEqual([winner?.success.content?.blobId])
        expect(yield* inState(bucket, "PENDING")).toHaveLength(19)
      })
  )

  it.effect("remove: replacements at the same time → file removed, no blob READY", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const file = yield* Fixtures.store(bucket)
      const made = yield* contents(bucket, 19)
      const results = yield* Fixtures.concurrently(20, (index): Effect.Effect<void, { readonly _tag: string }> => {
        const content = made[index]
        return content === undefined
          ? files.remove({ bucket, selector: Fixtures.byId(file.id), condition: {}, sweepAt })
          : Effect.asVoid(files.replaceContent({ bucket, fileId: file.id, content, condition: {}, sweepAt }))
      })
      for (const result of results.filter(Result.isFailure)) expect(result.failure._tag).toBe("NotFound")
      expect(yield* files.find(bucket, Fixtures.byId(file.id))).toEqual(Option.none())
      expect(yield* inState(bucket, "READY")).toEqual([])
    })
  )

  it.effect("updateHeaders: 20 at the same time, with replacements → every header stored", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const file = yield* Fixtures.store(bucket, { alias: "logo" })
      const made = yield* contents(bucket, 5)
      yield* Fixtures.concurrently(25, (index): Effect.Effect<unknown, { readonly _tag: string }> => {
        const content = made[index - 20]
        const header = { name: `x-${index}`, value: `${index}` }
        return content === undefined
          ? files.updateHeaders({
              bucket,
              selector: index % 2 === 0 ? Fixtures.byId(file.id) : Fixtures.byAlias("logo"),
              change: (headers) => Result.succeed(Header.merge(headers, [header])),
              at: Sample.at(index)
            })
          : files.replaceContent({ bucket, fileId: file.id, content, condition: {}, sweepAt })
      })
      const found = Option.getOrThrow(yield* files.find(bucket, Fixtures.byId(file.id)))
      expect(found.headers.map(({ name }) => name).toSorted()).toEqual(
        Array.from({ length: 20 }, (_, index) => `x-${index}`).toSorted()
      )
      expect(found.version).toBe(6)
    })
  )

  it.effect("updateMetadata: 20 at the same time → every member stored", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const { id } = yield* Fixtures.store(bucket, { metadata: { kept: true } })
      yield* Fixtures.concurrently(20, (index) =>
        files.updateMetadata({
          bucket,
          selector: Fixtures.byId(id),
          change: (metadata) => Result.succeed({ ...metadata, [`m${index}`]: index }),
          at: Sample.at(index)
        })
      )
      const { metadata } = Option.getOrThrow(yield* files.find(bucket, Fixtures.byId(id)))
      expect(Object.keys(metadata)).toHaveLength(21)
    })
  )

  it.effect("update: 10 files move to one path and name at the same time → one succeeds, the others get its id", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const made = yield* Effect.forEach(Array.from({ length: 10 }).keys(), () => Fixtures.reserve(bucket))
      const results = yield* Effect.forEach(
        made,
        ({ id }) =>
          Effect.result(
            files.update({ bucket, selector: Fixtures.byId(id), change: { path: "/a/", name: "x" }, at: Sample.at(1) })
          ),
        { concurrency: "unbounded" }
      )
      const winner = results.find(Result.isSuccess)
      expect(results.filter(Result.isSuccess)).toHaveLength(1)
      for (const result of results.filter(Result.isFailure)) {
        expect(result.failure).toMatchObject({ _tag: "FileExists", existingId: winner?.success.id })
      }
    })
  )
}
