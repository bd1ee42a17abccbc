/**
 * Installs Debian packages where this process may.
 */
import { spawnSync } from "node:child_process"
import { isExecutable } from "./Programs.ts"

const aptGet = "/usr/bin/apt-get"

/**
 * Returns whether this process can install packages: it runs as root on Debian or a distribution derived from it, and
 * `HOLDFAST_NO_INSTALL` is not set.
 */
export const isAvailable = (): boolean =>
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  (process.env.HOLDFAST_NO_INSTALL ?? "") === "" &&
  isExecutable(aptGet)

/** Bounds the time on a machine without network, and on one where another installation is running. */
const limits = [
  "Acquire::Retries=2",
  "Acquire::http::Timeout=20",
  "Acquire::https::Timeout=20",
  "DPkg::Lock::Timeout=120"
]

const apt = (...args: ReadonlyArray<string>) =>
  spawnSync(aptGet, ["-qq", ...limits.flatMap((limit) => ["-o", limit]), ...args], {
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" }
  })

/** Installs packages without their recommended packages. Returns the last line of apt's errors when that fails. */
export const install = (packages: ReadonlyArray<string>): string | undefined => {
  // A failed update is not an error yet: the packages may be in another list, or in the cache.
  apt("update")
  const result = apt(
    "install",
    "--yes",
    "--no-install-recommends",
    "-o",
    "Dpkg::Options::=--force-confold",
    ...packages
  )
  if (result.status === 0) return undefined
  const lastLine = result.stderr.trim().split("\n").at(-1) ?? ""
  return lastLine === "" ? (result.error?.message ?? `apt-get exited with ${result.signal ?? result.status}`) : lastLine
}
