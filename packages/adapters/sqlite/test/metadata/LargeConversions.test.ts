import * as LargeConversions from "@holdfast/testing/metadata/conversions/LargeConversions"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqliteMetadata from "../../src/SqliteMetadata.ts"
import * as Temporary from "../support/Temporary.ts"

LargeConversions.suite(
  "conversions with many files on SQLite",
  Layer.unwrap(Effect.map(Temporary.file, (file) => SqliteMetadata.layer({ file })))
)
