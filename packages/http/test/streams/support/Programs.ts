/**
 * FFmpeg's programs, which read streams from the server of this process.
 */
import { execFile } from "node:child_process"
import { promisify } from "node:util"

/** Runs a program while the server of this process answers it. Returns its output. */
export const run = async (program: string, ...args: ReadonlyArray<string>): Promise<string> =>
  (await promisify(execFile)(program, args, { maxBuffer: 2 ** 26, timeout: 60_000 })).stdout

/** Returns a hash of each frame of a track, decoded or as the options of the output say. Fails if FFmpeg reports an error. */
export const frameHashes = async (
  input: string,
  track: string,
  ...options: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  const output = await run(
    "ffmpeg",
    ..."-v error -xerror -i".split(" "),
    input,
    "-map",
    track,
    ...options,
    "-f",
    "framemd5",
    "-"
  )
  return output.split("\n").flatMap((line) => (/^\d/.test(line) ? [line.split(",")[5]?.trim() ?? ""] : []))
}
