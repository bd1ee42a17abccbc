/**
 * Two nodes over the same metadata and contents: one answers, the other converts.
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
import * as Support from "./support/StreamServer.ts"

it("what is asked for at one is done by the other, awaited at both, and played with the same keys", async () => {
  const file = Path.join(await Process.directory(), "metadata.sqlite")
  const store = await Effect.runPromise(Effect.provide(BlobStore, MemoryBlobStore.layer))
  const shared = {
    blobs: Layer.succeed(BlobStore, store),
    playbackSecret: new Uint8Array(32).fill(7)
  }
  const asked = await TestServer.start({
    ...shared,
    metadata: SqliteMetadata.layer({ file }),
    transcoder: Transcoder.layerElsewhere
  })
  onTestFinished(() => asked.close())
  const works = await Support.start({ ...shared, metadata: SqliteMetadata.layer({ file }) })
  onTestFinished(() => works.close())

  const bucket = await asked.makeBucket()
  const { streams } = await Support.makeVideo(asked, bucket)
  const hold = await Effect.runPromise(works.script.pauseAt(0))
  expect((await asked.post(`${streams}/hls`)).status).toBe(202)
  await Effect.runPromise(hold.reached)
  const ready = asked.post(`${streams}/hls`, { headers: { prefer: "wait=30" } })
  const playlist = asked.get(`${streams}/hls/playlist.m3u8`)
  await Effect.runPromise(hold.resume)
  expect((await playlist).status).toBe(200)
  expect(await json<Support.Record>(await ready)).toMatchObject({ state: "READY" })

  const [address = ""] = Support.addresses(await (await playlist).text())
  for (const node of [asked, works]) {
    const segment = await node.get(`${streams}/hls/${address}`, { key: null })
    expect([segment.status, segment.headers.get("content-type")]).toEqual([200, "video/mp2t"])
  }
})
