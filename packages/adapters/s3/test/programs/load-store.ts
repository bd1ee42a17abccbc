/**
 * Prints whether the SDK is loaded after the import of the package, and after a store was opened.
 */
import * as ImportWatch from "@holdfast/testing/processes/ImportWatch"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const isLoaded = ImportWatch.watch("@aws-sdk/")

const { s3 } = await import("../../src/index.ts")
const imported = isLoaded()
const credentials = { accessKeyId: "id", secretAccessKey: "secret" }
const { blobs } = s3({ bucket: "bucket", region: "us-east-1", credentials })
await Effect.runPromise(Effect.scoped(Layer.build(blobs)))
process.stdout.write(JSON.stringify({ imported, opened: isLoaded() }))
