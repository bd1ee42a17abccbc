/**
 * Prints whether the SDK is loaded after the import of the package, and after a store was opened.
 */
import * as ImportWatch from "@holdfast/testing/processes/ImportWatch"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const isLoaded = ImportWatch.watch("@azure/")

const { azure } = await import("../../src/index.ts")
const imported = isLoaded()
const { blobs } = azure({ container: "container", accountName: "account", accountKey: "a2V5" })
await Effect.runPromise(Effect.scoped(Layer.build(blobs)))
process.stdout.write(JSON.stringify({ imported, opened: isLoaded() }))
