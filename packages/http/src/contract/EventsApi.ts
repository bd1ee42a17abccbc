/**
 * Events: who changed what.
 */
import { Event, Outcome } from "@holdfast/core/events/Event"
import * as Page from "@holdfast/core/Page"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Authentication } from "./Authentication.ts"
import { JsonResponse } from "./JsonMiddleware.ts"
import { describe, page, problems, text } from "./Operation.ts"

const params = { tenantId: Schema.String }

const filter = {
  accountId: text("Lists only what this account did."),
  tokenId: text("Lists only what was done with this API token or account key."),
  action: text("Lists only this action, or all actions that begin with this text, such as `file.`."),
  outcome: Schema.optional(Outcome).annotate({
    description: "`REFUSED` lists only requests that were refused, `SUCCESS` only what was done."
  }),
  targetId: text("Lists only events of the record with this id."),
  bucketId: text("Lists only events in this bucket."),
  from: text("An ISO 8601 time in UTC: lists events at this time or later."),
  to: text("An ISO 8601 time in UTC: lists events before this time.")
}

const list = HttpApiEndpoint.get("list", "/tenants/:tenantId/events", {
  params,
  query: {
    ...filter,
    order: Schema.optional(Schema.Literals(["NEWEST_FIRST", "OLDEST_FIRST"])).annotate({
      description: "Default: `NEWEST_FIRST`."
    }),
    ...page
  },
  success: Page.of(Event),
  error: problems("invalid_request", "invalid_cursor")
}).annotateMerge(
  describe({
    summary: "List events",
    description:
      "With a filter a page may have fewer items than `limit`, or none, although more follow: each request reads a bounded number of events. Read pages until `nextCursor` is null.",
    permission: "event:read"
  })
)

const exportAll = HttpApiEndpoint.get("export", "/tenants/:tenantId/events/export", {
  params,
  query: { ...filter, after: text("The id of the last event of an earlier export: continues after it.") },
  success: HttpApiSchema.StreamNdjson({ schema: Event }),
  error: problems("invalid_request")
}).annotateMerge(
  describe({
    summary: "Export events",
    description:
      "One event per line (NDJSON), the oldest first. Without `to`, it ends with the events of one minute ago, so that an event whose change commits late is not missed. A line that does not end is not complete: continue after the id of the last complete one.",
    permission: "event:read"
  })
)

export class EventsApi extends HttpApiGroup.make("events")
  .add(list)
  .middleware(JsonResponse)
  .add(exportAll)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Events: who changed what, when and from where.") {}
