/**
 * Google's own client on the fake service: that does what the client expects of the true one, and a store and the client
 * read what the other wrote.
 */
import { type Bucket as SdkBucket, Storage } from "@google-cloud/storage"
import { assert, layer } from "@effect/vitest"
import * as Generate from "@holdfast/testing/data/Generate"
import * as FakeGcs from "@holdfast/testing/servers/gcs/FakeGcs"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as GcsBlobStore from "../src/GcsBlobStore.ts"
import * as ServiceAccount from "../src/client/ServiceAccount.ts"
import * as Bucket from "./support/Bucket.ts"
import * as Keys from "./support/Keys.ts"

const mebibyte = 1024 * 1024

/** A token as the SDK would get it, if it asked the document's endpoint. */
const token = async (credentials: Redacted.Redacted): Promise<string> => {
  const account = Result.getOrThrow(ServiceAccount.parse(Redacted.value(credentials)))
  const grant_type = "urn:ietf:params:oauth:grant-type:jwt-bearer"
  const body = new URLSearchParams({ grant_type, assertion: ServiceAccount.makeAssertion(account, Date.now()) })
  const answer = (await (await fetch(account.tokenUri, { method: "POST", body })).json()) as { access_token: string }
  return answer.access_token
}

type Interceptor = NonNullable<Storage["interceptors"][number]["request"]>

/** The SDK's bucket, and a store in the same one. */
const open = Effect.gen(function* () {
  const options = yield* Bucket.options
  const authorization = `Bearer ${yield* Effect.promise(() => token(options.credentials))}`
  const storage = new Storage({ apiEndpoint: options.endpoint, projectId: "testing" })
  const permit: Interceptor = (request) =>
    Object.assign(request, { headers: { ...request.headers, authorization } }) as ReturnType<Interceptor>
  storage.interceptors.push({ request: permit })
  const store = yield* GcsBlobStore.make({ ...options, chunkBytes: mebibyte })
  return { bucket: storage.bucket(options.bucket), store }
})

const run = (use: (bucket: SdkBucket) => Promise<void>) =>
  Effect.flatMap(open, ({ bucket }) => Effect.promise(() => use(bucket)))

const save = { validation: "crc32c", metadata: { contentType: "image/png", metadata: { a: "1" } } } as const

layer(FakeGcs.layer, { excludeTestServices: true })("Google's SDK on the fake", (it) => {
  it.effect.each([
    [0, false],
    [1000, false],
    [1000, true],
    [3 * mebibyte + 5, true]
  ] as const)("saves %i bytes, resumable %s, reads them back and verifies them", ([size, resumable]) =>
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

  it.effect("describes, copies, lists and deletes", () =>
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

  it.effect("keeps to preconditions, and tells what is missing as the SDK understands it", () =>
    run(async (bucket) => {
      const file = bucket.file("a")
      await file.save("one", { resumable: false, preconditionOpts: { ifGenerationMatch: 0 } })
      const code = (request: Promise<unknown>): Promise<unknown> =>
        request.then(
          () => "none",
          (error: { code: unknown }) => error.code
        )
      const again = file.save("two", { resumable: false, preconditionOpts: { ifGenerationMatch: 0 } })
      assert.strictEqual(await code(again), 412)
      assert.strictEqual(await code(bucket.file("missing").getMetadata()), 404)
      assert.strictEqual(await code(bucket.file("missing").download()), 404)
    })
  )

  it.effect.each([1000, 2 * mebibyte])("reads %i bytes that a store wrote, and the store reads the SDK's", (size) =>
    Effect.gen(function* () {
      const { bucket, store } = yield* open
      const content = Buffer.from(Generate.bytes(2, size))
      yield* store.put(Keys.key(0), Stream.make(content))
      const [read] = yield* Effect.promise(() => bucket.file(Keys.key(0)).download({ validation: "md5" }))
      assert.isTrue(read.equals(content))
      yield* Effect.promise(() => bucket.file(Keys.key(1)).save(content, { resumable: false }))
      assert.isTrue(Buffer.concat(yield* Stream.runCollect(store.read(Keys.key(1)))).equals(content))
    })
  )
})
