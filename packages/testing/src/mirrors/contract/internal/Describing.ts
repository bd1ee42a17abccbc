/**
 * Tests that descriptions are written with the bytes, and replaced without them.
 */
import { assert } from "@effect/vitest"
import * as MirrorTarget from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { ObjectDescription } from "@holdfast/core/mirrors/targets/ObjectDescription"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as Generate from "../../../data/Generate.ts"
import * as Objects from "../Objects.ts"
import type { Settings, Tester } from "./Settings.ts"

const full: ObjectDescription = {
  contentType: "text/html; charset=utf-8",
  cacheControl: "public, max-age=31536000, immutable",
  contentDisposition: "attachment; filename=\"na_ve.html\"; filename*=UTF-8''na%C3%AFve%20%E2%82%AC.html",
  contentEncoding: "br",
  contentLanguage: "de-AT, en",
  metadata: {
    "holdfast-file": "fil_01a1fe85-9ad7-7533-b309-006a726f615c",
    "meta-note": 'na%C3%AFve, "quoted"; a=b & c  d ~!@#$^*()_+|<>?',
    "x-1": "1",
    long: "v".repeat(1500)
  }
}

const descriptions: ReadonlyArray<ObjectDescription> = [
  Objects.minimalDescription,
  full,
  { contentType: "video/mp4", metadata: { "meta-only": "this" } },
  { contentType: "text/css", contentLanguage: "en", cacheControl: "no-cache", metadata: {} }
]

export const register = (it: Tester, { partBytes, timeout }: Settings): void => {
  it.effect.each([0, 1000, partBytes + 1])(
    "write: object of %i bytes → has the whole description",
    (size) =>
      Effect.gen(function* () {
        const fresh = yield* Objects.fresh
        const bytes = Generate.bytes(1, size)
        yield* Objects.write(fresh, "described.html", bytes, full)
        yield* Objects.assertObject(fresh, "described.html", bytes, full)
      }),
    timeout
  )

  it.effect.each([0, 1000, partBytes + 1])(
    "describe: object of %i bytes → new description, same bytes",
    (size) =>
      Effect.gen(function* () {
        const fresh = yield* Objects.fresh
        const bytes = Generate.bytes(2, size)
        yield* Objects.write(fresh, "folder/a b.html", bytes, full)
        for (const description of [...descriptions, Objects.minimalDescription]) {
          const receipt = yield* fresh.target.describe(Objects.object("folder/a b.html", bytes, description))
          const found = yield* Objects.assertObject(fresh, "folder/a b.html", bytes, description)
          assert.isTrue(MirrorTarget.isUnchanged(receipt, found))
        }
      }),
    timeout
  )

  it.effect(
    "isUnchanged: description replaced → false, at the latest one second later",
    () =>
      Effect.gen(function* () {
        const fresh = yield* Objects.fresh
        const bytes = Generate.bytes(3, 100)
        const first = yield* Objects.write(fresh, "a", bytes)
        let turn = 0
        const again = Effect.suspend(() =>
          fresh.target.describe(
            Objects.object("a", bytes, { ...Objects.minimalDescription, metadata: { turn: String(turn++) } })
          )
        )
        // Times of changes are whole seconds.
        const stat = Effect.map(fresh.target.stat("a"), Option.getOrThrow)
        assert.isTrue(MirrorTarget.isUnchanged(first, yield* stat))
        const last = yield* Effect.repeat(again, {
          until: () => Effect.map(stat, (found) => !MirrorTarget.isUnchanged(first, found)),
          schedule: Schedule.spaced("100 millis")
        })
        const description = { ...Objects.minimalDescription, metadata: { turn: String(turn - 1) } }
        const found = yield* Objects.assertObject(fresh, "a", bytes, description)
        assert.isTrue(MirrorTarget.isUnchanged(last, found))
        assert.isFalse(MirrorTarget.isUnchanged(first, found))
      }),
    timeout
  )

  it.effect(
    "write, describe: metadata with an empty value → succeeds; the target may omit that entry",
    () =>
      Effect.gen(function* () {
        const { readBack, target } = yield* Objects.fresh
        const bytes = Generate.bytes(5, 10)
        const object = Objects.object("a", bytes, { ...Objects.minimalDescription, metadata: { empty: "", kept: "1" } })
        yield* target.write(object, Stream.make(bytes))
        yield* target.describe(object)
        const { metadata } = Option.getOrThrow(yield* readBack("a")).description
        assert.deepStrictEqual({ empty: "", ...metadata }, { empty: "", kept: "1" })
      }),
    timeout
  )

  it.effect(
    "describe: object missing → NotFound, and no object is created",
    () =>
      Effect.gen(function* () {
        const fresh = yield* Objects.fresh
        const error = yield* Effect.flip(fresh.target.describe(Objects.object("missing", Generate.bytes(4, 10), full)))
        assert.deepStrictEqual([error.reason, error.operation], ["NotFound", "describe"])
        yield* Objects.assertNoObject(fresh, "missing")
      }),
    timeout
  )
}
