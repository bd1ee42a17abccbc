/**
 * Lower renditions of packaged video, which both formats have.
 */
import * as Requires from "@holdfast/testing/Requires"
import { expect, it } from "vitest"
import * as LadderServer from "./support/LadderServer.ts"

Requires.requires(LadderServer.missing).describe("lower renditions of packaged video", () => {
  const server = LadderServer.use()

  it("second format, requested after the ladder → READY with it, without further bytes", async () => {
    const made = await LadderServer.upload(server())
    expect(await made.request("hls")).toMatchObject({ state: "READY" })
    await made.joined("hls")
    await made.settled("hls")
    const before = await made.streamBytes()
    const dash = await made.request("dash")
    expect(dash).toMatchObject({ state: "READY", renditions: [{ name: "360p" }, { name: "240p" }] })
    expect(await made.streamBytes()).toBe(before)
    expect(await made.statusOf("hls/240p/index4.ts")).toBe(200)
    expect(await made.statusOf("hls/240p/index5.ts")).toBe(404)
    expect(await made.statusOf("hls/480p/index0.ts")).toBe(404)
    expect(await made.statusOf("dash/240p/chunk6.m4s")).toBe(404)
  })

  it("both formats requested at once → the ladder joins both, in one publication", async () => {
    const made = await LadderServer.upload(server())
    const [hls, dash] = [await made.request("hls"), await made.request("dash")]
    expect([hls.state, dash.state]).toEqual(["READY", "READY"])
    for (const format of ["hls", "dash"] as const) await made.joined(format)
    const playlist = (await made.text("hls/playlist.m3u8")).replaceAll(/\?apiKey=[\w-]+/g, "")
    expect(playlist.match(/^[^#\n].*$/gm)?.toSorted()).toEqual(["240p.m3u8", "360p.m3u8"])
    expect(playlist).toMatch(/^#EXT-X-I-FRAME-STREAM-INF:.*URI="iframes\.m3u8"$/m)
    expect(playlist).toMatch(/RESOLUTION=426x240,FRAME-RATE=24\.000,CODECS="avc1\.[0-9a-f]{6},mp4a\.40\.2"/)
    expect(await made.text("hls/240p.m3u8")).toContain("\n240p/index4.ts?")
    const manifest = await made.text("dash/manifest.mpd")
    expect(manifest).toMatch(/<Representation id="240p" mimeType="video\/mp4" codecs="avc1\.[0-9a-f]{6}"/)
    expect(manifest.match(/<AdaptationSet /g)).toHaveLength(2)

    expect(await LadderServer.decoded(await made.address("hls/240p.m3u8"), "0:v:0")).toBe(240)
    expect(await LadderServer.decoded(await made.address("hls/360p.m3u8"), "0:v:0")).toBe(240)
    expect(await LadderServer.decoded(await made.address("dash/manifest.mpd"), "0:v:1")).toBe(240)
    // BANDWIDTH is that of the segments of HLS, with audio.
    const [, lower] = (await made.request("hls")).renditions
    const sizes = await Promise.all(
      [0, 1, 2, 3, 4].map(async (n) => (await made.bytes(`hls/240p/index${n}.ts`)).length)
    )
    const average = (8 * sizes.reduce((sum, size) => sum + size, 0)) / 10
    expect(Math.abs((lower?.bitrate ?? 0) / average - 1)).toBeLessThan(0.01)
    expect(playlist).toContain(`AVERAGE-BANDWIDTH=${lower?.bitrate},RESOLUTION=426x240`)
    const [, bandwidth] = /<Representation id="240p"[^>]* bandwidth="(\d+)"/.exec(manifest) ?? []
    const [, peak] = /:BANDWIDTH=(\d+),AVERAGE-BANDWIDTH=\d+,RESOLUTION=426x240/.exec(playlist) ?? []
    expect(Number(peak)).toBeGreaterThan(Number(bandwidth) + 60_000)
  })

  it("video without audio → segments of both sizes with video alone", async () => {
    const made = await LadderServer.upload(server(), LadderServer.recipes.silent)
    await made.request("hls")
    await made.joined("hls")
    expect(await LadderServer.decoded(await made.address("hls/240p.m3u8"), "0:v:0")).toBe(240)
    expect((await LadderServer.packets(await made.bytes("hls/240p/index1.ts"))).audio).toEqual([])
    expect(await made.text("hls/playlist.m3u8")).not.toContain("mp4a")
  })

  it("segment requested again and again, and a range of it → the same bytes", async () => {
    const made = await LadderServer.upload(server())
    await made.request("hls")
    await made.joined("hls")
    const whole = await made.bytes("hls/240p/index1.ts")
    for (let count = 0; count < 3; count++) {
      expect(Buffer.compare(await made.bytes("hls/240p/index1.ts"), whole)).toBe(0)
    }
    const part = await server().get(`${made.streams}/hls/240p/index1.ts`, { headers: { range: "bytes=500-1499" } })
    expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 500-1499/${whole.length}`])
    expect(Buffer.compare(Buffer.from(await part.arrayBuffer()), whole.subarray(500, 1500))).toBe(0)
  })
})
