/**
 * Prints whether Google's library is loaded after the import of the package, after a store was opened with credentials,
 * and after one was opened without.
 */
import * as ImportWatch from "@holdfast/testing/processes/ImportWatch"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const isLoaded = ImportWatch.watch("google-auth-library")

const { gcs } = await import("../../src/index.ts")
const Documents = await import("../support/Documents.ts")
const open = (adapter: ReturnType<typeof gcs>) => Effect.runPromise(Effect.scoped(Layer.build(adapter.blobs)))

const imported = isLoaded()
await open(gcs({ bucket: "bucket", credentials: Redacted.value(Documents.make("https://example.com/token")) }))
const withCredentials = isLoaded()
await open(gcs({ bucket: "bucket" }))
process.stdout.write(JSON.stringify({ imported, withCredentials, without: isLoaded() }))
