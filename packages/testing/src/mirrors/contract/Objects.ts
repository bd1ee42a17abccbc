/**
 * Steps and assertions that the tests of the contract suite share.
 */
import { assert } from "@effect/vitest"
import type { MirrorObject, MirrorTarget, WriteReceipt } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { MirrorTargetError } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import type { ObjectDescription } from "@holdfast/core/mirrors/targets/ObjectDescription"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Generate from "../../data/Generate.ts"
import { assertSame, chunked } from "../../storage/contract/internal/Blobs.ts"
import * as MirrorSubject from "../MirrorSubject.ts"

export const fresh = Effect.flatMap(MirrorSubject.MirrorSubject, (subject) => subject.fresh)

/** A description with only the fields that every object has. */
export const minimalDescription: ObjectDescription = { contentType: "application/octet-stream", metadata: {} }

/** Returns an object of these bytes. */
export const object = (
  name: string,
  bytes: Uint8Array,
  description: ObjectDescription = minimalDescription
): MirrorObject => ({
  name,
  size: bytes.byteLength,
  sha256: Generate.sha256(bytes),
  description
})

/** Writes an object of these bytes, in chunks of 64 KiB. */
export const write = (
  { target }: MirrorSubject.FreshTarget,
  name: string,
  bytes: Uint8Array,
  description?: ObjectDescription
): Effect.Effect<WriteReceipt, MirrorTargetError> =>
  target.write(object(name, bytes, description), chunked(bytes, [64 * 1024]))

/** Lists all objects, ordered by name. */
export const listSorted = (target: MirrorTarget) =>
  Effect.map(Stream.runCollect(target.list), (objects) => objects.toSorted((a, b) => (a.name < b.name ? -1 : 1)))

/** Returns a description without fields that are undefined. */
const withoutUndefined = ({ metadata, ...fields }: ObjectDescription) => ({
  ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
  metadata: { ...metadata }
})

/** Asserts that an object has exactly these bytes and this description, by every method. Returns the result of `stat`. */
export const assertObject = (
  { readBack, target }: MirrorSubject.FreshTarget,
  name: string,
  bytes: Uint8Array,
  description: ObjectDescription = minimalDescription
) =>
  Effect.gen(function* () {
    const read = Option.getOrThrow(yield* readBack(name))
    assertSame(read.bytes, bytes)
    assert.deepStrictEqual(withoutUndefined(read.description), withoutUndefined(description))
    const found = Option.getOrThrow(yield* target.stat(name))
    assert.strictEqual(found.size, bytes.byteLength)
    const entries = (yield* listSorted(target)).filter((entry) => entry.name === name)
    assert.deepStrictEqual(entries, [found])
    return found
  })

/** Asserts that no method finds an object of a name. */
export const assertNoObject = ({ readBack, target }: MirrorSubject.FreshTarget, name: string) =>
  Effect.gen(function* () {
    assert.isTrue(Option.isNone(yield* readBack(name)))
    assert.isTrue(Option.isNone(yield* target.stat(name)))
    assert.notInclude(
      (yield* listSorted(target)).map((entry) => entry.name),
      name
    )
  })
