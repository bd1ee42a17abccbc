/**
 * Installs Debian packages where this process may.
 */
import { spawnSync } from "node:child_process"
import { existsSync, rmSync, writeFileSync } from "node:fs"
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

/** Debian asks this program whether the installation of a package may start its services (`invoke-rc.d`). */
const servicePolicy = "/usr/sbin/policy-rc.d"

/** Runs an installation that starts no services: the tests start their own, on ports of their own. */
const withoutServices = <A>(installation: () => A): A => {
  if (existsSync(servicePolicy)) return installation()
  try {
    writeFileSync(servicePolicy, "#!/bin/sh\nexit 101\n", { mode: 0o755 })
    return installation()
  } finally {
    rmSync(servicePolicy, { force: true })
  }
}

/** Installs packages without their recommended packages. Returns the last line of apt's errors when that fails. */
export const install = (packages: ReadonlyArray<string>): string | undefined => {
  // A failed update is not an error yet: the packages may be in another list, or in the cache.
  apt("update")
  const options = ["--yes", "--no-install-recommends", "-o", "Dpkg::Options::=--force-confold"]
  const result = withoutServices(() => apt("install", ...options, ...packages))
  if (result.status === 0) return undefined
  const lastLine = result.stderr.trim().split("\n").at(-1) ?? ""
  return lastLine === "" ? (result.error?.message ?? `apt-get exited with ${result.signal ?? result.status}`) : lastLine
}
