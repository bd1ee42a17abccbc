import * as Ids from "@holdfast/core/Ids"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CommandFlags from "./CommandFlags.ts"
import { UsageError } from "./Failure.ts"
import * as Signals from "./Signals.ts"
import * as StoreFlags from "./StoreFlags.ts"

/** `holdfast events` */
export const command = Command.make(
  "events",
  {
    tenant: CommandFlags.text("tenant", "Id of the tenant. Default: the events that concern no tenant"),
    action: CommandFlags.text("action", "Only this action, or all actions that begin with it, such as `file.`"),
    outcome: Flag.Literals("outcome", ["SUCCESS", "REFUSED"]).pipe(
      Flag.withDescription("Only what was done, or only refused requests"),
      Flag.optional
    ),
    from: CommandFlags.text("from", "Only events at this time or later (ISO 8601, UTC)"),
    to: CommandFlags.text("to", "Only events before this time (ISO 8601, UTC)"),
    limit: CommandFlags.count("limit", "How many events to list. Default: 50"),
    json: CommandFlags.toggle("json", "Print one JSON object per line"),
    export: CommandFlags.toggle(
      "export",
      "Print all events, the oldest first, one JSON object per line. Without --to, up to those of one minute ago"
    ),
    after: CommandFlags.text("after", "Id of the last event of an earlier export: continue after it"),
    ...StoreFlags.flags
  },
  Effect.fnUntraced(function* ({ action, after, export: isExport, from, json, limit, outcome, tenant, to, ...parsed }) {
    if (isExport && Option.isSome(limit)) {
      return yield* new UsageError({ message: "--export prints all events: leave --limit out." })
    }
    if (!isExport && Option.isSome(after)) {
      return yield* new UsageError({ message: "--after continues an export: add --export." })
    }
    if (Option.isSome(tenant) && !Ids.is("ten", tenant.value)) {
      return yield* new UsageError({ message: "--tenant must be the id of a tenant, such as ten_…" })
    }
    const config = yield* StoreFlags.loadDeployment(parsed)
    const events = yield* Effect.promise(() => import("./operator/Events.ts"))
    const query = {
      tenantId: Option.getOrNull(tenant),
      action: Option.getOrUndefined(action),
      outcome: Option.getOrUndefined(outcome),
      from: Option.getOrUndefined(from),
      to: Option.getOrUndefined(to)
    }
    yield* Signals.failOnSignal(
      isExport
        ? events.exportAll(config, { ...query, after: Option.getOrUndefined(after) })
        : events.list(config, { ...query, json, limit: Option.getOrElse(limit, () => 50) })
    )
  })
).pipe(
  Command.withDescription(
    "List or export events: who changed what. Works while a service runs, and for tenants that are removed"
  )
)
