/**
 * Google's own client on the fake service. The fake responds as the client expects, and the client and a store read
 * each other's objects.
 */
import { type Bucket as SdkBucket, Storage } from "@google-cloud/storage"
import { assert, layer } from "@effect/vitest"
import * as BlobKeys from "@holdfast/testing/data/BlobKeys"
import * as Generate from "@holdfast/testing/data/Generate"
import * as FakeGcs from "@holdfast/testing/servers/gcs/FakeGcs"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as GcsBlobStore from "../src/GcsBlobStore.ts"
import * as ServiceAccount from "../src/internal/client/ServiceAccount.ts"
import * as Store from "./support/Store.ts"

const mebibyte = 1024 * 1024

/** Requests a token from the document's endpoint. The SDK always requests tokens from Google. */
const requestToken = async (credentials: Redacted.Redacted): Promise<string> => {
  const account = Result.getOrThrow(ServiceAccount.parse(Redacted.value(credentials)))
  const grant_type = "urn:ietf:params:oauth:grant-type:jwt-bearer"
  const body = new URLSearchParams({ grant_type, assertion: ServiceAccount.makeAssertion(account, Date.now()) })
  const response = (await (await fetch(account.tokenUri, { method: "POST", body })).json()) as { access_token: string }
  return response.access_token
}

type Interceptor = NonNullable<Storage["interceptors"][number]["request"]>

/** Opens a bucket by the SDK, and a store in the same bucket. */
const open = Effect.gen(function* () {
  const options = yield* Store.makeBucket
  const authorization = `Bearer ${yield* Effect.promise(() => requestToken(options.credentials))}`
  const storage = new Storage({ apiEndpoint: options.endpoint, projectId: "testing" })
  const authorize: Interceptor = (request) =>
    Object.assign(request, { headers: { ...request.headers, authorization } }) as ReturnType<Interceptor>
  storage.interceptors.push({ request: authorize })
  const store = yield* GcsBlobStore.make({ ...options, chunkBytes: mebibyte })
  return { bucket: storage.bucket(options.bucket), store }
})

const run = (use: (bucket: SdkBucket) => Promise<void>) =>
  Effect.flatMap(open, ({ bucket }) => Effect.promise(() => use(bucket)))

const save = { validation: "crc32c", metadata: { contentType: "image/png", metadata: { a: "1" } } } as const

layer(FakeGcs.layer, { excludeTestServices: true })("Google's SDK on the fake service", (it) => {
  it.effect.each([
    [0, false],
    [1000, false],
    [1000, true],
    [3 * mebibyte + 5, true]
  ] as const)("save %i bytes (resumable: %s) → read back and verified", ([size, resumable]) =>
    run(async (bucket) => {
      const content = Buffer.from(Generate.bytes(1, size))
      const file = bucket.file("folder/a b.png")
      await file.save(content, { ...save, resumable, chunkSize: mebibyte })
      const [read] = await file.download({ validation: "crc32c" })
      assert.isTrue(read.equals(content))
      const [metadata] = await file.getMetadata()
      assert.deepInclude(metadata, { size: String(size), contentType: "image/png", metadata: { a: "1" } })
      if (size > 20) assert.isTrue((await file.download({ start: 10, end: 19 }))[0].equals(content.subarray(10, 20)))
    })
  )

  it.effect("setMetadata, copy, getFiles, delete → as the SDK expects", () =>
    run(async (bucket) => {
      const file = bucket.file("a/1")
      await file.save("content", { ...save, resumable: false })
      const [described] = await file.setMetadata({ cacheControl: "no-store", metadata: { a: null, b: "2" } })
      assert.deepInclude(described, { cacheControl: "no-store", metadata: { b: "2" }, metageneration: "2" })
      await file.copy(bucket.file("a/2"))
      assert.strictEqual((await bucket.file("a/2").download())[0].toString(), "content")
      await bucket.file("b").save("b", { resumable: false })
      const [files] = await bucket.getFiles({ prefix: "a/", maxResults: 1, autoPaginate: true })
      assert.deepStrictEqual(
        files.map(({ name }) => name),
        ["a/1"]
      )
      const [all] = await bucket.getFiles()
      assert.deepStrictEqual(
        all.map(({ name }) => name),
        ["a/1", "a/2", "b"]
      )
      await file.delete({ ifGenerationMatch: Number(described.generation) })
      assert.deepStrictEqual(await file.exists(), [false])
      assert.deepStrictEqual(await bucket.exists(), [true])
    })
  )

  it.effect("precondition not met → 412; missing object → 404", () =>
    run(async (bucket) => {
      const file = bucket.file("a")
      await file.save("one", { resumable: false, preconditionOpts: { ifGenerationMatch: 0 } })
      const codeOf = (request: Promise<unknown>): Promise<unknown> =>
        request.then(
          () => "none",
          (error: { code: unknown }) => error.code
        )
      const again = file.save("two", { resumable: false, preconditionOpts: { ifGenerationMatch: 0 } })
      assert.strictEqual(await codeOf(again), 412)
      assert.strictEqual(await codeOf(bucket.file("missing").getMetadata()), 404)
      assert.strictEqual(await codeOf(bucket.file("missing").download()), 404)
    })
  )

  it.effect.each([1000, 2 * mebibyte])("%i bytes of a store → read by the SDK, and the other way round", (size) =>
    Effect.gen(function* () {
      const { bucket, store } = yield* open
      const content = Buffer.from(Generate.bytes(2, size))
      yield* store.put(BlobKeys.key(0), Stream.make(content))
      const [read] = yield* Effect.promise(() => bucket.file(BlobKeys.key(0)).download({ validation: "md5" }))
      assert.isTrue(read.equals(content))
      yield* Effect.promise(() => bucket.file(BlobKeys.key(1)).save(content, { resumable: false }))
      assert.isTrue(Buffer.concat(yield* Stream.runCollect(store.read(BlobKeys.key(1)))).equals(content))
    })
  )
})
