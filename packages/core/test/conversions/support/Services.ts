/**
 * Conversions over a fake transcoder. Without the test framework, so that programs can use it too.
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
import type { Metadata } from "@holdfast/testing/metadata/Metadata"
import * as FakeTranscoder from "@holdfast/testing/transcoding/FakeTranscoder"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"

/** A directory that lives as long as the test. */
export const temporary = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(Path.join(Os.tmpdir(), "holdfast-conversions-"))),
  (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true, force: true }))
)

/** Everything but a worker. What is doomed is due at once. */
export const over = <E>(ports: Layer.Layer<Metadata | BlobStore | ConversionWorkspace, E>) =>
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

/** The same with everything on the disk, to outlive the process. */
export const inDirectory = (directory: string) =>
  over(
    Layer.mergeAll(
      SqliteMetadata.layer({ file: Path.join(directory, "metadata.sqlite") }),
      FsBlobStore.layer({ directory: Path.join(directory, "blobs") }),
      FsConversionWorkspace.layer({ directory: Path.join(directory, "work") })
    )
  )

/** Starts a worker in the scope, one that hurries. */
export const startWorker = (options: Partial<ConversionWorkerOptions> = {}) =>
  Layer.build(
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

/** Waits until what an effect gives is as wanted. */
export const until = <A, E, R>(self: Effect.Effect<A, E, R>, isWanted: (value: A) => boolean) =>
  Effect.repeat(self, { until: isWanted, schedule: Schedule.spaced("2 millis") })
