/**
 * Removes commits from the end of a write-ahead log. The caller has the write lock of the database.
 * Format: https://sqlite.org/fileformat2.html#the_write_ahead_log
 */
import { fsyncSync, ftruncateSync, readSync } from "node:fs"
import type { Position, WalIndex } from "./WalIndex.ts"

const [fileHeaderBytes, frameHeaderBytes] = [32, 24]

/** Returns the length of the log at a position. */
const lengthAt = ({ frames, pageSize }: Position): number =>
  frames === 0 ? 0 : fileHeaderBytes + frames * (frameHeaderBytes + pageSize)

/** Counts the commits between two positions of one generation of the log. */
const countCommits = (descriptor: number, from: Position, to: Position): number => {
  const header = Buffer.alloc(frameHeaderBytes)
  let commits = 0
  for (let frames = from.frames; frames < to.frames; frames++) {
    const offset = fileHeaderBytes + frames * (frameHeaderBytes + to.pageSize)
    readSync(descriptor, header, 0, frameHeaderBytes, offset)
    // The size of the database after the commit; 0 in frames that are not the last one of their commit.
    if (header.readUInt32BE(4) !== 0) commits++
  }
  return commits
}

/** Removes what a failed commit may have left after the last commit. */
export const trim = (descriptor: number, index: WalIndex): void =>
  ftruncateSync(descriptor, lengthAt(index.readOrRecover()))

/**
 * Removes the last `commits` commits, all after the position `durable`, so that neither this process nor the next one sees them.
 * Returns false and changes nothing when another process has committed after that position, or when the index cannot be read.
 * Throws when the disk refuses it.
 */
export const cut = (
  descriptor: number,
  index: WalIndex,
  { commits, durable }: { readonly commits: number; readonly durable: Position }
): boolean => {
  const last = index.read()
  if (last === undefined) return false
  // SQLite began the log anew after the position. By then all commits up to it were in the database.
  const isLater = last.salt1 !== durable.salt1 || last.salt2 !== durable.salt2
  const end = isLater ? { ...last, frames: 0 } : durable
  if (countCommits(descriptor, end, last) !== commits) return false
  // A process that opens the database between these steps reads the longer log; no client has an answer by then.
  index.invalidate()
  ftruncateSync(descriptor, lengthAt(end))
  fsyncSync(descriptor)
  return true
}
