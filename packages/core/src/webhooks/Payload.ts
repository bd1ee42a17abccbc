/**
 * The body of a delivery. It is thin: it names what changed, and the receiver reads the rest with its own key. Its size is bounded
 * by that of an event's detail, some 5 KB.
 */
import * as DateTime from "effect/DateTime"
import { type TargetType, targetTypeOf } from "../events/Event.ts"
import * as Ids from "../Ids.ts"
import type { ClaimedDelivery } from "./DeliveryRepository.ts"
import type { WebhookData } from "./WebhookEvent.ts"

/** The field with the id of the target. */
const idFields: { readonly [T in TargetType]: keyof WebhookData } = {
  TENANT: "tenantId",
  MEMBER: "memberId",
  TOKEN: "tokenId",
  BUCKET: "bucketId",
  FILE: "fileId",
  STREAM: "conversionId",
  CAPTIONS: "captionsId",
  MIRROR: "mirrorId",
  WEBHOOK: "webhookId",
  SHARE: "shareId",
  ACCOUNT: "accountId",
  ACCOUNT_KEY: "accountKeyId"
}

/** The facts that a body repeats: ids, versions and numbers. Names may be personal, and the receiver can read them. */
const facts: ReadonlyArray<keyof WebhookData> = [
  "fileId",
  "format",
  "version",
  "etag",
  "size",
  "count",
  "ids",
  "reason",
  "owner",
  "limit",
  "percent",
  "maximum",
  "use"
]

/** Returns the JSON that a delivery sends, the same for each attempt. */
export const encode = (
  tenantId: string,
  { action, bucketId, detail, id, targetId }: Omit<ClaimedDelivery, "attempts">
): string => {
  const type = targetTypeOf(action)
  return JSON.stringify({
    type: action,
    timestamp: DateTime.formatIso(DateTime.makeUnsafe(Ids.createdAt(id))),
    data: {
      tenantId,
      ...(bucketId === null ? undefined : { bucketId }),
      ...(type === null || targetId === null ? undefined : { [idFields[type]]: targetId }),
      ...Object.fromEntries(facts.flatMap((name) => (detail[name] === undefined ? [] : [[name, detail[name]]])))
    }
  })
}
