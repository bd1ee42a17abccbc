/**
 * The services of the tests of conversions, with a fake transcoder. Independent of the test framework, so that programs can
 * use it, too.
 */
import * as Holdfast from "@holdfast/core/Holdfast"
import * as MirrorTarget from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as SecretBox from "@holdfast/core/secrets/SecretBox"
import * as Settings from "@holdfast/core/Settings"
import type { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as ConversionWorker from "@holdfast/core/conversions/worker/ConversionWorker"
import type { ConversionWorkspace } from "@holdfast/core/conversions/worker/ConversionWorkspace"
import type { ConversionWorkerOptions } from "@holdfast/core/conversions/worker/ConversionWorkerOptions"
import * as FsBlobStore from "@holdfast/fs/FsBlobStore"
import * as FsConversionWorkspace from "@holdfast/fs/FsConversionWorkspace"
import * as SqliteMetadata from "@holdfast/sqlite/SqliteMetadata"
import type { Metadata } from "@holdfast/core/Holdfast"
import * as FakeTranscoder from "@holdfast/testing/transcoding/FakeTranscoder"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { TranscoderControl } from "@holdfast/testing/transcoding/TranscoderControl"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"

/** Makes a directory, which is removed when the scope closes. */
export const temporary = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(Path.join(Os.tmpdir(), "holdfast-conversions-"))),
  (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true, force: true }))
)

/** All services but a worker. DOOMED blobs may be swept at once. */
export const withPorts = <Further, E>(ports: Layer.Layer<Metadata | BlobStore | ConversionWorkspace | Further, E>) =>
  Holdfast.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        ports,
        FakeTranscoder.layer,
        MirrorTarget.layerNone,
        SecretBox.layerNone,
        SecureRandom.layerWebCrypto,
        Digest.layerWebCrypto
      )
    ),
    Layer.provideMerge(Layer.succeed(Settings.Settings, { ...Settings.defaults, blobGrace: Duration.zero }))
  )

/** The same with metadata and blobs on disk, so that they survive the process. */
export const inDirectory = (directory: string) =>
  withPorts(
    Layer.mergeAll(
      SqliteMetadata.layer({ file: Path.join(directory, "metadata.sqlite") }),
      FsBlobStore.layer({ directory: Path.join(directory, "blobs") }),
      FsConversionWorkspace.layer({ directory: Path.join(directory, "work") })
    )
  )

/** No storyboards: they join some time after READY, and tests count blobs as soon as a conversion is READY. */
const withoutStoryboards = Effect.flatMap(TranscoderControl, ({ fail }) => fail("storyboard", "Unsupported"))

/** Ends the faults of the transcoder that a test has set. */
export const clearFaults = Effect.andThen(
  Effect.flatMap(TranscoderControl, ({ clear }) => clear),
  withoutStoryboards
)

/** A lease that is renewed soon, and does not expire when the machine is busy: then another run would begin. */
export const shortLease = Duration.millis(400)

/** Starts a worker with short intervals in the scope. */
export const startWorker = Effect.fnUntraced(function* (options: Partial<ConversionWorkerOptions> = {}) {
  yield* withoutStoryboards
  return yield* Layer.build(
    Layer.fresh(
      ConversionWorker.layer({
        pollInterval: Duration.millis(5),
        publishInterval: Duration.millis(1),
        retryDelay: Duration.millis(1),
        lease: Duration.seconds(30),
        ...options
      })
    )
  )
})

/** Repeats an effect until a condition is true of its value. */
export const until = <A, E, R>(self: Effect.Effect<A, E, R>, condition: (value: A) => boolean) =>
  Effect.repeat(self, { until: condition, schedule: Schedule.spaced("2 millis") })
