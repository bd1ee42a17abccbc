/**
 * Fresh containers of Azurite.
 */
import { ContainerClient, StorageSharedKeyCredential } from "@azure/storage-blob"
import * as Azurite from "@holdfast/testing/servers/Azurite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as AzureBlobStore from "../../src/AzureBlobStore.ts"

let made = 0

/** What both a store and another client need to know. */
export interface TestOptions {
  readonly container: string
  readonly accountName: string
  readonly accountKey: Redacted.Redacted
  readonly endpoint: string
}

/** Options for a container that is empty and nobody else's. */
export const options = Effect.gen(function* () {
  const { accountKey, accountName, endpoint } = yield* Azurite.Azurite
  const options: TestOptions = { container: `test-${process.pid}-${made++}`, accountName, accountKey, endpoint }
  yield* Effect.promise(() => client(options).create())
  return options
})

/** A client besides the store's. */
export const client = ({ accountKey, accountName, container, endpoint }: TestOptions): ContainerClient =>
  new ContainerClient(
    `${endpoint}/${container}`,
    new StorageSharedKeyCredential(accountName, Redacted.value(accountKey))
  )

/** A store in a fresh container of a server of its own. */
export const store = Layer.unwrap(Effect.map(options, (options) => AzureBlobStore.layer(options))).pipe(
  Layer.provide(Azurite.layer)
)
