/**
 * Stores in fresh containers of Azurite.
 */
import { ContainerClient, StorageSharedKeyCredential } from "@azure/storage-blob"
import { assert } from "@effect/vitest"
import * as Azurite from "@holdfast/testing/servers/Azurite"
import { type OpenOptions, RemoteStoreSubject } from "@holdfast/testing/storage/remote/RemoteStoreSubject"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as AzureBlobStore from "../../src/AzureBlobStore.ts"
import type * as AzureOptions from "../../src/AzureOptions.ts"

let containers = 0

/** The options that another client needs, too. */
export interface ContainerOptions {
  readonly container: string
  readonly accountName: string
  readonly accountKey: Redacted.Redacted
  readonly endpoint: string
}

/** Makes an empty container. Returns the options of a store in it. */
export const makeContainer = Effect.gen(function* () {
  const { accountKey, accountName, endpoint } = yield* Azurite.Azurite
  const container = `test-${process.pid}-${containers++}`
  const options: ContainerOptions = { container, accountName, accountKey, endpoint }
  yield* Effect.promise(() => clientOf(options).create())
  return options
})

/** Returns a client of the SDK. */
export const clientOf = ({ accountKey, accountName, container, endpoint }: ContainerOptions): ContainerClient =>
  new ContainerClient(
    `${endpoint}/${container}`,
    new StorageSharedKeyCredential(accountName, Redacted.value(accountKey))
  )

/** Returns the sizes of a blob's blocks: those that are part of it, and those that were never committed. */
export const blocksOf = (client: ContainerClient, name: string) =>
  Effect.map(
    Effect.promise(() => client.getBlockBlobClient(name).getBlockList("all")),
    ({ committedBlocks = [], uncommittedBlocks = [] }) => ({
      committed: committedBlocks.map(({ size }) => size),
      uncommitted: uncommittedBlocks.map(({ size }) => size)
    })
  )

/** A store in a fresh container of its own server. */
export const layer = Layer.unwrap(Effect.map(makeContainer, (options) => AzureBlobStore.layer(options))).pipe(
  Layer.provide(Azurite.layer)
)

/** Opens a store in a fresh container. */
export const open = Effect.gen(function* () {
  const options = yield* makeContainer
  const client = clientOf(options)
  const blocks = (name: string) => blocksOf(client, name)
  return { options, client, blocks, store: yield* AzureBlobStore.make(options) }
})

const blockBytes = 8 * 1024 * 1024

/** Asserts that a blob consists of whole blocks and the rest. */
const assertBlocks = (client: ContainerClient) => (key: string, size: number) =>
  Effect.map(blocksOf(client, key), (blocks) => {
    const whole = Array.from({ length: Math.floor(size / blockBytes) }, () => blockBytes)
    const rest = size % blockBytes
    assert.deepStrictEqual(blocks, { committed: rest === 0 ? whole : [...whole, rest], uncommitted: [] })
  })

const wrongKey = Buffer.from("another secret of the tests").toString("base64")
const wrongSignature = "sv=2024-11-04&sr=c&sp=racwdl&se=2100-01-01T00%3A00%3A00Z&sig=wrongsignature%3D"

/** Stores with a missing container, and with wrong credentials of each kind. */
const misconfigured = Effect.map(makeContainer, (options) => {
  const { accountName, container, endpoint } = options
  const wrong: ReadonlyArray<AzureOptions.Options> = [
    { ...options, container: "missing" },
    { ...options, accountKey: Redacted.make(wrongKey) },
    { accountName, container, endpoint, sas: Redacted.make(wrongSignature) }
  ]
  return wrong.map((options) => AzureBlobStore.make(options))
})

/** The subject of the suite of remote stores. */
export const subject = Layer.effect(
  RemoteStoreSubject,
  Effect.gen(function* () {
    const server = yield* Azurite.Azurite
    return RemoteStoreSubject.of({
      fresh: Effect.map(open, ({ client, options, store }) => ({
        store,
        endpoint: options.endpoint,
        open: (other: OpenOptions) => AzureBlobStore.make({ ...options, ...other }),
        putForeignObject: (folder: string) =>
          Effect.asVoid(Effect.promise(() => client.getBlockBlobClient(`${folder}notes.txt`).upload("notes", 5))),
        hasObject: (name: string) => Effect.promise(() => client.getBlobClient(name).exists()),
        assertParts: assertBlocks(client)
      })).pipe(Effect.provideService(Azurite.Azurite, server)),
      misconfigured: Effect.provideService(misconfigured, Azurite.Azurite, server),
      secrets: [wrongKey, "wrongsignature", Redacted.value(server.accountKey)],
      stop: server.stop,
      start: server.start
    })
  })
).pipe(Layer.provide(Azurite.layer))
