import { vi } from "@effect/vitest"
import * as MirrorTargetContract from "@holdfast/testing/mirrors/MirrorTargetContract"
import { requires } from "@holdfast/testing/Requires"
import * as CephRgw from "@holdfast/testing/servers/CephRgw"
import * as Mirror from "./support/Mirror.ts"

// A cluster is started, which takes a busy machine longer than vitest gives by default.
vi.setConfig({ hookTimeout: 120_000 })

requires(CephRgw.missing).describe("S3MirrorTarget", () =>
  MirrorTargetContract.suite("on Ceph's gateway", Mirror.subject, { partBytes: 5 * 1024 * 1024 })
)
