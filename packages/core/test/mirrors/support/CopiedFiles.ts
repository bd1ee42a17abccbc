/**
 * Mirrors with files, and the check of their targets.
 */
import { expect } from "@effect/vitest"
import * as MirrorHarness from "@holdfast/testing/mirrors/MirrorHarness"
import * as Effect from "effect/Effect"

const { createMirror, expectedObjects, objectsAt, untilCopied, upload } = MirrorHarness

/** Creates a mirror, and this many files in its bucket. */
export const createWithFiles = Effect.fnUntraced(function* (count: number) {
  const made = yield* createMirror()
  const names = Array.from({ length: count }, (_, index) => `file ${index}`)
  const files = yield* Effect.forEach(names, (name) => upload(made.bucket, name, name))
  return { ...made, files }
})

type Created = Effect.Success<ReturnType<typeof createMirror>>

/** Waits until a mirror has copied everything, and checks the target. */
export const expectCopied = Effect.fnUntraced(function* ({
  bucket,
  ref,
  target
}: Pick<Created, "bucket" | "ref" | "target">) {
  const { state } = yield* untilCopied(ref)
  expect(state).toBe("ACTIVE")
  expect(yield* objectsAt(target)).toEqual(yield* expectedObjects(bucket))
  expect(yield* target.overlaps).toEqual([])
})
