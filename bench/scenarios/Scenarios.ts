/**
 * All scenarios, in the order in which they run.
 */
import type { Scenario } from "../support/Stage.ts"
import { download } from "./Download.ts"
import { list } from "./List.ts"
import { record } from "./Record.ts"
import { startUp } from "./StartUp.ts"
import { uploadForm } from "./UploadForm.ts"
import { uploadRaw } from "./UploadRaw.ts"
import { uploadSmall } from "./UploadSmall.ts"
import { view } from "./View.ts"

export const all: ReadonlyArray<Scenario> = [view, record, download, uploadRaw, uploadForm, uploadSmall, list, startUp]
