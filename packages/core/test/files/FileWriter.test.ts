import { expect, layer } from "@effect/vitest"
import * as Actor from "@holdfast/core/Actor"
import { Buckets } from "@holdfast/core/buckets/Buckets"
import { FileChangeNotifier } from "@holdfast/core/files/FileChangeNotifier"
import { Files } from "@holdfast/core/files/Files"
import { Uploads } from "@holdfast/core/files/Uploads"
import { Headers } from "@holdfast/core/headers/Headers"
import * as Holdfast from "@holdfast/core/Holdfast"
import * as MirrorTarget from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as SecretBox from "@holdfast/core/secrets/SecretBox"
import { Tenants } from "@holdfast/core/tenants/Tenants"
import * as Transcoder from "@holdfast/core/transcoding/Transcoder"
import * as MemoryMetadata from "@holdfast/testing/metadata/MemoryMetadata"
import * as MemoryBlobStore from "@holdfast/testing/storage/MemoryBlobStore"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const services = Holdfast.layer.pipe(
  Layer.provideMerge([
    MemoryMetadata.layer,
    MemoryBlobStore.layer,
    Transcoder.layerNone,
    MirrorTarget.layerNone,
    SecretBox.layerNone,
    SecureRandom.layerWebCrypto,
    Digest.layerWebCrypto
  ])
)

const content = Stream.make(new Uint8Array(10))

layer(services)("FileWriter", (it) => {
  it.effect("each service method that writes a file → the mirror worker is notified of its bucket", () =>
    Effect.gen(function* () {
      const [files, uploads, headers] = [yield* Files, yield* Uploads, yield* Headers]
      const notifier = yield* FileChangeNotifier
      const system = Actor.system
      const tenant = yield* (yield* Tenants).create(system, { name: "T", subdomain: "tenant" })
      const { id: bucketId } = yield* (yield* Buckets).create(system, tenant.id, { name: "b" })
      const bucket = { tenantId: tenant.id, bucketId }

      const notifies = Effect.fnUntraced(function* <A, E, R>(name: string, write: Effect.Effect<A, E, R>) {
        expect({ name, notified: [...(yield* notifier.take)] }).toEqual({ name, notified: [] })
        const result = yield* write
        expect({ name, notified: [...(yield* notifier.take)] }).toEqual({ name, notified: [bucketId] })
        return result
      })

      const { id } = yield* notifies("reserve", files.reserve(system, bucket, { name: "a" }))
      const file = { ...bucket, fileId: id }
      yield* notifies("upload", uploads.upload(system, bucket, content, Effect.succeed({ name: "b" })))
      yield* notifies("reupload", uploads.reupload(system, file, content))
      yield* notifies("update", files.update(system, file, { name: "c" }))
      yield* notifies("set a header", headers.set(system, file, { name: "x-a", value: "1" }))
      yield* notifies("set headers", headers.setAll(system, file, { bulk: [{ name: "x-b", value: "2" }] }))
      yield* notifies("remove a header", headers.remove(system, file, "x-a"))
      yield* notifies("remove", files.remove(system, file))
    })
  )
})
