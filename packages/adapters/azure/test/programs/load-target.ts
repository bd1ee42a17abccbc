/**
 * Prints whether the SDK is loaded after the import of the module of mirror targets, and after a target was opened,
 * and how many modules were loaded in one turn of the event loop at most.
 */
import * as ImportWatch from "@holdfast/testing/processes/ImportWatch"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

const isLoaded = ImportWatch.watch("@azure/")

const { open } = await import("../../src/AzureMirrorTarget.ts")
const imported = isLoaded()
const mostPerTurn = ImportWatch.watchTurns()
const opening = open({ allowPrivate: false })({
  type: "AZURE_BLOB",
  accountName: "account",
  containerName: "container",
  accountKey: Redacted.make("a2V5")
})
await Effect.runPromise(Effect.scoped(opening))
process.stdout.write(JSON.stringify({ imported, opened: isLoaded(), mostPerTurn: mostPerTurn() }))
