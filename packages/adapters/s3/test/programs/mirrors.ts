/**
 * Tells whether the SDK is loaded after the module of mirrors' targets was, and after a target was opened.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { registerHooks } from "node:module"

let isLoaded = false
registerHooks({
  resolve: (specifier, context, next) => {
    isLoaded ||= specifier.startsWith("@aws-sdk/")
    return next(specifier, context)
  }
})

const { open } = await import("../../src/S3MirrorTarget.ts")
const imported = isLoaded
const opening = open({ allowPrivate: false })({
  type: "S3",
  region: "us-east-1",
  bucketName: "bucket",
  accessKeyId: "id",
  secretAccessKey: Redacted.make("secret")
})
await Effect.runPromise(Effect.scoped(opening))
process.stdout.write(JSON.stringify({ imported, opened: isLoaded }))
