/**
 * A mirror of a real store, after hundreds of changes of its bucket: equal to what the bucket's own interface gives, byte by
 * byte, as told by other code than ours.
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
import * as MirrorScene from "./MirrorScene.ts"
import type { ReadBack } from "./MirrorSubject.ts"
import * as Rclone from "./Rclone.ts"

/** A bucket or container that is empty and nobody else's. */
export interface Site {
  /** What makes a mirror to it. */
  readonly mirror: CreateMirror
  readonly remote: Rclone.Remote
  /** What stands under a name, told by other means than the adapter's. */
  readonly readBack: (name: string) => Effect.Effect<Option.Option<ReadBack>>
}

const changes = 500
const largeBytes = 64 * 1024 * 1024

const directory = Effect.acquireRelease(
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

/** Writes every file of a bucket, as its services give them, to a directory; tells how many. */
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

/** Registers the test with vitest. A failure is had again with the seed that it tells, in `HOLDFAST_SEED`. */
export const suite = <E, E2, R>(
  name: string,
  targets: Layer.Layer<MirrorTargets, E>,
  site: Effect.Effect<Site, E2, R | Scope.Scope>,
  server: Layer.Layer<R, unknown>
): void => {
  vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })
  const seed = Number(process.env["HOLDFAST_SEED"] ?? Math.floor(Math.random() * 2 ** 31))
  it.live(`${name}: rclone finds every file in the mirror, and nothing else (seed ${seed})`, () =>
    Effect.gen(function* () {
      const { mirror, readBack, remote } = yield* site
      const bucket = yield* Fixtures.bucket()
      const made = yield* (yield* Mirrors).create(Actor.system, bucket, mirror)
      yield* MirrorScene.startWorker()
      yield* MirrorChanges.run(bucket, seed, changes, largeBytes)
      yield* MirrorScene.settled({ ...bucket, mirrorId: made.id })

      const root = yield* directory
      const count = yield* download(bucket, root)
      expect(count).toBeGreaterThan(changes / 10)
      expect(yield* Rclone.check(root, remote)).toHaveLength(count)
      for (const file of yield* MirrorScene.filesOf(bucket)) {
        const { description } = Option.getOrThrow(yield* readBack(objectName(file)))
        expect(description).toEqual(ObjectDescription.of(file))
      }
    }).pipe(
      Effect.scoped,
      Effect.provide(
        MirrorScene.servicesTo<never, E, never, unknown>(targets, MemoryMetadata.layer).pipe(Layer.provideMerge(server))
      )
    )
  )
}
