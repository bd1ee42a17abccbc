/**
 * The events of changes of mirrors. They name the type of the target, but neither its address nor a secret.
 */
import type { Action, Detail } from "@holdfast/core/events/Event"
import * as Row from "../Row.ts"
import type { Change } from "../events/RecordEvent.ts"

/** What identifies a mirror, and its name. */
interface NamedMirror {
  readonly id: string
  readonly tenantId: string
  readonly bucketId: string
  readonly name: string
}

/** The columns that `toNamed` reads. */
export const namedColumns = "id, tenant_id, bucket_id, name"

export const toNamed: Row.FromRow<NamedMirror> = (row) => ({
  id: Row.text(row, "id"),
  tenantId: Row.text(row, "tenant_id"),
  bucketId: Row.text(row, "bucket_id"),
  name: Row.text(row, "name")
})

export const mirrorEvent = (
  action: Action,
  { bucketId, id, name, tenantId }: NamedMirror,
  detail: Detail = {}
): Change => ({ tenantId, bucketId, action, target: { id, name }, detail })
