import { IsBackgroundWork } from "@holdfast/core/BackgroundWork"
import * as MemoryMetadata from "@holdfast/testing/metadata/MemoryMetadata"
import * as RepositoryContract from "@holdfast/testing/metadata/RepositoryContract"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqliteMetadata from "../../src/SqliteMetadata.ts"
import * as Temporary from "../support/Temporary.ts"

RepositoryContract.suite("SQLite in memory", MemoryMetadata.layer)

RepositoryContract.suite(
  "SQLite in a file",
  Layer.unwrap(Effect.map(Temporary.file, (file) => SqliteMetadata.layer({ file })))
)

RepositoryContract.suite(
  "SQLite in a file, background work",
  Layer.unwrap(Effect.map(Temporary.file, (file) => SqliteMetadata.layer({ file }))).pipe(
    Layer.provideMerge(Layer.succeed(IsBackgroundWork, true))
  )
)
