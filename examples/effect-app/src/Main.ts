/**
 * The layers of the program: the archive, over the services of Holdfast, over a disk and SQLite.
 */
import * as Holdfast from "@holdfast/core/Holdfast"
import * as FsBlobStore from "@holdfast/fs/FsBlobStore"
import * as SqliteMetadata from "@holdfast/sqlite/SqliteMetadata"
import * as Layer from "effect/Layer"
import { Archive } from "./Archive.ts"

/** Stores everything in one directory, laid out as the commands of `holdfast` expect it. */
export const layer = (directory: string) =>
  Archive.layer.pipe(
    Layer.provideMerge(Holdfast.layerDefaults),
    Layer.provide([SqliteMetadata.layer({ file: `${directory}/holdfast.sqlite` }), FsBlobStore.layer({ directory })])
  )
