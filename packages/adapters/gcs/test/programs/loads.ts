/**
 * Tells whether Google's library is loaded after the package was, after a store was opened with credentials, and after one was
 * opened without.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { registerHooks } from "node:module"

let isLoaded = false
registerHooks({
  resolve: (specifier, context, next) => {
    isLoaded ||= specifier.startsWith("google-auth-library")
    return next(specifier, context)
  }
})

const { gcs } = await import("../../src/index.ts")
const Service = await import("../support/Service.ts")
const open = (adapter: ReturnType<typeof gcs>) => Effect.runPromise(Effect.scoped(Layer.build(adapter.blobs)))

const imported = isLoaded
await open(gcs({ bucket: "bucket", credentials: Redacted.value(Service.credentials("https://example.com/token")) }))
const withCredentials = isLoaded
await open(gcs({ bucket: "bucket" }))
process.stdout.write(JSON.stringify({ imported, withCredentials, without: isLoaded }))
