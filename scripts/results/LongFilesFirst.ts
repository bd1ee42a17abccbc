/**
 * Starts the test files that take longest before the others. In a fresh clone, Vitest knows no durations and starts large files
 * first; a short file with a contract suite would then be the last one, while the other workers have nothing to do.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** The files that take longest on two processors, longest first. */
export const longFiles: ReadonlyArray<string> = [
  "scripts/test/Packages.test.ts",
  "packages/http/test/backup/Backup.test.ts",
  "packages/http/test/streams/Hevc.test.ts",
  "packages/http/test/backup/Interruptions.test.ts",
  "packages/adapters/ffmpeg/test/Contract.test.ts",
  "packages/adapters/ffmpeg/test/Inputs.test.ts",
  "packages/http/test/players/EndToEnd.test.ts",
  "packages/http/test/players/States.test.ts",
  "packages/http/test/server/QueueDepth.test.ts",
  "packages/http/test/workers/WorkerProcesses.test.ts",
  "packages/http/test/faults/HostileRequests.test.ts",
  "packages/http/test/policy/Scopes.test.ts",
  "packages/http/test/faults/Crash.test.ts",
  "packages/http/test/s3/tools/Programs.test.ts",
  "packages/http/test/contents/Large.test.ts",
  "packages/adapters/sqlite/test/metadata/SqliteMetadata.test.ts",
  "packages/adapters/s3/test/MirrorOutages.test.ts",
  "packages/http/test/backup/Conversions.test.ts",
  "packages/adapters/postgres/test/PostgresMetadata.test.ts"
]

const rank = ({ moduleId }: TestSpecification): number => {
  const index = longFiles.findIndex((file) => moduleId.endsWith(`/${file}`))
  return index === -1 ? longFiles.length : index
}

export class LongFilesFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return (await BaseSequencer.prototype.sort.call(this, files)).toSorted((a, b) => rank(a) - rank(b))
  }
}
