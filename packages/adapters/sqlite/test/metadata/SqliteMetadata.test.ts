/**
 * The contract of the repositories on SQLite.
 *
 * `HOLDFAST_CONTRACTS=all` (`pnpm contracts`) runs all of it in each way to open a database. The statements are the same in all of them:
 * otherwise a database in a file runs all parts, and the other ways those that show how they differ.
 */
import { IsBackgroundWork } from "@holdfast/core/BackgroundWork"
import * as MemoryMetadata from "@holdfast/testing/metadata/MemoryMetadata"
import * as RepositoryContract from "@holdfast/testing/metadata/RepositoryContract"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqliteMetadata from "../../src/SqliteMetadata.ts"
import * as Temporary from "../support/Temporary.ts"

const select = (only: NonNullable<RepositoryContract.Options["only"]>): RepositoryContract.Options => ({
  only: process.env["HOLDFAST_CONTRACTS"] === "all" ? undefined : only
})

const file = Layer.unwrap(Effect.map(Temporary.file, (path) => SqliteMetadata.layer({ file: path })))

// One connection for everything: transactions that run at the same time. The tests of the API use such a database, too.
RepositoryContract.suite(
  "SQLite in memory",
  MemoryMetadata.layer,
  select(["deployment", "files: concurrent changes", "removals of buckets and tenants: concurrent changes", "events"])
)

RepositoryContract.suite("SQLite in a file", file)

// Another thread runs the statements: those of the workers, with transactions of each kind.
RepositoryContract.suite(
  "SQLite in a file, background work",
  file.pipe(Layer.provideMerge(Layer.succeed(IsBackgroundWork, true))),
  select([
    "files: moves and removals of folders",
    "removals in steps",
    "blobs",
    "scrubs",
    "conversions: claims",
    "mirrors: tasks",
    "mirrors: reconciliation",
    "webhooks: deliveries",
    "queue depths",
    "usage: recount"
  ])
)
