import * as MemoryMetadata from "@holdfast/testing/metadata/MemoryMetadata"
import * as MirrorConvergence from "@holdfast/testing/mirrors/MirrorConvergence"

MirrorConvergence.suite("mirrors", MemoryMetadata.layer, { runs: 25 })
