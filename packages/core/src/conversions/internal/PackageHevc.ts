/**
 * Packages the H.265 of a content beside the video that is encoded from it.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as HevcVariant from "../../packaging/HevcVariant.ts"
import { isPackagingError } from "../../packaging/PackagingError.ts"
import { type PackageableContent, sourceOf } from "./PackageContent.ts"

/** Reads a content again that could not be read, for some seconds. */
const retries = { schedule: Schedule.exponential("500 millis"), times: 4 }

/** Whether a content has H.265 that may be packaged. A content that cannot be read has none: its conversion fails otherwise. */
export const isCandidate = (content: PackageableContent) =>
  Effect.flatMap(sourceOf(content), HevcVariant.isCandidate).pipe(
    Effect.retry(retries),
    Effect.catch(({ _tag, message: detail }) =>
      Effect.as(Effect.annotateLogs(Effect.logWarning("H.265 not packaged"), { reason: _tag, detail }), false)
    )
  )

/** Makes the variant of a content; none if it has to do without. */
export const prepare = (content: PackageableContent, times: HevcVariant.EncodedTimes) =>
  Effect.flatMap(sourceOf(content), (source) => HevcVariant.make(source, times, content.isComposite ?? false)).pipe(
    Effect.retry({ ...retries, while: (error) => !isPackagingError(error) }),
    Effect.asSome,
    Effect.catch((error) => {
      const log = isPackagingError(error) ? Effect.logDebug : Effect.logWarning
      const reason = isPackagingError(error) ? error.reason : error._tag
      return Effect.as(
        Effect.annotateLogs(log("H.265 not packaged"), { reason, detail: error.message }),
        Option.none<HevcVariant.HevcVariant>()
      )
    })
  )
