/**
 * The stored files of the lower renditions of packaged video: removed, inherited, checked and damaged.
 */
import { Fsck } from "@holdfast/core/storage/Fsck"
import { Sweeper } from "@holdfast/core/storage/Sweeper"
import * as Requires from "@holdfast/testing/Requires"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import { expect, it } from "vitest"
import { expectProblem, json } from "../../support/Problems.ts"
import * as LadderServer from "./support/LadderServer.ts"

Requires.requires(LadderServer.missing).describe("files of the lower renditions of packaged video", () => {
  const server = LadderServer.use()

  it.each(["hls", "dash"] as const)(
    "%s removed → the other plays with the ladder, and gets the first back",
    async (format) => {
      const made = await LadderServer.upload(server())
      const other = format === "hls" ? "dash" : "hls"
      await made.request("hls")
      await made.request("dash")
      await made.joined("hls")
      await made.settled("hls")
      const files = {
        hls: ["playlist.m3u8", "240p.m3u8", "iframes.m3u8", "index1.ts", "240p/index1.ts"],
        dash: ["manifest.mpd", "init-0.m4s", "chunk-1-2.m4s", "240p/init.m4s", "240p/chunk2.m4s"]
      }
      const before = await made.streamBytes()
      expect((await server().request("DELETE", `${made.streams}/${format}`)).status).toBe(204)
      for (const name of files[format]) expect([name, await made.statusOf(`${format}/${name}`)]).toEqual([name, 404])
      for (const name of files[other]) expect([name, await made.statusOf(`${other}/${name}`)]).toEqual([name, 200])
      expect(await made.streamBytes()).toBe(before)
      expect(await made.request(format)).toMatchObject({ renditions: [{ name: "360p" }, { name: "240p" }] })
      for (const name of files[format]) expect([name, await made.statusOf(`${format}/${name}`)]).toEqual([name, 200])
      expect(await made.streamBytes()).toBe(before)
      for (const each of ["hls", "dash"]) {
        expect((await server().request("DELETE", `${made.streams}/${each}`)).status).toBe(204)
      }
      expect(await made.streamBytes()).toBe(0)
      await server().run(Effect.flatMap(Sweeper, ({ sweep }) => sweep()))
      expect(LadderServer.stored(server(), made.bucket)).toHaveLength(1)
    }
  )

  const findings = Effect.gen(function* () {
    const found: Array<{ readonly key: string; readonly kind: string }> = []
    yield* (yield* Fsck).check({ onFinding: (finding) => Effect.sync(() => void found.push(finding)) })
    return found
  })

  it("fsck → nothing found; stored segment removed → Missing", async () => {
    const made = await LadderServer.upload(server())
    await made.request("dash")
    await made.request("hls")
    await made.joined("dash")
    await made.settled("dash")
    const ofBucket = async () => (await server().run(findings)).filter(({ key }) => key.includes(made.bucket.bucketId))
    expect(await ofBucket()).toEqual([])
    const chunk = LadderServer.find(server(), made.bucket, await made.bytes("dash/240p/chunk3.m4s"))
    Fs.renameSync(chunk, `${server().directory}/kept`)
    expect(await ofBucket()).toMatchObject([{ kind: "Missing" }])
    Fs.renameSync(`${server().directory}/kept`, chunk)
  })

  it("stored segment cut off, segment of HLS read → 500 content_damaged, and both formats are made again", async () => {
    const made = await LadderServer.upload(server())
    await made.request("hls")
    await made.request("dash")
    await made.joined("hls")
    await made.settled("hls")
    const before = (await made.bytes("hls/240p/index3.ts")).length
    Fs.truncateSync(LadderServer.find(server(), made.bucket, await made.bytes("dash/240p/chunk4.m4s")), 20)
    await expectProblem(await server().get(`${made.streams}/hls/240p/index3.ts`), 500, "content_damaged")
    await expect.poll(made.isReplaced, { timeout: 60_000 }).toBe(true)
    await made.joined("hls")
    await made.joined("dash")
    // With several threads, the encoder does not write the same bytes each time.
    expect((await made.bytes("hls/240p/index3.ts")).length / before).toBeCloseTo(1, 1)
    expect(await json(await server().get(made.path))).not.toMatchObject({ damaged: true })
  })

  it("stored initialization segment cut off, segment of HLS read → 500 content_damaged, and it is made again", async () => {
    const made = await LadderServer.upload(server())
    await made.request("hls")
    await made.joined("hls")
    await made.request("dash")
    const init = await made.bytes("dash/240p/init.m4s")
    Fs.truncateSync(LadderServer.find(server(), made.bucket, init), 20)
    await expectProblem(await server().get(`${made.streams}/hls/240p/index2.ts`), 500, "content_damaged")
    await expect.poll(made.isReplaced, { timeout: 60_000 }).toBe(true)
    await made.joined("hls")
    expect(await made.statusOf("hls/240p/index2.ts")).toBe(200)
  })

  it("content cut off → 500 content_damaged for segments of HLS with audio, others play; right again → 200", async () => {
    const made = await LadderServer.upload(server())
    await made.request("hls")
    await made.request("dash")
    await made.joined("hls")
    const content = LadderServer.find(server(), made.bucket, made.video)
    Fs.truncateSync(content, 1000)
    await expectProblem(await server().get(`${made.streams}/hls/240p/index2.ts`), 500, "content_damaged")
    await expect
      .poll(async () => await json(await server().get(made.path)), { timeout: 20_000 })
      .toMatchObject({ damaged: true })
    expect(await made.statusOf("dash/240p/chunk3.m4s")).toBe(200)
    const silent = await LadderServer.upload(server(), LadderServer.recipes.silent)
    await silent.request("hls")
    await silent.joined("hls")
    Fs.truncateSync(LadderServer.find(server(), silent.bucket, silent.video), 1000)
    await expectProblem(await server().get(`${silent.streams}/hls/index2.ts`), 500, "content_damaged")
    await expect
      .poll(async () => await json(await server().get(silent.path)), { timeout: 20_000 })
      .toMatchObject({ damaged: true })
    expect(await silent.statusOf("hls/240p/index2.ts")).toBe(200)

    Fs.writeFileSync(content, made.video)
    await expect.poll(() => made.statusOf("hls/240p/index2.ts"), { timeout: 20_000 }).toBe(200)
  })
})
