/**
 * Helpers of the contract's tests.
 */
import { assert } from "@effect/vitest"
import type { MirrorObject, MirrorTarget, WriteReceipt } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { MirrorTargetError } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import type { ObjectDescription } from "@holdfast/core/mirrors/targets/ObjectDescription"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Generate from "../../data/Generate.ts"
import { assertSame, chunked } from "../../storage/contract/Blobs.ts"
import * as MirrorSubject from "../MirrorSubject.ts"

export const fresh = Effect.flatMap(MirrorSubject.MirrorSubject, (subject) => subject.fresh)

/** Nothing but what every object has. */
export const bare: ObjectDescription = { contentType: "application/octet-stream", metadata: {} }

/** An object of these bytes. */
export const object = (name: string, bytes: Uint8Array, description: ObjectDescription = bare): MirrorObject => ({
  name,
  size: bytes.byteLength,
  sha256: Generate.sha256(bytes),
  description
})

/** Writes an object of these bytes, in chunks of 64 KiB. */
export const write = (
  { target }: MirrorSubject.Fresh,
  name: string,
  bytes: Uint8Array,
  description?: ObjectDescription
): Effect.Effect<WriteReceipt, MirrorTargetError> =>
  target.write(object(name, bytes, description), chunked(bytes, [64 * 1024]))

export const listed = (target: MirrorTarget) =>
  Effect.map(Stream.runCollect(target.list), (objects) => objects.toSorted((a, b) => (a.name < b.name ? -1 : 1)))

/** Without the fields that are absent. */
const plain = ({ metadata, ...fields }: ObjectDescription) => ({
  ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
  metadata: { ...metadata }
})

/** An object stands with exactly these bytes and this description, as told by every method; gives what it is told by. */
export const assertStands = (
  { readBack, target }: MirrorSubject.Fresh,
  name: string,
  bytes: Uint8Array,
  description: ObjectDescription = bare
) =>
  Effect.gen(function* () {
    const read = Option.getOrThrow(yield* readBack(name))
    assertSame(read.bytes, bytes)
    assert.deepStrictEqual(plain(read.description), plain(description))
    const found = Option.getOrThrow(yield* target.stat(name))
    assert.strictEqual(found.size, bytes.byteLength)
    const entries = (yield* listed(target)).filter((entry) => entry.name === name)
    assert.deepStrictEqual(entries, [found])
    return found
  })

/** Nothing stands under a name, by any method. */
export const assertAbsent = ({ readBack, target }: MirrorSubject.Fresh, name: string) =>
  Effect.gen(function* () {
    assert.isTrue(Option.isNone(yield* readBack(name)))
    assert.isTrue(Option.isNone(yield* target.stat(name)))
    assert.notInclude(
      (yield* listed(target)).map((entry) => entry.name),
      name
    )
  })
