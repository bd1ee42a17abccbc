/**
 * Lists all operations, in the order in which they run: those that remove the large bucket come last.
 */
import type { Operation } from "../Operation.ts"
import { fsck } from "./Checks.ts"
import { conversion, conversionQueue } from "./Converting.ts"
import { hostileRequests, largeBodies, ranges, unknownKeys, views } from "./Hostile.ts"
import { folders, listFilters, listPages } from "./Lists.ts"
import { lockedRows } from "./Locks.ts"
import { idleMirrors, mirrorFill, mirrorRead, mirrorRemove, mirrorResume, mirrorUploads } from "./Mirrors.ts"
import { deleteBucket, deleteTenant, sweep } from "./Removals.ts"
import { idleConnections, slowReaders, slowUploads } from "./SlowClients.ts"
import { slowTargets } from "./Targets.ts"
import { hotFile, largeUploads, uploads } from "./Uploads.ts"

export const all: ReadonlyArray<Operation> = [
  views,
  unknownKeys,
  largeBodies,
  hostileRequests,
  ranges,
  slowReaders,
  slowUploads,
  idleConnections,
  uploads,
  hotFile,
  largeUploads,
  lockedRows,
  slowTargets,
  conversion,
  conversionQueue,
  idleMirrors,
  sweep,
  listFilters,
  listPages,
  folders,
  mirrorFill,
  mirrorRead,
  mirrorResume,
  mirrorRemove,
  mirrorUploads,
  fsck,
  deleteBucket,
  deleteTenant
]
