/**
 * What abandoned and failed uploads leave after their expiry: nothing.
 */
import { CreateMultipartUploadCommand, ListPartsCommand, UploadPartCommand } from "@aws-sdk/client-s3"
import * as Actor from "@holdfast/core/Actor"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import { Sweeper } from "@holdfast/core/storage/Sweeper"
import { ResumableUploads } from "@holdfast/core/uploads/ResumableUploads"
import { UploadRepository } from "@holdfast/core/uploads/UploadRepository"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { expect, it, onTestFinished } from "vitest"
import * as S3Server from "../s3/S3Server.ts"
import * as EachDatabase from "../support/EachDatabase.ts"
import { expectProblem, json } from "../support/Problems.ts"
import * as StoreIdentity from "../support/StoreIdentity.ts"
import * as ClockAhead from "./ClockAhead.ts"
import * as Tus from "./Tus.ts"

const bytes = new Uint8Array(1000).fill(7)

/** What the jobs of a service do. */
const runJobs = Effect.gen(function* () {
  const { sweep } = yield* Sweeper
  const uploads = yield* UploadRepository
  const swept = yield* sweep()
  yield* uploads.deleteExpired({ now: yield* DateTime.now, limit: 500 })
  return swept
})

const listBlobs = Effect.flatMap(BlobRepository, (blobs) => blobs.list({ limit: 10 }))

EachDatabase.describeEach("expired uploads", (current) => {
  it("by tus, in numbered parts over S3, partial ones, one whose completion was refused → gone after one sweep", async () => {
    const server = current()
    const bucket = await server.makeBucket()
    const path = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}`
    const tus = Tus.make(server, bucket)

    const open = await tus.create({ filename: "open" }, { "upload-length": "3000" })
    for (const offset of [0, 1000]) expect((await tus.patch(open, offset, bytes)).status).toBe(204)
    const partial = await tus.create({}, { "upload-concat": "partial", "upload-length": "2000" })
    for (const offset of [0, 1000]) expect((await tus.patch(partial, offset, bytes)).status).toBe(204)

    const refused = await tus.create({ filename: "refused.bin" }, { "upload-length": "2000" })
    expect((await tus.patch(refused, 0, bytes)).status).toBe(204)
    expect((await server.patch(path, { json: { allowedTypes: ["image/*"] } })).status).toBe(200)
    await expectProblem(await tus.patch(refused, 1000, bytes), 415, "unsupported_media_type")

    const { name: Bucket } = await json<{ name: string }>(await server.get(path))
    const client = S3Server.client(server.url, await S3Server.makeToken(server, bucket.tenantId))
    onTestFinished(() => client.destroy())
    const object = { Bucket, Key: "parts" }
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(object))
    for (const PartNumber of [1, 2, 2])
      await client.send(new UploadPartCommand({ ...object, UploadId, PartNumber, Body: bytes }))

    const { failed, removed } = await server.run(ClockAhead.by(Duration.days(2))(runJobs))
    // The parts and the four contents that they would have made, and the part that was replaced.
    expect({ failed, removed }).toEqual({ failed: 0, removed: 2 + 2 + 2 + 3 + 4 })
    expect(await server.run(listBlobs)).toEqual([])
    const files = Fs.readdirSync(server.directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith("lock."))
      .map((entry) => Path.join(entry.parentPath, entry.name))
    expect(files.filter((file) => !StoreIdentity.isIdentity(file))).toEqual([])
    expect(await json(await server.get(`${path}/usage`))).toMatchObject({ usage: { files: 0, reservedBytes: 0 } })
    for (const upload of [open, partial, refused]) expect((await tus.head(upload)).status).toBe(404)
    await expect(client.send(new ListPartsCommand({ ...object, UploadId }))).rejects.toMatchObject({
      name: "NoSuchUpload"
    })
  })

  it("request by a link whose first bytes take longer than an hour → stored; no request at all → gone after an hour", async () => {
    const bucket = await current().makeBucket()
    const jobs = ClockAhead.by(Duration.hours(2))(runJobs)
    const appended = await current().run(
      Effect.gen(function* () {
        const uploads = yield* ResumableUploads
        const create = uploads.create(Actor.system, bucket, { name: "slow" }, { length: 2000, link: "link" })
        const refs = Effect.map(create, ({ id }) => ({ ...bucket, uploadId: id }))
        const [slow, empty] = [yield* refs, yield* refs]
        const content = Stream.concat(Stream.drain(Stream.fromEffect(jobs)), Stream.make(bytes))
        const { received } = yield* uploads.append(Actor.system, slow, content, { offset: 0 })
        const found = yield* Effect.option(uploads.get(Actor.system, empty))
        yield* uploads.abort(Actor.system, slow)
        return { received, isEmptyFound: Option.isSome(found) }
      })
    )
    expect(appended).toEqual({ received: 1000, isEmptyFound: false })
  })
})
