/**
 * Installs Debian packages, when this process may.
 */
import { spawnSync } from "node:child_process"
import { isExecutable } from "./Programs.ts"

const aptGet = "/usr/bin/apt-get"

/** Whether packages can be installed: Debian or a relative of it, as root, and `HOLDFAST_NO_INSTALL` is not set. */
export const isAvailable = (): boolean =>
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  (process.env.HOLDFAST_NO_INSTALL ?? "") === "" &&
  isExecutable(aptGet)

/** Bounds for a machine without network and for one on which another installation runs. */
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

/** Installs packages without those they merely recommend. Returns apt's own last words when that fails. */
export const install = (packages: ReadonlyArray<string>): string | undefined => {
  // A list that cannot be fetched is no failure yet: the packages may be in one that can, or in the cache.
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
  const words = result.stderr.trim().split("\n").at(-1) ?? ""
  return words === "" ? (result.error?.message ?? `apt-get ended with ${result.signal ?? result.status}`) : words
}
