import { vi } from "@effect/vitest"
import * as MirrorTargetContract from "@holdfast/testing/mirrors/MirrorTargetContract"
import { requires } from "@holdfast/testing/Requires"
import * as CephRgw from "@holdfast/testing/servers/CephRgw"
import * as Target from "./support/Target.ts"

// The suite starts a cluster. On a busy machine that takes longer than vitest's default timeout.
vi.setConfig({ hookTimeout: 120_000 })

requires(CephRgw.missing).describe("S3MirrorTarget", () =>
  MirrorTargetContract.suite("on Ceph's gateway", Target.subject, { partBytes: 5 * 1024 * 1024 })
)
