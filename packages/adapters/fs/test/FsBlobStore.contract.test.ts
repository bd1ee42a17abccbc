import * as BlobStoreContract from "@holdfast/testing/storage/BlobStoreContract"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as FsBlobStore from "../src/FsBlobStore.ts"
import * as TemporaryDirectory from "./support/TemporaryDirectory.ts"

BlobStoreContract.suite(
  "FsBlobStore",
  Layer.unwrap(Effect.map(TemporaryDirectory.make, (directory) => FsBlobStore.layer({ directory })))
)
