/**
 * Test files that take a minute or more each, and that few changes concern. `pnpm test` leaves them out, also where it is given their
 * path: a command of its own runs each of them, and sets the variable of the group to `all`.
 */

/** By the variable of the command. */
export const rareFiles: Readonly<Record<string, ReadonlyArray<string>>> = {
  /** `pnpm faults` */
  HOLDFAST_FAULTS: [
    "packages/http/test/faults/Clocks.test.ts",
    "packages/http/test/faults/RemovalCrash.test.ts",
    "packages/http/test/mirrors/TwoNodes.test.ts",
    "packages/http/test/streams/Takeover.test.ts"
  ],
  /** `pnpm media` */
  HOLDFAST_MEDIA: [
    "packages/adapters/ffmpeg/test/Av1.test.ts",
    "packages/adapters/ffmpeg/test/Presentations.test.ts",
    "packages/http/test/streams/codecs/Av1.test.ts"
  ],
  /** `pnpm players` */
  HOLDFAST_PLAYERS: ["packages/http/test/players/Controls.test.ts", "packages/http/test/players/Playback.test.ts"]
}

/** Returns the files that a run leaves out. */
export const leftOut = (environment: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> =>
  Object.entries(rareFiles).flatMap(([variable, files]) => (environment[variable] === "all" ? [] : files))
