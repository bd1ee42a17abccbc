/**
 * Two nodes with the same metadata and contents: one has no worker, the other converts.
 */
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as Transcoder from "@holdfast/core/transcoding/Transcoder"
import * as SqliteMetadata from "@holdfast/sqlite/SqliteMetadata"
import * as MemoryBlobStore from "@holdfast/testing/storage/MemoryBlobStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { json } from "../support/Problems.ts"
import * as Process from "../support/Process.ts"
import * as TestServer from "../support/TestServer.ts"
import * as StreamServer from "./support/StreamServer.ts"

it("two nodes: requested on one, converted by the other → both wait, and accept the same keys", async () => {
  const file = Path.join(await Process.makeDirectory(), "metadata.sqlite")
  const store = await Effect.runPromise(Effect.provide(BlobStore, MemoryBlobStore.layer))
  const shared = {
    blobs: Layer.succeed(BlobStore, store),
    signingSecret: new Uint8Array(32).fill(7)
  }
  const withoutWorker = await TestServer.start({
    ...shared,
    metadata: SqliteMetadata.layer({ file }),
    transcoder: Transcoder.layerElsewhere
  })
  onTestFinished(() => withoutWorker.close())
  const withWorker = await StreamServer.start({ ...shared, metadata: SqliteMetadata.layer({ file }) })
  onTestFinished(() => withWorker.close())

  const bucket = await withoutWorker.makeBucket()
  const { streams } = await StreamServer.makeVideo(withoutWorker, bucket)
  const pause = await Effect.runPromise(withWorker.control.pauseAt(0))
  expect((await withoutWorker.post(`${streams}/hls`)).status).toBe(202)
  await Effect.runPromise(pause.reached)
  const ready = withoutWorker.post(`${streams}/hls`, { headers: { prefer: "wait=30" } })
  const playlist = withoutWorker.get(`${streams}/hls/playlist.m3u8`)
  await Effect.runPromise(pause.resume)
  expect((await playlist).status).toBe(200)
  expect(await json<StreamServer.Record>(await ready)).toMatchObject({ state: "READY" })

  const [address = ""] = StreamServer.addresses(await (await playlist).text())
  for (const node of [withoutWorker, withWorker]) {
    const segment = await node.get(`${streams}/hls/${address}`, { key: null })
    expect([segment.status, segment.headers.get("content-type")]).toEqual([200, "video/mp2t"])
  }
})
