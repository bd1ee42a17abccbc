/**
 * A program that builds images, and where it can, runs them. Docker and Podman have the same commands.
 */
import { spawnSync } from "node:child_process"
import * as Packages from "../packages/Packages.ts"

export interface Engine {
  readonly name: string
  readonly canRun: boolean
  /** Runs a command of the engine and returns its output. Throws an error with all of its output when it fails. */
  readonly run: (...args: ReadonlyArray<string>) => Promise<string>
}

interface Candidate {
  readonly name: string
  readonly canRun: boolean
  /** A command that fails where the engine is missing, or where its daemon does not run. */
  readonly probe: ReadonlyArray<string>
}

const candidates: ReadonlyArray<Candidate> = [
  { name: "docker", canRun: true, probe: ["info"] },
  { name: "podman", canRun: true, probe: ["info"] },
  { name: "buildah", canRun: false, probe: ["info"] }
]

/** Returns the first engine that works on this machine; a failure says what each of them answers. */
export const find = (): Engine => {
  const reasons: Array<string> = []
  for (const { canRun, name, probe } of candidates) {
    const { error, status, stderr } = spawnSync(name, probe, { encoding: "utf8" })
    if (status === 0) return { name, canRun, run: (...args) => Packages.run(name, args) }
    reasons.push(`${name}: ${error === undefined ? (stderr.trim().split("\n").at(-1) ?? "") : "is not installed"}`)
  }
  throw new Error(`The image needs docker, podman or buildah, and none of them works here.\n${reasons.join("\n")}`)
}

/** Builds the image of this repository. `base` replaces the image that it begins with. */
export const build = async ({ name, run }: Engine, image: string, base: string | undefined): Promise<void> => {
  // Podman and buildah make images of a format without health checks otherwise.
  const format = name === "docker" ? [] : ["--format", "docker"]
  const from = base === undefined ? [] : ["--build-arg", `BASE=${base}`]
  await run("build", ...format, ...from, "--tag", image, Packages.root)
}
