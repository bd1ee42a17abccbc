import * as MirrorTargetContract from "@holdfast/testing/mirrors/MirrorTargetContract"
import * as Target from "./support/Target.ts"

MirrorTargetContract.suite("GcsMirrorTarget on a fake of the service", Target.subject, { partBytes: 256 * 1024 })
