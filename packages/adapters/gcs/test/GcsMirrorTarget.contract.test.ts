import * as MirrorTargetContract from "@holdfast/testing/mirrors/MirrorTargetContract"
import * as Mirror from "./support/Mirror.ts"

MirrorTargetContract.suite("GcsMirrorTarget on a fake of the service", Mirror.subject, { partBytes: 256 * 1024 })
