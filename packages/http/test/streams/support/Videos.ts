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

/** Makes a file of this name by ffmpeg, once for all tests of a run. Returns its path. */
export const makeFile = async (name: string, args: ReadonlyArray<string>): Promise<string> => {
  const hash = createHash("sha256").update(args.join(" ")).digest("hex").slice(0, 16)
  const folder = await SharedFiles.directory(
    `video-${hash}-${name}`,
    async (made) => void run("ffmpeg", "-v", "error", "-y", ...args, Path.join(made, name))
  )
  return Path.join(folder, name)
}

/** Makes a video with audio, once for all tests of a run. */
export const makeVideo = async (
  size: string,
  seconds: number,
  ...codecs: ReadonlyArray<string>
): Promise<Uint8Array<ArrayBuffer>> => {
  const picture = ["-f", "lavfi", "-i", `testsrc2=s=${size}:r=12:d=${seconds}`]
  const sound = ["-f", "lavfi", "-i", `sine=f=440:d=${seconds}`, "-c:a", "aac"]
  const path = await makeFile("a.mp4", [...picture, ...sound, ...codecs, "-movflags", "+faststart"])
  return new Uint8Array(await Fs.readFile(path))
}
