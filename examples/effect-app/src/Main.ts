/**
 * The layers of the program: the archive, over the services of Holdfast, over a disk and SQLite.
 */
import * as Holdfast from "@holdfast/core/Holdfast"
import * as FsBlobStore from "@holdfast/fs/FsBlobStore"
import * as SqliteMetadata from "@holdfast/sqlite/SqliteMetadata"
import * as Layer from "effect/Layer"
import { Archive } from "./Archive.ts"

/** Stores everything below one directory. */
export const layer = (directory: string) =>
  Archive.layer.pipe(
    Layer.provideMerge(Holdfast.layerDefaults),
    Layer.provide([
      SqliteMetadata.layer({ file: `${directory}/metadata.sqlite` }),
      FsBlobStore.layer({ directory: `${directory}/files` })
    ])
  )
