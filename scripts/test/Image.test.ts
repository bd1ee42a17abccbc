import { assert, describe, it } from "vitest"
import { spawnSync } from "node:child_process"
import * as Path from "node:path"
import * as Packages from "../packages/Packages.ts"

describe("pnpm image", () => {
  it("machine without docker, podman and buildah → one line for each, exit status 1", () => {
    const script = Path.join(Packages.root, "scripts/image.ts")
    const { status, stdout } = spawnSync(process.execPath, [script], { encoding: "utf8", env: { PATH: "" } })
    assert.deepStrictEqual(stdout.trimEnd().split("\n"), [
      "FAILED  The image needs docker, podman or buildah, and none of them works here.",
      "docker: is not installed",
      "podman: is not installed",
      "buildah: is not installed"
    ])
    assert.strictEqual(status, 1)
  })
})
