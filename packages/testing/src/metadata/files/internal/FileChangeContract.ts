/**
 * The contract of `FileRepository.update`, `updateMetadata`, `updateHeaders` and `move`.
 */
import { expect } from "@effect/vitest"
import type { UpdateFile } from "@holdfast/core/files/File"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import * as Header from "@holdfast/core/files/Header"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as Fixtures from "../../Fixtures.ts"

const notFound = { _tag: "NotFound", resource: "file" }

export const fileChangeContract = (it: It): void => {
  it.effect("update: each field → that field and updatedAt changed, content unchanged", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const { id } = yield* Fixtures.store(bucket, { alias: "logo", metadata: { a: 1, b: 2 } })
      const changes = [
        { name: "new name.txt" },
        { path: "/a/b/" },
        { metadata: { c: null } },
        { alias: "badge" },
        { alias: null },
        { name: "x", path: "/", alias: "logo", metadata: {} },
        {}
      ]
      for (const [index, change] of changes.entries()) {
        const before = Option.getOrThrow(yield* files.find(bucket, Fixtures.byId(id)))
        const after = { ...before, ...change, updatedAt: Sample.at(index) }
        expect(yield* files.update({ bucket, selector: Fixtures.byId(id), change, at: Sample.at(index) })).toEqual(
          after
        )
        expect(yield* files.find(bucket, Fixtures.byId(id))).toEqual(Option.some(after))
      }
    })
  )

  it.effect("update: selected by alias, new alias → alias changed, old alias finds none", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const file = yield* Fixtures.reserve(bucket, { alias: "old" })
      const changed = yield* files.update({
        bucket,
        selector: Fixtures.byAlias("old"),
        change: { alias: "new" },
        at: Sample.at()
      })
      expect(changed.id).toBe(file.id)
      expect(yield* files.find(bucket, Fixtures.byAlias("old"))).toEqual(Option.none())
      expect(
        yield* Effect.flip(files.update({ bucket, selector: Fixtures.byAlias("old"), change: {}, at: Sample.at() }))
      ).toMatchObject(notFound)
    })
  )

  it.effect(
    "update: path and name or alias of another file → FileExists or AliasTaken with its id, nothing changed",
    () =>
      Effect.gen(function* () {
        const files = yield* FileRepository
        const bucket = yield* Fixtures.bucket()
        const existing = yield* Fixtures.reserve(bucket, { path: "/a/", name: "x", alias: "logo" })
        const inFolder = yield* Fixtures.reserve(bucket, { path: "/a/", name: "y" })
        const inRoot = yield* Fixtures.reserve(bucket, { path: "/", name: "x" })
        const attempt = (id: string, change: UpdateFile) =>
          Effect.flip(files.update({ bucket, selector: Fixtures.byId(id), change, at: Sample.at(1) }))
        const exists = { _tag: "FileExists", existingId: existing.id }
        expect(yield* attempt(inFolder.id, { name: "x" })).toMatchObject(exists)
        expect(yield* attempt(inRoot.id, { path: "/a/" })).toMatchObject(exists)
        expect(yield* attempt(inRoot.id, { path: "/a/", name: "x" })).toMatchObject(exists)
        const taken = { _tag: "AliasTaken", existingId: existing.id }
        expect(yield* attempt(inRoot.id, { alias: "logo", name: "z" })).toMatchObject(taken)
        expect(yield* files.find(bucket, Fixtures.byId(inRoot.id))).toEqual(Option.some(inRoot))
        const same = { path: "/a/", name: "x", alias: "logo" }
        expect(
          yield* files.update({ bucket, selector: Fixtures.byId(existing.id), change: same, at: Sample.at() })
        ).toEqual(existing)
      })
  )

  it.effect("update and updateHeaders: file of another bucket or tenant → NotFound, unchanged", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const file = yield* Fixtures.reserve(bucket, { alias: "logo" })
      const others = [
        yield* Fixtures.bucket(bucket.tenantId),
        { tenantId: yield* Fixtures.tenant, bucketId: bucket.bucketId }
      ]
      for (const other of others) {
        for (const selector of [Fixtures.byId(file.id), Fixtures.byAlias("logo")]) {
          expect(
            yield* Effect.flip(files.update({ bucket: other, selector, change: { name: "x" }, at: Sample.at(1) }))
          ).toMatchObject(notFound)
          const headers = files.updateHeaders({ bucket: other, selector, change: Result.succeed, at: Sample.at(1) })
          expect(yield* Effect.flip(headers)).toMatchObject(notFound)
        }
      }
      expect(yield* files.find(bucket, Fixtures.byId(file.id))).toEqual(Option.some(file))
    })
  )

  it.effect("selector with a folder: file elsewhere → NotFound, unchanged; in the folder or below → found", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const make = (path: string, alias: string) => Fixtures.reserve(bucket, { path, alias })
      const at = Sample.at(1)
      for (const outside of [
        yield* make("/a/bc/", "sibling"),
        yield* make("/a/", "parent"),
        yield* make("/A/b/", "case")
      ]) {
        for (const plain of [Fixtures.byId(outside.id), Fixtures.byAlias(outside.alias ?? "")]) {
          const selector = { ...plain, folder: "/a/b/" }
          // A repository may keep rows that it has read.
          expect(yield* files.find(bucket, plain)).toEqual(Option.some(outside))
          expect(yield* files.find(bucket, selector)).toEqual(Option.none())
          const changes = [
            files.update({ bucket, selector, change: { name: "x" }, at }),
            files.updateHeaders({ bucket, selector, change: Result.succeed, at }),
            files.updateMetadata({ bucket, selector, change: Result.succeed, at }),
            files.remove({ bucket, selector, condition: {}, sweepAt: at }),
            files.remove({ bucket, selector, condition: { ifMatch: "*" }, sweepAt: at })
          ]
          for (const change of changes)
            expect(yield* Effect.flip<unknown, unknown, never>(change)).toMatchObject(notFound)
        }
        expect(yield* files.find(bucket, Fixtures.byId(outside.id))).toEqual(Option.some(outside))
      }
      for (const inside of [yield* make("/a/b/", "itself"), yield* make("/a/b/ü/", "below")]) {
        for (const plain of [Fixtures.byId(inside.id), Fixtures.byAlias(inside.alias ?? "")]) {
          for (const folder of ["/a/b/", "/"]) {
            expect(yield* files.find(bucket, { ...plain, folder })).toEqual(Option.some(inside))
          }
        }
      }
    })
  )

  it.effect("selector with a place: file renamed since → NotFound, unchanged; still there → found", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const file = yield* Fixtures.store(bucket, { path: "/a/", name: "new", metadata: { a: 1 } })
      const renamed = { ...Fixtures.byId(file.id), at: { path: "/a/", name: "old" } }
      const moved = { ...Fixtures.byId(file.id), at: { path: "/b/", name: "new" } }
      const at = Sample.at(1)
      for (const selector of [renamed, moved]) {
        expect(yield* files.find(bucket, selector)).toEqual(Option.none())
        const changes = [
          files.updateMetadata({ bucket, selector, change: Result.succeed, at }),
          files.remove({ bucket, selector, condition: {}, sweepAt: at }),
          files.remove({ bucket, selector, condition: { ifMatch: "*" }, sweepAt: at })
        ]
        for (const change of changes)
          expect(yield* Effect.flip<unknown, unknown, never>(change)).toMatchObject(notFound)
      }
      expect(yield* files.find(bucket, Fixtures.byId(file.id))).toEqual(Option.some(file))
      const selector = { ...Fixtures.byId(file.id), at: { path: file.path, name: file.name } }
      const change = () => Result.succeed({ b: 2 })
      const changed = { ...file, metadata: { b: 2 }, updatedAt: at }
      expect(yield* files.updateMetadata({ bucket, selector, change, at })).toEqual(changed)
      yield* files.remove({ bucket, selector, condition: {}, sweepAt: at })
      expect(yield* files.find(bucket, Fixtures.byId(file.id))).toEqual(Option.none())
    })
  )

  it.effect("updateHeaders: function of the current headers → its result is stored", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const file = yield* Fixtures.store(bucket, { headers: [{ name: "X-A", value: "1" }] })
      const changes = [
        { name: "x-a", value: "2" },
        { name: "x-b", value: 'é, "3"' }
      ]
      const changed = { ...file, headers: changes, updatedAt: Sample.at(8) }
      const update = files.updateHeaders({
        bucket,
        selector: Fixtures.byId(file.id),
        change: (headers) => Result.succeed(Header.merge(headers, changes)),
        at: Sample.at(8)
      })
      expect(yield* update).toEqual(changed)
      expect(yield* files.find(bucket, Fixtures.byId(file.id))).toEqual(Option.some(changed))
    })
  )

  it.effect("updateHeaders: function fails → its error, headers unchanged", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const file = yield* Fixtures.reserve(bucket, { headers: [{ name: "x-a", value: "1" }] })
      const refused = { _tag: "Refused", headers: file.headers }
      const update = files.updateHeaders({
        bucket,
        selector: Fixtures.byId(file.id),
        change: (headers) => Result.fail({ _tag: "Refused", headers }),
        at: Sample.at(8)
      })
      expect(yield* Effect.flip(update)).toEqual(refused)
      expect(yield* files.find(bucket, Fixtures.byId(file.id))).toEqual(Option.some(file))
    })
  )

  it.effect("move: replace → only the replaceable files are removed, another one is a conflict", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const bucket = yield* Fixtures.bucket()
      const moved = yield* Effect.forEach(["a", "b"], (name) => Fixtures.reserve(bucket, { path: "/from/", name }))
      const [a, b] = yield* Effect.forEach(["a", "b"], (name) => Fixtures.reserve(bucket, { path: "/to/", name }))
      const fileIds = moved.map(({ id }) => id)
      const move = (replaceable?: ReadonlySet<string>) => {
        const conflict = { onConflict: "replace", replaceable, suffix: "x" } as const
        return files.move({ bucket, fileIds, to: { path: "/to/" }, conflict, at: Sample.at(8), sweepAt: Sample.at(9) })
      }
      const error = yield* Effect.flip(move(new Set([a?.id ?? ""])))
      expect(error).toMatchObject({ _tag: "FileExists", existingId: b?.id })
      expect(Option.isSome(yield* files.find(bucket, Fixtures.byId(a?.id ?? "")))).toBe(true)
      yield* move(new Set([a?.id ?? "", b?.id ?? ""]))
      expect(Option.isNone(yield* files.find(bucket, Fixtures.byId(b?.id ?? "")))).toBe(true)
    })
  )
}
