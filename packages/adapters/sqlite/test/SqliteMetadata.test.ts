import * as RepositoryContract from "@holdfast/testing/metadata/RepositoryContract"
import * as SqliteMetadata from "../src/SqliteMetadata.ts"

RepositoryContract.suite("SQLite in memory", SqliteMetadata.layer({ file: ":memory:" }))
