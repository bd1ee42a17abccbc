/**
 * A node whose one bucket is mirrored to S3: tells by how many bytes its peak of resident memory grows with one large
 * file. Contents are zeros, of which its store keeps the number alone.
 */
import * as Actor from "@holdfast/core/Actor"
import { Mirrors } from "@holdfast/core/mirrors/Mirrors"
import { Uploads } from "@holdfast/core/files/Uploads"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as MemoryMetadata from "@holdfast/testing/metadata/MemoryMetadata"
import * as World from "@holdfast/testing/metadata/World"
import * as MirrorScene from "@holdfast/testing/mirrors/MirrorScene"
import * as MemoryBlobStore from "@holdfast/testing/storage/MemoryBlobStore"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import * as Mirror from "../support/Mirror.ts"

const Arguments = Schema.Struct({
  endpoint: Schema.String,
  bucketName: Schema.String,
  accessKeyId: Schema.String,
  secretAccessKey: Schema.String,
  bytes: Schema.Int
})
const chunkBytes = 64 * 1024

/** Chunks of their own, as those that are read from a disk are. */
const zeros = (bytes: number): Stream.Stream<Uint8Array> =>
  Stream.fromIterable(
    (function* () {
      for (let left = bytes; left > 0; left -= chunkBytes) yield new Uint8Array(Math.min(chunkBytes, left))
    })(),
    { chunkSize: 1 }
  )

/** Takes from the store in memory what nobody asks for here. */
const zeroStore = Layer.effect(
  BlobStore,
  Effect.map(BlobStore, (store) => {
    const sizes = new Map<string, number>()
    return BlobStore.of({
      ...store,
      put: (key, content) =>
        Effect.gen(function* () {
          const hash = createHash("sha256")
          let size = 0
          yield* Stream.runForEach(content, (chunk) =>
            Effect.sync(() => {
              size += chunk.byteLength
              hash.update(chunk)
            })
          )
          sizes.set(key, size)
          return { size, sha256: hash.digest("hex") }
        }),
      read: (key) => zeros(sizes.get(key) ?? 0)
    })
  })
).pipe(Layer.provide(MemoryBlobStore.layer))

/** Kilobytes, as Linux counts them. */
const memory = (field: "VmRSS" | "VmHWM"): number => {
  const [, kilobytes] = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(readFileSync("/proc/self/status", "utf8")) ?? []
  return Number(kilobytes)
}

const program = Effect.gen(function* () {
  const { accessKeyId, bucketName, bytes, endpoint, secretAccessKey } = yield* Schema.decodeUnknownEffect(
    Schema.fromJsonString(Arguments)
  )(process.argv[2])
  const bucket = yield* World.bucket()
  const { id } = yield* (yield* Mirrors).create(Actor.system, bucket, {
    type: "CLOUD_A",
    name: "A mirror",
    region: "us-east-1",
    endpoint,
    bucketName,
    accessKeyId,
    forcePathStyle: true,
    secretAccessKey: Redacted.make(secretAccessKey)
  })
  yield* MirrorScene.startWorker({ poll: Duration.seconds(1) })
  const copy = Effect.fnUntraced(function* (name: string, size: number) {
    yield* (yield* Uploads).upload(Actor.system, bucket, zeros(size), Effect.succeed({ name }))
    yield* MirrorScene.settled({ ...bucket, mirrorId: id })
  })
  // Everything is loaded, and has grown to what it needs.
  yield* copy("warm-up", 64 * 1024 * 1024)
  const before = memory("VmRSS")
  // From here on the peak is counted anew (proc(5)).
  writeFileSync("/proc/self/clear_refs", "5")
  yield* copy("large", bytes)
  process.stdout.write(JSON.stringify({ grownBytes: (memory("VmHWM") - before) * 1024 }))
})

const services = MirrorScene.servicesTo(
  Mirror.targets({ partBytes: undefined, copyBytes: undefined }),
  MemoryMetadata.layer,
  zeroStore
)
await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(services)))
