/**
 * The events of what happens to conversions.
 */
import type { ConversionClaim } from "@holdfast/core/conversions/ConversionClaim"
import type { Action, Detail } from "@holdfast/core/events/Event"
import type { Change } from "../events/RecordEvent.ts"

type Converted = Pick<ConversionClaim, "bucketId" | "conversionId" | "fileId" | "format" | "tenantId">

/** Returns the event of a conversion. The name of the target is the format. */
export const conversionEvent = (
  action: Action,
  { bucketId, conversionId, fileId, format, tenantId }: Converted,
  detail: Detail = {}
): Change => ({
  tenantId,
  bucketId,
  action,
  target: { id: conversionId, name: format },
  detail: { fileId, format, ...detail }
})
