/**
 * Lists all scenarios, in the order in which they run.
 */
import type { Scenario } from "../support/run/Scenario.ts"
import { convert } from "./Convert.ts"
import { download } from "./Download.ts"
import { firstSegment } from "./FirstSegment.ts"
import { list } from "./List.ts"
import { mirrorBackfill } from "./MirrorBackfill.ts"
import { mirrorCopies } from "./MirrorCopies.ts"
import { mirrorIdle } from "./MirrorIdle.ts"
import { mirrorWrites } from "./MirrorWrites.ts"
import { objectStore } from "./ObjectStore.ts"
import { published } from "./Published.ts"
import { range } from "./Range.ts"
import { record } from "./Record.ts"
import { secondFormat } from "./SecondFormat.ts"
import { segment } from "./Segment.ts"
import { uploadForm } from "./UploadForm.ts"
import { uploadRaw } from "./UploadRaw.ts"
import { uploadSmall } from "./UploadSmall.ts"
import { view } from "./views/View.ts"
import { viewLink } from "./views/ViewLink.ts"
import { viewMany } from "./views/ViewMany.ts"

export const all: ReadonlyArray<Scenario> = [
  view,
  viewLink,
  viewMany,
  range,
  record,
  download,
  uploadRaw,
  uploadForm,
  uploadSmall,
  list,
  published,
  objectStore,
  segment,
  firstSegment,
  convert,
  secondFormat,
  mirrorCopies,
  mirrorBackfill,
  mirrorWrites,
  mirrorIdle
]
