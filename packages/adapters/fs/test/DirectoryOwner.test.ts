/**
 * What root creates in the data directory of another user, who puts links to files of others into it.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as FsBlobStore from "../src/FsBlobStore.ts"
import * as TemporaryDirectory from "./support/TemporaryDirectory.ts"
import * as TestStore from "./support/TestStore.ts"

/** The number of the user who owns the data directory. It needs no name. */
const user = 65_000

const openAsRoot = Effect.gen(function* () {
  const parent = yield* TemporaryDirectory.make
  const directory = `${parent}/data`
  Fs.mkdirSync(directory)
  Fs.chownSync(directory, user, user)
  return { parent, directory, store: yield* FsBlobStore.make({ directory }) }
})

const ownerOf = (path: string): number => Fs.lstatSync(path).uid

describe.skipIf(process.geteuid?.() !== 0)("FsBlobStore of root in the directory of another user", () => {
  it.live("put: small and large content → the user has the files and all directories", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* openAsRoot
      yield* store.put(TestStore.key(0), Generate.stream(1, 10))
      yield* store.put(TestStore.key(1), Generate.stream(1, 1_000_000))
      for (const path of Fs.readdirSync(directory, { recursive: true, encoding: "utf8" })) {
        assert.strictEqual(ownerOf(`${directory}/${path}`), user, path)
      }
    })
  )

  it.live("put and copy: links to a file and a directory of root in the way → root keeps both", () =>
    Effect.gen(function* () {
      const { directory, parent, store } = yield* openAsRoot
      yield* store.put(TestStore.key(0), Generate.stream(1, 10))
      const { bucketId, tenantId } = TestStore.parts(0)
      const [secret, foreign] = [`${parent}/secret`, `${parent}/foreign`]
      Fs.writeFileSync(secret, "secret")
      const blob = store.localFile?.(TestStore.key(0)) ?? ""
      Fs.unlinkSync(blob)
      Fs.linkSync(secret, blob)
      yield* store.copy!(TestStore.key(0), TestStore.key(2))
      assert.strictEqual(ownerOf(secret), 0)

      const bucket = `${directory}/blobs/${tenantId}/${bucketId}`
      const { blobId } = TestStore.parts(1)
      Fs.rmSync(bucket, { recursive: true })
      Fs.mkdirSync(`${foreign}/${blobId.slice(-2)}`, { recursive: true })
      Fs.symlinkSync(foreign, bucket)
      yield* store.put(TestStore.key(1), Generate.stream(1, 10))
      assert.strictEqual(ownerOf(`${foreign}/${blobId.slice(-2)}`), 0)
    })
  )
})
