import { it } from "vitest"
import * as FfmpegTranscoder from "@holdfast/ffmpeg/FfmpegTranscoder"
import * as TestServer from "../support/TestServer.ts"
import * as Streams from "./support/Streams.ts"
it("x", { timeout: 60000 }, async () => {
  const server = await TestServer.start({ transcoder: FfmpegTranscoder.layer({ preset: "ultrafast" }), worker: {} })
  const samples = await Streams.make()
  const bucket = await server.makeBucket()
  const { path } = await server.makeFile(bucket, await samples.video("plain"), { name: `x.mp4` })
  const t = Date.now()
  const a = await server.post(`${path}/streams/hls`, { headers: { prefer: "wait=20" } })
  console.log(a.status, Date.now() - t, await a.text())
  const l = await server.get(`${path}/streams`)
  console.log(await l.text())
  console.log(server.logs.join("\n"))
  await server.close()
})
