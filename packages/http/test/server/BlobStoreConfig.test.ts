import { assert, describe, it } from "@effect/vitest"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as BlobStores from "../../src/server/config/blobs/BlobStores.ts"
import * as Config from "../../src/server/config/Config.ts"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

type Environment = Readonly<Record<string, string>>

const services = Layer.merge(NodeFileSystem.layer, Digest.layerWebCrypto)
const load = (environment: Environment) => Effect.provide(Config.load({ environment }), services)

/** Returns the blob store of an environment. */
const resolve = (environment: Environment) =>
  Effect.map(load(environment), (settings) => Result.getOrThrow(BlobStores.resolve(settings)))

const s3 = { HOLDFAST_BLOBS: "s3", HOLDFAST_S3_BUCKET: "b" }
const azure = { HOLDFAST_BLOBS: "azure", HOLDFAST_AZURE_CONTAINER: "c", HOLDFAST_AZURE_ACCOUNT_NAME: "a" }
const gcs = { HOLDFAST_BLOBS: "gcs", HOLDFAST_GCS_BUCKET: "b" }

describe("BlobStoreConfig", () => {
  it.effect("nothing set → fs", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* resolve({}), { store: "fs" })
    })
  )

  it.effect("s3: options with configured credentials, or without for those that the SDK finds", () =>
    Effect.gen(function* () {
      const config = yield* resolve({
        ...s3,
        HOLDFAST_S3_REGION: "eu-central-1",
        HOLDFAST_S3_ENDPOINT: "https://s3.example.com/",
        HOLDFAST_S3_FORCE_PATH_STYLE: "on",
        HOLDFAST_S3_PREFIX: "files/",
        HOLDFAST_S3_ACCESS_KEY_ID: "id",
        HOLDFAST_S3_SECRET_ACCESS_KEY: "hunter2"
      })
      assert.deepStrictEqual(config, {
        store: "s3",
        options: {
          bucket: "b",
          region: "eu-central-1",
          endpoint: "https://s3.example.com",
          forcePathStyle: true,
          prefix: "files/",
          credentials: { accessKeyId: "id", secretAccessKey: Redacted.make("hunter2", { label: "S3SecretAccessKey" }) }
        }
      })
      const bare = yield* resolve({ ...s3, AWS_REGION: "eu-west-1" })
      assert.isTrue(bare.store === "s3" && bare.options.credentials === undefined)
      assert.isTrue(bare.store === "s3" && bare.options.region === "eu-west-1")
    })
  )

  it.effect("azure: account key, SAS or connection string → the option of that kind only", () =>
    Effect.gen(function* () {
      const accounts = [
        { HOLDFAST_AZURE_ACCOUNT_KEY: "aHVudGVyMg==" },
        { HOLDFAST_AZURE_SAS: "hunter2" },
        { HOLDFAST_AZURE_CONNECTION_STRING: "hunter2" }
      ]
      const kinds = yield* Effect.forEach(accounts, (account: Environment) =>
        Effect.map(resolve({ ...azure, ...account }), (config) =>
          "options" in config ? Object.keys(config.options) : []
        )
      )
      assert.deepStrictEqual(
        kinds.map((names) => names.filter((name) => /key|sas|string/i.test(name))),
        [["accountKey"], ["sas"], ["connectionString"]]
      )
    })
  )

  it.effect("gcs: bucket set → gcs", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* resolve(gcs)).store, "gcs")
    })
  )

  const faults: ReadonlyArray<readonly [Environment, string]> = [
    [{ HOLDFAST_BLOBS: "tape" }, 'HOLDFAST_BLOBS in the environment: expected one of fs, s3, azure, gcs; got "tape".'],
    [{ HOLDFAST_BLOBS: "s3" }, "HOLDFAST_S3_BUCKET: must be set, since HOLDFAST_BLOBS is s3."],
    [{ HOLDFAST_S3_BUCKET: "b" }, "HOLDFAST_S3_BUCKET: cannot be used, since HOLDFAST_BLOBS is fs."],
    [{ ...s3, HOLDFAST_GCS_BUCKET: "b" }, "HOLDFAST_GCS_BUCKET: cannot be used, since HOLDFAST_BLOBS is s3."],
    [
      { ...s3, HOLDFAST_S3_ACCESS_KEY_ID: "k" },
      "HOLDFAST_S3_SECRET_ACCESS_KEY: must be set together with HOLDFAST_S3_ACCESS_KEY_ID."
    ],
    [
      { ...s3, HOLDFAST_S3_SECRET_ACCESS_KEY: "hunter2" },
      "HOLDFAST_S3_ACCESS_KEY_ID: must be set together with HOLDFAST_S3_SECRET_ACCESS_KEY."
    ],
    [{ HOLDFAST_BLOBS: "azure" }, "HOLDFAST_AZURE_CONTAINER: must be set, since HOLDFAST_BLOBS is azure."],
    [
      azure,
      "HOLDFAST_AZURE_ACCOUNT_KEY: must be set, or HOLDFAST_AZURE_SAS or HOLDFAST_AZURE_CONNECTION_STRING, since HOLDFAST_BLOBS is azure."
    ],
    [
      { ...azure, HOLDFAST_AZURE_SAS: "hunter2", HOLDFAST_AZURE_ACCOUNT_KEY: "aHVudGVyMg==" },
      "HOLDFAST_AZURE_SAS: cannot be set together with HOLDFAST_AZURE_ACCOUNT_KEY."
    ],
    [
      { HOLDFAST_BLOBS: "azure", HOLDFAST_AZURE_CONTAINER: "c", HOLDFAST_AZURE_SAS: "hunter2" },
      "HOLDFAST_AZURE_ACCOUNT_NAME: must be set, since HOLDFAST_BLOBS is azure."
    ],
    [{ HOLDFAST_BLOBS: "gcs" }, "HOLDFAST_GCS_BUCKET: must be set, since HOLDFAST_BLOBS is gcs."]
  ]
  for (const [environment, line] of faults) {
    it.effect(`${JSON.stringify(environment)} → refused`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(load(environment))
        assert.strictEqual(error.render(), line)
      })
    )
  }
})
