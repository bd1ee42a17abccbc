/**
 * FFmpeg's programs, for the tests' own use.
 */
import * as Requires from "@holdfast/testing/Requires"
import { spawnSync } from "node:child_process"
import { dirname, join } from "node:path"

const configured = process.env["HOLDFAST_FFMPEG"] ?? ""

export const ffmpeg = configured === "" ? "ffmpeg" : configured
export const ffprobe = configured === "" ? "ffprobe" : join(dirname(configured), "ffprobe")

/** Why FFmpeg cannot run; undefined if it can. */
export const missing = Requires.firstMissing(
  Requires.command(ffmpeg, "-version"),
  Requires.command(ffprobe, "-version")
)

/** Runs a program until it exits. Throws with its standard error if it fails. */
export const run = (
  program: string,
  args: ReadonlyArray<string>
): { readonly stdout: string; readonly stderr: string } => {
  const { error, status, stderr, stdout } = spawnSync(program, args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${status}: ${stderr}`)
  return { stdout, stderr }
}
