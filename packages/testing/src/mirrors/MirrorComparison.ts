/**
 * A test of a mirror to a real store: after hundreds of changes, rclone compares the target with the files that the services
 * return, byte by byte.
 */
import { expect, it, vi } from "@effect/vitest"
import * as Actor from "@holdfast/core/Actor"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { Downloads } from "@holdfast/core/files/Downloads"
import { Files } from "@holdfast/core/files/Files"
import type { CreateMirror } from "@holdfast/core/mirrors/MirrorInput"
import { Mirrors } from "@holdfast/core/mirrors/Mirrors"
import { objectName } from "@holdfast/core/mirrors/targets/MirroredFile"
import type { MirrorTargets } from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as ObjectDescription from "@holdfast/core/mirrors/targets/ObjectDescription"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { mkdir, mkdtemp, open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as MemoryMetadata from "../metadata/MemoryMetadata.ts"
import * as Fixtures from "../metadata/Fixtures.ts"
import * as MirrorChanges from "./MirrorChanges.ts"
import * as MirrorHarness from "./MirrorHarness.ts"
import type { ReadBack } from "./MirrorSubject.ts"
import * as Rclone from "./Rclone.ts"

/** An empty bucket or container that no other test uses. */
export interface ComparisonTarget {
  /** The input that creates a mirror to it. */
  readonly mirror: CreateMirror
  readonly remote: Rclone.Remote
  /** Reads an object by its name, by other means than those of the adapter. */
  readonly readBack: (name: string) => Effect.Effect<Option.Option<ReadBack>>
}

const changes = 500
const largeBytes = 64 * 1024 * 1024

const makeDirectory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "holdfast-mirror-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)

const save = (path: string, content: Stream.Stream<Uint8Array, unknown>) =>
  Effect.acquireUseRelease(
    Effect.promise(async () => {
      await mkdir(dirname(path), { recursive: true })
      return open(path, "wx")
    }),
    (file) => Stream.runForEach(content, (chunk) => Effect.promise(() => file.writeFile(chunk))),
    (file) => Effect.promise(() => file.close())
  )

/** Writes every file of a bucket, as the services return it, to a directory. Returns the number of files. */
const download = Effect.fnUntraced(function* (bucket: BucketRef, root: string) {
  const [files, downloads] = [yield* Files, yield* Downloads]
  let count = 0
  let cursor: string | undefined
  do {
    const page = yield* files.list(Actor.system, bucket, { recursive: true, limit: 100, cursor })
    for (const file of page.items) {
      const { read } = yield* downloads.open(Actor.system, { ...bucket, fileId: file.id })
      yield* save(join(root, objectName(file)), read())
      count++
    }
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return count
})

/** Registers the test with vitest. To repeat a failure, set `HOLDFAST_SEED` to the seed in the name of the test. */
export const suite = <E, E2, R>(
  name: string,
  targets: Layer.Layer<MirrorTargets, E>,
  makeTarget: Effect.Effect<ComparisonTarget, E2, R | Scope.Scope>,
  server: Layer.Layer<R, unknown>
): void => {
  vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })
  const seed = Number(process.env["HOLDFAST_SEED"] ?? Math.floor(Math.random() * 2 ** 31))
  it.live(`${name}: ${changes} changes of the bucket → rclone finds the same files at the target (seed ${seed})`, () =>
    Effect.gen(function* () {
      const { mirror, readBack, remote } = yield* makeTarget
      const bucket = yield* Fixtures.bucket()
      const made = yield* (yield* Mirrors).create(Actor.system, bucket, mirror)
      yield* MirrorHarness.startWorker()
      yield* MirrorChanges.run(bucket, seed, changes, largeBytes)
      yield* MirrorHarness.untilCopied({ ...bucket, mirrorId: made.id })

      const root = yield* makeDirectory
      const count = yield* download(bucket, root)
      // Changes that remove files or folders leave some 40 to 90 of them.
      expect(count).toBeGreaterThan(changes / 25)
      expect(yield* Rclone.check(root, remote)).toHaveLength(count)
      for (const file of yield* MirrorHarness.listFiles(bucket)) {
        const { description } = Option.getOrThrow(yield* readBack(objectName(file)))
        expect(description).toEqual(ObjectDescription.of(file))
      }
    }).pipe(
      Effect.scoped,
      Effect.provide(
        MirrorHarness.layerWithTargets<never, E, never, unknown>(targets, MemoryMetadata.layer).pipe(
          Layer.provideMerge(server)
        )
      )
    )
  )
}
