/**
 * Tells whether the SDK is loaded after the package was, and after a store was opened.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { registerHooks } from "node:module"

let isLoaded = false
registerHooks({
  resolve: (specifier, context, next) => {
    isLoaded ||= specifier.startsWith("@aws-sdk/")
    return next(specifier, context)
  }
})

const { s3 } = await import("../../src/index.ts")
const imported = isLoaded
const credentials = { accessKeyId: "id", secretAccessKey: "secret" }
const { blobs } = s3({ bucket: "bucket", region: "us-east-1", credentials })
await Effect.runPromise(Effect.scoped(Layer.build(blobs)))
process.stdout.write(JSON.stringify({ imported, opened: isLoaded }))
