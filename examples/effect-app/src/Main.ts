/**
 * The layers of the program: the archive, over the services of Holdfast, over a disk and SQLite.
 */
import * as Holdfast from "@holdfast/core/Holdfast"
import * as MirrorTarget from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as SecretBox from "@holdfast/core/secrets/SecretBox"
import * as Sweeper from "@holdfast/core/storage/Sweeper"
import * as Transcoder from "@holdfast/core/transcoding/Transcoder"
import * as FsBlobStore from "@holdfast/fs/FsBlobStore"
import * as SqliteMetadata from "@holdfast/sqlite/SqliteMetadata"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Layer from "effect/Layer"
import { Archive } from "./Archive.ts"

/** Stores everything below one directory. Sweeps every minute, which removes the bytes of doomed blobs. */
export const layer = (directory: string) =>
  Layer.merge(Archive.layer, Sweeper.layerPeriodic("1 minute")).pipe(
    Layer.provideMerge(Holdfast.layer),
    Layer.provide([
      SqliteMetadata.layer({ file: `${directory}/metadata.sqlite` }),
      FsBlobStore.layer({ directory: `${directory}/files` }),
      Transcoder.layerNone,
      MirrorTarget.layerNone,
      SecretBox.layerNone,
      SecureRandom.layerWebCrypto,
      Digest.layerWebCrypto
    ])
  )
