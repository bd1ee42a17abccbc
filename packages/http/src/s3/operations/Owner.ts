/**
 * The owner of buckets and objects: the tenant.
 */
import type { Call } from "../Call.ts"
import type * as Xml from "../xml/Xml.ts"

/** Returns the element that names the owner. */
export const element = ({ tenantId }: Pick<Call, "tenantId">): Xml.Element => [
  "Owner",
  [
    ["ID", tenantId],
    ["DisplayName", tenantId]
  ]
]
