/**
 * Video that FFmpeg has copied: both formats have its segments, and the lower renditions behind it.
 */
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as Requires from "@holdfast/testing/Requires"
import * as Fs from "node:fs"
import { expect, it } from "vitest"
import { expectProblem } from "../../support/Problems.ts"
import * as LadderServer from "./support/LadderServer.ts"

const frames = 240

/** A file of each kind that a player needs. */
const files: { readonly [format in Format]: ReadonlyArray<string> } = {
  hls: ["playlist.m3u8", "240p.m3u8", "360p.m3u8", "index1.ts", "240p/index1.ts"],
  dash: ["manifest.mpd", "init-0.m4s", "chunk-0-2.m4s", "chunk-1-2.m4s", "240p/init.m4s", "240p/chunk2.m4s"]
}

Requires.requires(LadderServer.missing).describe("copied video", () => {
  const server = LadderServer.use()

  it.each(["hls", "dash"] as const)(
    "%s requested first → READY; the other is READY at once without further bytes, and so is the ladder",
    async (first) => {
      const other = first === "hls" ? "dash" : "hls"
      const made = await LadderServer.upload(server(), LadderServer.copied["in Matroska"])
      expect(await made.request(first)).toMatchObject({ state: "READY" })
      await made.joined(first)
      await made.settled(first)
      const before = await made.streamBytes()
      expect(await made.request(other)).toMatchObject({
        state: "READY",
        renditions: [{ name: "360p" }, { name: "240p" }]
      })
      expect(await made.streamBytes()).toBe(before)
      // The content is an eighth larger, with the overhead of the other container, its poster and the smaller size.
      expect(before).toBeLessThan(made.video.length * 2)
      for (const format of ["hls", "dash"] as const) {
        for (const name of files[format]) expect([name, await made.statusOf(`${format}/${name}`)]).toEqual([name, 200])
      }
      expect(await made.statusOf("hls/240p/index3.ts")).toBe(404)
      for (const [address, track] of [
        ["hls/360p.m3u8", "0:v:0"],
        ["hls/240p.m3u8", "0:v:0"],
        ["dash/manifest.mpd", "0:v:0"],
        ["dash/manifest.mpd", "0:v:1"]
      ] as const) {
        const found = await LadderServer.decoded(await made.address(address), track)
        expect([address, track, found]).toEqual([address, track, frames])
      }
    }
  )

  it("AC-3 beside the video → copied once for both formats", async () => {
    const made = await LadderServer.upload(server(), LadderServer.copied["in Matroska with AC-3"])
    await made.request("hls")
    await made.joined("hls")
    await made.settled("hls")
    const before = await made.streamBytes()
    await made.request("dash")
    expect(await made.streamBytes()).toBe(before)
    expect(await made.text("hls/playlist.m3u8")).toMatch(/CODECS="avc1\.\w{6},ac-3",AUDIO="ac-3"\n240p\.m3u8/)
    const [source, ...copies] = await Promise.all(
      [
        await LadderServer.save(made.video, "a.mkv"),
        await made.address("hls/audio2.m3u8"),
        await made.address("dash/manifest.mpd")
      ].map(LadderServer.ac3)
    )
    expect(source?.length).toBeGreaterThan(200)
    for (const copy of copies) expect(copy).toEqual(source)
  })

  it("formats requested at once → the ladder joins both", async () => {
    const made = await LadderServer.upload(server(), LadderServer.copied["in Matroska"])
    await Promise.all([made.request("hls"), made.request("dash")])
    await made.joined("hls")
    await made.joined("dash")
    for (const format of ["hls", "dash"] as const) {
      for (const name of files[format]) expect([name, await made.statusOf(`${format}/${name}`)]).toEqual([name, 200])
    }
  })

  it("format that was converted removed → the other one plays with the ladder", async () => {
    const made = await LadderServer.upload(server(), LadderServer.copied["in Matroska"])
    await made.request("hls")
    await made.request("dash")
    await made.joined("hls")
    await made.settled("hls")
    const before = await made.streamBytes()
    expect((await server().request("DELETE", `${made.streams}/hls`)).status).toBe(204)
    for (const name of files.hls) expect([name, await made.statusOf(`hls/${name}`)]).toEqual([name, 404])
    for (const name of files.dash) expect([name, await made.statusOf(`dash/${name}`)]).toEqual([name, 200])
    expect(await made.streamBytes()).toBe(before)
    expect(await made.request("hls")).toMatchObject({ renditions: [{ name: "360p" }, { name: "240p" }] })
    for (const name of files.hls) expect([name, await made.statusOf(`hls/${name}`)]).toEqual([name, 200])
    expect(await made.streamBytes()).toBe(before)
  })

  it("stored audio cut off, segment of a lower size read → 500 content_damaged, and the stream is made again", async () => {
    const made = await LadderServer.upload(server(), LadderServer.copied["in Matroska"])
    await made.request("hls")
    await made.joined("hls")
    await made.request("dash")
    await made.settled("hls")
    Fs.truncateSync(LadderServer.find(server(), made.bucket, await made.bytes("dash/chunk-1-2.m4s")), 20)
    await expectProblem(await server().get(`${made.streams}/hls/240p/index1.ts`), 500, "content_damaged")
    expect(await made.statusOf("dash/240p/chunk2.m4s")).toBe(200)
    await expect.poll(made.isReplaced, { timeout: 60_000 }).toBe(true)
    await made.joined("hls")
    expect(await made.statusOf("hls/240p/index1.ts")).toBe(200)
  })
})
