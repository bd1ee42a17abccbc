/**
 * Backups while a video is converted.
 *
 * `HOLDFAST_BACKUPS=all` (`pnpm backups`) converts a longer video, and also restores the backup that was made after the conversion;
 * otherwise the first one and the last one that was made during it.
 */
import { command, requires } from "@holdfast/testing/Requires"
import { expect, it } from "vitest"
import * as StreamServer from "../streams/support/StreamServer.ts"
import { makeVideo } from "../streams/support/Videos.ts"
import { json } from "../support/Problems.ts"
import * as Process from "../support/Process.ts"
import * as Requests from "../support/Requests.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as Deployments from "./Deployments.ts"

const isWhole = process.env["HOLDFAST_BACKUPS"] === "all"

requires(command("ffmpeg", "-version")).describe("video that is converted while backups are made", () => {
  it(
    "every snapshot → restored conversion is complete, and all its segments are there",
    { timeout: 480_000 },
    async () => {
      const source = await Deployments.make(undefined, Process.converting)
      const bucket = await Deployments.begin(source)
      const video = await makeVideo("640x360", isWhole ? 20 : 6, "-c:v", "mpeg4", "-q:v", "5")
      const streams = `${await ServiceBucket.uploadFile(bucket, "a.mp4", video)}/streams`
      const isReady = async () => {
        const { items } = await json<{ readonly items: ReadonlyArray<{ readonly state: string }> }>(
          await bucket.api.get(streams)
        )
        return items.every(({ state }) => state === "READY")
      }
      const backup = await Process.makeDirectory()
      expect((await bucket.api.post(`${streams}/hls`)).status).toBeLessThan(300)
      const made: Array<string> = []
      do {
        made.push(String((await Deployments.runJson(source, "backup", backup))["id"]))
      } while (!(await isReady()))
      made.push(String((await Deployments.runJson(source, "backup", backup))["id"]))
      expect((await Process.run(["verify-backup", backup])).code).toBe(0)

      for (const id of [made.at(0), made.at(-2), ...(isWhole ? [made.at(-1)] : [])]) {
        const target = await Deployments.make(undefined, Process.converting)
        await Deployments.runJson(target, "restore", backup, "--snapshot", String(id))
        const service = await Process.serve(target)
        const api = Requests.make(`${service.url}/api/v1`, bucket.key)
        const hls = await api.post(`${streams}/hls`, { headers: { prefer: "wait=60" } })
        expect([hls.status, await hls.json()]).toEqual([200, expect.objectContaining({ state: "READY" })])
        const playlist = await (await api.get(`${streams}/hls/playlist.m3u8`)).text()
        const segments = StreamServer.addresses(playlist)
        expect(segments.length).toBeGreaterThan(1)
        for (const segment of segments) {
          const answer = await fetch(new URL(segment, `${service.url}/api/v1${streams}/hls/playlist.m3u8`))
          expect([answer.status, (await answer.arrayBuffer()).byteLength > 0]).toEqual([200, true])
        }
        expect((await service.stop()).code).toBe(0)
        expect((await Deployments.run(target, "fsck")).code).toBe(0)
      }
    }
  )
})
