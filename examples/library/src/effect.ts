import * as Actor from "@holdfast/core/Actor"
import { Buckets } from "@holdfast/core/buckets/Buckets"
import { Downloads } from "@holdfast/core/files/Downloads"
import { Uploads } from "@holdfast/core/files/Uploads"
import * as Holdfast from "@holdfast/core/Holdfast"
import { Tenants } from "@holdfast/core/tenants/Tenants"
import * as FsBlobStore from "@holdfast/fs/FsBlobStore"
import * as SqliteMetadata from "@holdfast/sqlite/SqliteMetadata"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const Adapters = Layer.mergeAll(
  SqliteMetadata.layer({ file: "data/holdfast.sqlite" }),
  FsBlobStore.layer({ directory: "data" })
)

const program = Effect.gen(function* () {
  const tenants = yield* Tenants
  const buckets = yield* Buckets
  const uploads = yield* Uploads
  const downloads = yield* Downloads

  // The deployment itself, which has every permission. Use Actor.account or ApiKey.identify for a caller.
  const actor = Actor.system
  // A second run finds what the first one created.
  const [known] = (yield* tenants.list(actor, {})).items
  const tenant = known ?? (yield* tenants.create(actor, { name: "Acme", subdomain: "acme" }))
  const [media] = (yield* buckets.list(actor, tenant.id, {})).items
  const bucket = media ?? (yield* buckets.create(actor, tenant.id, { name: "media" }))
  const ref = { tenantId: tenant.id, bucketId: bucket.id }
  const content = Stream.make("Hello").pipe(Stream.encodeText)
  const file = yield* uploads.upload(actor, ref, content, Effect.succeed({ name: "hello.txt" }), {
    onConflict: "replace"
  })
  const download = yield* downloads.open(actor, { ...ref, fileId: file.id })
  return yield* download.read().pipe(Stream.decodeText(), Stream.mkString)
})

const text = await Effect.runPromise(program.pipe(Effect.provide(Holdfast.layerDefaults.pipe(Layer.provide(Adapters)))))

process.stdout.write(`${text}\n`)
