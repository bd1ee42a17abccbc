/**
 * Tells whether the SDK is loaded after the package was, and after a store was opened.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { registerHooks } from "node:module"

let isLoaded = false
registerHooks({
  resolve: (specifier, context, next) => {
    isLoaded ||= specifier.startsWith("@azure/")
    return next(specifier, context)
  }
})

const { azure } = await import("../../src/index.ts")
const imported = isLoaded
const { blobs } = azure({ container: "container", accountName: "account", accountKey: "a2V5" })
await Effect.runPromise(Effect.scoped(Layer.build(blobs)))
process.stdout.write(JSON.stringify({ imported, opened: isLoaded }))
