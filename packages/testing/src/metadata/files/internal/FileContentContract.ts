/**
 * The contract of `FileRepository.replaceContent` and `remove`.
 */
import { expect } from "@effect/vitest"
import type { Content } from "@holdfast/core/files/File"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { FileRepository, type ReplacedDescription } from "@holdfast/core/files/FileRepository"
import { holds, type Precondition } from "@holdfast/core/files/Precondition"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as Fixtures from "../../Fixtures.ts"

const sweepAt = Sample.at(90_000)

const replace = (bucket: BucketRef, fileId: string, content: Content, condition: Precondition = {}) =>
  Effect.flatMap(FileRepository, (files) => files.replaceContent({ bucket, fileId, content, condition, sweepAt }))

/** Preconditions of every kind, for a content with this entity tag. */
const conditions = (etag: string): ReadonlyArray<Precondition> => {
  const tags = [
    "*" as const,
    [],
    [etag],
    [`W/${etag}`],
    ['"other"'],
    ['"\0"', '"other"', etag],
    [`W/"other"`, `W/${etag}`]
  ]
  return [
    {},
    ...tags.map((ifMatch) => ({ ifMatch })),
    ...tags.map((ifNoneMatch) => ({ ifNoneMatch })),
    { ifMatch: [etag], ifNoneMatch: ['"other"'] },
    { ifMatch: "*", ifNoneMatch: "*" }
  ]
}

export const fileContentContract = (it: It): void => {
  it.effect("replaceContent: new content → new blob READY, old one DOOMED, version + 1, other fields unchanged", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const headers = [{ name: "x-a", value: "1" }]
      const file = yield* Fixtures.store(bucket, {
        alias: "logo",
        metadata: { a: 1 },
        headers,
        path: "/a/",
        version: 4
      })
      const content = { ...Sample.content(yield* Fixtures.stage(bucket)), storedAt: Sample.at(50) }
      const replaced = yield* replace(bucket, file.id, content)
      expect(replaced).toEqual({ ...file, version: 5, content, updatedAt: Sample.at(50) })
      expect(yield* (yield* FileRepository).find(bucket, Fixtures.byId(file.id))).toEqual(Option.some(replaced))
      const { sha256, size } = content
      const bytes = { isPart: false, hasParts: null }
      const row = {
        ...bucket,
        ...bytes,
        blobId: content.blobId,
        state: "READY",
        size,
        sha256,
        fileId: file.id,
        damage: null
      }
      expect(yield* Fixtures.blob(content.blobId)).toEqual(row)
      expect(yield* Fixtures.blob(file.content.blobId)).toMatchObject({ state: "DOOMED", fileId: null })
      expect(yield* Fixtures.isDue(file.content.blobId)).toBe(false)
      expect(yield* Fixtures.isDue(file.content.blobId, sweepAt)).toBe(true)
    })
  )

  it.effect(
    "replaceContent: with a description → its fields change, absent ones stay; alias of another file → AliasTaken",
    () =>
      Effect.gen(function* () {
        const files = yield* FileRepository
        const bucket = yield* Fixtures.bucket()
        const taken = yield* Fixtures.store(bucket, { alias: "taken" })
        const file = yield* Fixtures.store(bucket, { alias: "logo", metadata: { a: 1 } })
        const attempt = (description: ReplacedDescription) =>
          Effect.flatMap(Fixtures.stage(bucket), (blobId) => {
            const content = { ...Sample.content(blobId), storedAt: Sample.at(50) }
            const replacement = { bucket, fileId: file.id, content, description, condition: {}, sweepAt }
            return Effect.map(files.replaceContent(replacement), (replaced) => ({ replaced, content }))
          })
        const headers = [{ name: "x-a", value: "1" }]
        const first = yield* attempt({ metadata: { b: 2 }, headers })
        const changed = { ...file, metadata: { b: 2 }, headers, updatedAt: Sample.at(50) }
        expect(first.replaced).toEqual({ ...changed, version: file.version + 1, content: first.content })
        const refused = yield* Effect.flip(attempt({ alias: "taken" }))
        expect(refused).toMatchObject({ _tag: "AliasTaken", existingId: taken.id })
        expect(yield* files.find(bucket, Fixtures.byId(file.id))).toEqual(Option.some(first.replaced))
        expect((yield* Fixtures.blob(first.content.blobId))?.state).toBe("READY")
        const second = yield* attempt({ alias: null })
        expect(second.replaced).toEqual({ ...changed, alias: null, version: file.version + 2, content: second.content })
      })
  )

  it.effect("checksum of a content → stored with it; replaced by a content without one → none", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const content = { ...Sample.content(yield* Fixtures.stage(bucket)), checksum: "CRC32 AAAAAA==" }
      const file = Sample.file({ version: 1, content })
      yield* files.insert(bucket, file)
      const checksum = Effect.map(
        files.find(bucket, Fixtures.byId(file.id)),
        (found) => Option.getOrThrow(found).content?.checksum
      )
      expect(yield* checksum).toBe("CRC32 AAAAAA==")
      yield* replace(bucket, file.id, { ...Sample.content(yield* Fixtures.stage(bucket)), checksum: "SHA1 x" })
      expect(yield* checksum).toBe("SHA1 x")
      yield* replace(bucket, file.id, Sample.content(yield* Fixtures.stage(bucket)))
      expect(yield* checksum).toBeUndefined()
    })
  )

  it.effect("replaceContent: reserved file → first content, version 1", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const file = yield* Fixtures.reserve(bucket)
      const content = Sample.content(yield* Fixtures.stage(bucket))
      expect(yield* replace(bucket, file.id, content)).toEqual({
        ...file,
        version: 1,
        content,
        updatedAt: content.storedAt
      })
    })
  )

  it.effect("replaceContent: unknown file or blob not PENDING → NotFound or UploadExpired, nothing changed", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const foreign = yield* Fixtures.bucket()
      const file = yield* Fixtures.store(bucket)
      const blobId = yield* Fixtures.stage(bucket)
      const elsewhere = yield* Effect.flip(replace(foreign, file.id, Sample.content(yield* Fixtures.stage(foreign))))
      expect(elsewhere).toMatchObject({ _tag: "NotFound", resource: "file" })
      const unknown = replace(bucket, Sample.id("fil"), Sample.content(blobId), { ifMatch: "*" })
      expect(yield* Effect.flip(unknown)).toMatchObject({ _tag: "NotFound", resource: "file" })
      expect((yield* Fixtures.blob(blobId))?.state).toBe("PENDING")
      for (const gone of [Sample.id("blb"), file.content.blobId, yield* Fixtures.stage(foreign)]) {
        expect((yield* Effect.flip(replace(bucket, file.id, Sample.content(gone))))._tag).toBe("UploadExpired")
      }
      expect(yield* (yield* FileRepository).find(bucket, Fixtures.byId(file.id))).toEqual(Option.some(file))
      expect((yield* Fixtures.blob(file.content.blobId))?.state).toBe("READY")
    })
  )

  it.effect(
    "replaceContent and remove: precondition → changed or PreconditionFailed, as `Precondition.holds` returns",
    () =>
      Effect.gen(function* () {
        const files = yield* FileRepository
        const bucket = yield* Fixtures.bucket()
        for (const isReserved of [true, false]) {
          const made = isReserved ? Fixtures.reserve(bucket) : Fixtures.store(bucket)
          const probe = yield* Fixtures.store(bucket)
          for (const index of conditions("").keys()) {
            const [file, removable] = [yield* made, yield* made]
            const attempt = (etag: string) => conditions(etag)[index] ?? {}
            const blobId = yield* Fixtures.stage(bucket)
            const condition = attempt(file.content?.etag ?? probe.content.etag)
            const replaced = yield* Effect.result(replace(bucket, file.id, Sample.content(blobId), condition))
            const expected = holds(condition, file.content)
            expect({ condition, holds: Result.isSuccess(replaced) }).toEqual({ condition, holds: expected })
            if (Result.isFailure(replaced)) expect(replaced.failure._tag).toBe("PreconditionFailed")
            expect((yield* Fixtures.blob(blobId))?.state).toBe(expected ? "READY" : "PENDING")

            const removal = attempt(removable.content?.etag ?? probe.content.etag)
            const removed = yield* Effect.result(
              files.remove({ bucket, selector: Fixtures.byId(removable.id), condition: removal, sweepAt })
            )
            expect({ removal, holds: Result.isSuccess(removed) }).toEqual({ removal, holds: expected })
            if (Result.isFailure(removed)) expect(removed.failure._tag).toBe("PreconditionFailed")
            const left = yield* files.find(bucket, Fixtures.byId(removable.id))
            expect(left).toEqual(expected ? Option.none() : Option.some(removable))
          }
        }
      })
  )

  it.effect("remove: file → not found any more, blob DOOMED; again or of another bucket → NotFound", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const file = yield* Fixtures.store(bucket, { alias: "logo", path: "/a/", name: "x" })
      const foreign = yield* Fixtures.bucket()
      const notFound = { _tag: "NotFound", resource: "file" }
      expect(
        yield* Effect.flip(files.remove({ bucket: foreign, selector: Fixtures.byId(file.id), condition: {}, sweepAt }))
      ).toMatchObject(notFound)
      yield* files.remove({ bucket, selector: Fixtures.byAlias("logo"), condition: {}, sweepAt })
      expect(yield* files.find(bucket, Fixtures.byId(file.id))).toEqual(Option.none())
      expect((yield* Fixtures.blob(file.content.blobId))?.state).toBe("DOOMED")
      expect(yield* Fixtures.isDue(file.content.blobId)).toBe(false)
      expect(yield* Fixtures.isDue(file.content.blobId, sweepAt)).toBe(true)
      expect(
        yield* Effect.flip(files.remove({ bucket, selector: Fixtures.byId(file.id), condition: {}, sweepAt }))
      ).toMatchObject(notFound)
      expect(
        yield* Effect.flip(
          files.remove({ bucket, selector: Fixtures.byId(file.id), condition: { ifMatch: "*" }, sweepAt })
        )
      ).toMatchObject(notFound)
      yield* Fixtures.reserve(bucket, { alias: "logo", path: "/a/", name: "x" })
    })
  )
}
