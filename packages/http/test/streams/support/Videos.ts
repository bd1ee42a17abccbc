/**
 * Videos that ffmpeg makes.
 */
import { spawnSync } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as Process from "../../support/Process.ts"

/** Runs a program. Returns its output; throws when it fails. */
export const run = (program: string, ...args: ReadonlyArray<string>): string => {
  const { error, status, stderr, stdout } = spawnSync(program, args, { encoding: "utf8" })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${program}: ${stderr}`)
  return stdout
}

/** Makes a video with audio. */
export const makeVideo = async (
  size: string,
  seconds: number,
  ...codecs: ReadonlyArray<string>
): Promise<Uint8Array<ArrayBuffer>> => {
  const file = Path.join(await Process.makeDirectory(), "a.mp4")
  const picture = ["-f", "lavfi", "-i", `testsrc2=s=${size}:r=12:d=${seconds}`]
  const sound = ["-f", "lavfi", "-i", `sine=f=440:d=${seconds}`, "-c:a", "aac"]
  run("ffmpeg", "-v", "error", "-y", ...picture, ...sound, ...codecs, "-movflags", "+faststart", file)
  return new Uint8Array(await Fs.readFile(file))
}
