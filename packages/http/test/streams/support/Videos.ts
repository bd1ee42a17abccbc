/**
 * Videos that ffmpeg makes.
 */
import * as SharedFiles from "@holdfast/testing/SharedFiles"
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"

/** Runs a program. Returns its output; throws when it fails. */
export const run = (program: string, ...args: ReadonlyArray<string>): string => {
  const { error, status, stderr, stdout } = spawnSync(program, args, { encoding: "utf8" })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${program}: ${stderr}`)
  return stdout
}

/** Makes a video with audio, once for all tests of a run. */
export const makeVideo = async (
  size: string,
  seconds: number,
  ...codecs: ReadonlyArray<string>
): Promise<Uint8Array<ArrayBuffer>> => {
  const picture = ["-f", "lavfi", "-i", `testsrc2=s=${size}:r=12:d=${seconds}`]
  const sound = ["-f", "lavfi", "-i", `sine=f=440:d=${seconds}`, "-c:a", "aac"]
  const args = ["-v", "error", "-y", ...picture, ...sound, ...codecs, "-movflags", "+faststart"]
  const name = `video-${createHash("sha256").update(args.join(" ")).digest("hex").slice(0, 16)}`
  const folder = await SharedFiles.directory(
    name,
    async (made) => void run("ffmpeg", ...args, Path.join(made, "a.mp4"))
  )
  return new Uint8Array(await Fs.readFile(Path.join(folder, "a.mp4")))
}
