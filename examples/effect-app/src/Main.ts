/**
 * The layers of the program: Holdfast's services over a disk and SQLite, and the archive over those.
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

/** Everything below one directory. Bytes that no file needs any more are swept every minute. */
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
