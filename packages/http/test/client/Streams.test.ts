import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createClient, HoldfastClient } from "../../src/client/index.ts"
import * as Support from "../streams/support/StreamServer.ts"

let server: Support.StreamServer
let ref: { readonly tenantId: string; readonly bucketId: string; readonly fileId: string }
beforeAll(async () => {
  server = await Support.start()
  const bucket = await server.makeBucket()
  const { id } = await server.makeVideo(bucket, FakeMedia.make(FakeMedia.foreign))
  ref = { ...bucket, fileId: id }
})
afterAll(() => server.close())

describe("client.streams", () => {
  it("request, list, playlist, read, poster, player, cancel → the conversion and its files", async () => {
    const { streams } = createClient({ url: server.url, apiKey: server.rootKey })
    const ready = await streams.request({ ...ref, format: "hls", mode: "transcode", wait: 30 })
    expect(ready).toMatchObject({ format: "hls", state: "READY" })
    expect(await streams.list(ref)).toEqual({ items: [ready] })
    expect(await streams.playlist({ ...ref, format: "hls" })).toContain("480p.m3u8?apiKey=hfp_")
    const base = `${server.baseUrl}/tenants/${ref.tenantId}/buckets/${ref.bucketId}/files/${ref.fileId}/streams`
    expect(await (await streams.read({ ...ref, format: "hls" })).text()).toContain("480p.m3u8?apiKey=hfp_")
    const segment = await streams.read({
      ...ref,
      format: "hls",
      name: "480p/index0.ts",
      range: { offset: 0, length: 4 }
    })
    expect([segment.contentType, segment.length, (await segment.bytes()).length]).toEqual(["video/mp2t", 4, 4])
    expect((await streams.poster(ref)).contentType).toBe("image/jpeg")
    expect(await streams.player({ ...ref, format: "hls", muted: true })).toContain("<video")
    expect(streams.url({ ...ref, format: "dash" })).toBe(`${base}/dash/manifest.mpd`)
    expect(streams.posterUrl(ref)).toBe(`${base}/poster.jpg`)
    const player = streams.playerUrl({ ...ref, format: "hls", autoplay: true, controls: false, seek: "1m", width: 640 })
    expect(player).toBe(`${base}/hls?controls=false&autoplay=true&width=640&seek=1m`)
    expect((await server.get(player)).status).toBe(200)
    await streams.cancel({ ...ref, format: "hls" })
    await expect(streams.playlist({ ...ref, format: "hls" })).rejects.toMatchObject({ code: "stream_not_converted" })
  })
})

it("HoldfastClient: request, list, manifest, remove → the conversion, then stream_not_converted", () =>
  Effect.gen(function* () {
    const client = yield* HoldfastClient.make({ url: server.url, apiKey: server.rootKey })
    const call = { params: ref, headers: { prefer: "wait=30" }, payload: {} }
    const { body } = yield* client.streams.requestDash(call)
    expect(body).toMatchObject({ format: "dash", state: "READY", progress: 1 })
    expect((yield* client.playback.list({ params: ref })).items).toEqual([body])
    const manifest = yield* client.playback.manifest({ params: ref })
    expect(manifest).toContain("<MPD")
    yield* client.streams.removeDash({ params: ref })
    const gone = yield* Effect.flip(client.playback.manifest({ params: ref }))
    expect(gone._tag).toBe("stream_not_converted")
  }).pipe(Effect.provide(FetchHttpClient.layer), Effect.runPromise))
