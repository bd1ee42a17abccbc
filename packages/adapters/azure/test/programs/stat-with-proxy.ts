/**
 * Calls `stat` of a mirror target at the URL in the first argument, and prints the result: the tag of the option, or
 * the reason of the error. The second argument is `private` if private addresses are allowed. The test sets proxies in
 * the environment.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as AzureMirrorTarget from "../../src/AzureMirrorTarget.ts"

const open = AzureMirrorTarget.open({ allowPrivate: process.argv[3] === "private", maxAttempts: 1 })
const result = await open({
  type: "AZURE_BLOB",
  accountName: "account",
  containerName: "container",
  accountKey: Redacted.make("a2V5"),
  endpoint: process.argv[2]
}).pipe(
  Effect.flatMap((target) => target.stat("name")),
  Effect.match({ onFailure: ({ reason }) => reason, onSuccess: ({ _tag }) => _tag }),
  Effect.scoped,
  Effect.runPromise
)
process.stdout.write(result)
