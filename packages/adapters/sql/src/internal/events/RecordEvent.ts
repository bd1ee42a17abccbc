/**
 * Writes events, in the transactions of the changes that they record.
 */
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { CurrentRequest } from "@holdfast/core/access/CurrentRequest"
import type { Action, Detail } from "@holdfast/core/events/Event"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { EventAuthor } from "@holdfast/core/events/EventAuthor"
import * as PooledRandom from "@holdfast/core/secrets/PooledRandom"
import { CurrentLimits, isUnlimited } from "@holdfast/core/usage/UsageLimits"
import { among, tableOf } from "../Dialect.ts"
import * as PreparedText from "../PreparedText.ts"
import type { Row } from "../Row.ts"

/** A change to record. Everything else of the event is known: its id, its time, its author and the current request. */
export interface Change {
  /** Null for a change that concerns no tenant. */
  readonly tenantId: string | null
  readonly bucketId?: string
  readonly action: Action
  readonly target: { readonly id: string | null; readonly name: string | null }
  readonly detail?: Detail
}

/** The value of `tenant_id` for events of the deployment: no tenant has this id. */
export const deployment = "-"

type NewUuid = Effect.Effect<string>

/** By client: each store has a clock of its own, and the ids of one must not run ahead with the clock of another. */
const generators = new WeakMap<SqlClient, NewUuid>()

/** A UUIDv7 by the clock of the fiber, which is that of the store. Each is greater than all former ones of this client. */
const newUuid = (sql: SqlClient): NewUuid => {
  const known = generators.get(sql)
  if (known !== undefined) return known
  const added = SecureRandom.make(PooledRandom.randomBytes).uuidV7()
  generators.set(sql, added)
  return added
}

/** By client: the actions after which the hooks of this process run. */
const hooked = new WeakMap<SqlClient, ReadonlySet<string>>()

/** From now on, each event with one of these actions gets a task for the hooks, in its transaction. */
export const queueHooks = (sql: SqlClient, actions: ReadonlySet<string>): void => {
  if (actions.size > 0) hooked.set(sql, actions)
}

const isHooked = (sql: SqlClient, action: string): boolean => hooked.get(sql)?.has(action) === true

/** Writes the tasks for the hooks of these events. */
const queueTasks = (sql: SqlClient, tenantId: string, eventIds: ReadonlyArray<string>) =>
  sql`INSERT INTO hook_task (id, tenant_id, action, actor, account_id, token_id, target_id, target_name, bucket_id, detail)
    SELECT id, tenant_id, action, actor, account_id, token_id, target_id, target_name, bucket_id, detail FROM event
    WHERE tenant_id = ${tenantId} AND ${among(sql, "id", eventIds)}`

/** The parameters of an event. Their prefix distinguishes them from those of the change. */
const eventNames = [
  "eventTenantId",
  "eventId",
  "eventAction",
  "eventActor",
  "eventAccountId",
  "eventTokenId",
  "eventTargetId",
  "eventTargetName",
  "eventBucketId",
  "eventClientAddress",
  "eventRequestId",
  "eventDetail"
] as const

type EventName = (typeof eventNames)[number]

const columnsOfEvent = `tenant_id, id, action, actor, account_id, token_id, target_id, target_name, bucket_id, client_address, request_id,
  detail`

/** Returns the values of an event in the order of `columnsOfEvent`. */
const valuesOfEvent = (sql: SqlClient, names: Readonly<Record<EventName, string | Fragment>>): Fragment =>
  sql`${names.eventTenantId}, ${names.eventId}, ${names.eventAction}, ${names.eventActor}, ${names.eventAccountId},
    ${names.eventTokenId}, ${names.eventTargetId}, ${names.eventTargetName}, ${names.eventBucketId},
    ${names.eventClientAddress}, ${names.eventRequestId}, ${names.eventDetail}`

/** The statement that writes an event. */
const insertEvent = PreparedText.define(
  eventNames,
  (sql, names) => sql`INSERT INTO event (${sql.literal(columnsOfEvent)}) VALUES (${valuesOfEvent(sql, names)})`
)

/** Returns the parameters of `insertEvent`, for the author and the request of this fiber. */
const parametersOf = (
  { action, bucketId, detail, target, tenantId }: Change,
  fiber: Fiber.Fiber<unknown, unknown>,
  uuid: string
) => {
  const { accountId, kind, tokenId } = fiber.getRef(EventAuthor)
  const request = fiber.getRef(CurrentRequest)
  return {
    eventTenantId: tenantId ?? deployment,
    eventId: `evt_${uuid}`,
    eventAction: action,
    eventActor: kind,
    eventAccountId: accountId,
    eventTokenId: tokenId,
    eventTargetId: target.id,
    eventTargetName: target.name,
    eventBucketId: bucketId ?? null,
    eventClientAddress: request.clientAddress ?? null,
    eventRequestId: request.requestId ?? null,
    eventDetail: detail === undefined ? "{}" : JSON.stringify(detail)
  }
}

const insertion = (sql: SqlClient, change: Change, fiber: Fiber.Fiber<unknown, unknown>, uuid: string) =>
  insertEvent.run(sql, parametersOf(change, fiber, uuid))

/** Writes an event. Call it in the transaction of the change. */
export const record = (sql: SqlClient, change: Change): Effect.Effect<void, SqlError> =>
  Effect.flatMap(newUuid(sql), (uuid) =>
    Effect.withFiber((fiber) => {
      const event = insertion(sql, change, fiber, uuid)
      return Effect.asVoid(isHooked(sql, change.action) ? withTask(sql, change, event, uuid) : event)
    })
  )

const withTask = (sql: SqlClient, { tenantId }: Change, event: Effect.Effect<unknown, SqlError>, uuid: string) =>
  Effect.andThen(event, queueTasks(sql, tenantId ?? deployment, [`evt_${uuid}`]))

/** Writes the events of changes of one bucket, in order, by one statement. */
export const recordAll = Effect.fnUntraced(function* (
  sql: SqlClient,
  { bucketId, tenantId }: BucketRef,
  changes: ReadonlyArray<Pick<Change, "action" | "target" | "detail">>
) {
  const { accountId, kind, tokenId } = yield* EventAuthor
  const request = yield* CurrentRequest
  const rows = yield* Effect.forEach(changes, ({ action, detail = {}, target }) =>
    Effect.map(newUuid(sql), (uuid) => ({
      id: `evt_${uuid}`,
      action,
      target_id: target.id,
      target_name: target.name,
      detail: JSON.stringify(detail)
    }))
  )
  const columns = ["id", "action", "target_id", "target_name", "detail"] as const
  yield* sql`INSERT INTO event (tenant_id, id, action, actor, account_id, token_id, target_id, target_name, bucket_id,
      client_address, request_id, detail)
    SELECT ${tenantId}, change.id, change.action, ${kind}, ${accountId}, ${tokenId}, change.target_id, change.target_name,
      ${bucketId}, ${request.clientAddress ?? null}, ${request.requestId ?? null}, change.detail
    FROM ${tableOf(sql, { name: "change", columns, rows })}`
  const tasks = rows.filter(({ action }) => isHooked(sql, action))
  if (tasks.length > 0) {
    yield* queueTasks(
      sql,
      tenantId,
      tasks.map(({ id }) => id)
    )
  }
})

/** As `record`, and returns the id of the event. */
export const recordWithId = (sql: SqlClient, change: Change): Effect.Effect<string, SqlError> =>
  Effect.flatMap(newUuid(sql), (uuid) =>
    Effect.withFiber((fiber) => Effect.as(insertion(sql, change, fiber, uuid), `evt_${uuid}`))
  )

/**
 * Writes the event of what an effect has found and changed; none when it found nothing. Use it in the transaction of the
 * change.
 */
export const recordFound =
  <A>(sql: SqlClient, toChange: (found: A) => Change) =>
  <E, R>(self: Effect.Effect<Option.Option<A>, E, R>): Effect.Effect<Option.Option<A>, E | SqlError, R> =>
    Effect.tap(self, (found) => (Option.isNone(found) ? Effect.void : record(sql, toChange(found.value))))

/** A statement that changes something, also in the form that writes its event. */
export interface RecordedText<Name extends string> {
  readonly change: PreparedText.PreparedText<Name>
  readonly withEvent: PreparedText.PreparedText<string>
}

/** Returns the statement for `runAndRecord`. */
export const recorded = <Name extends string>(change: PreparedText.PreparedText<Name>): RecordedText<Name> => ({
  change,
  withEvent: PreparedText.define([...insertEvent.names, ...change.names], (sql, names) => {
    const event = insertEvent.build(sql, names)
    return sql`WITH recorded AS (${event}) ${change.build(sql, names)}`
  })
})

/**
 * Runs a statement and writes an event, in the transaction of the caller. On PostgreSQL both take one round trip; the event is written
 * whatever the statement finds, so that the transaction must fail when the change was not made.
 */
export const runAndRecord = <Name extends string>(
  sql: SqlClient,
  { change: statement, withEvent }: RecordedText<Name>,
  parameters: PreparedText.Parameters<Name>,
  change: Change
): Effect.Effect<ReadonlyArray<Row>, SqlError> =>
  Effect.flatMap(newUuid(sql), (uuid) =>
    Effect.withFiber((fiber) => {
      const event = parametersOf(change, fiber, uuid)
      if (isHooked(sql, change.action)) {
        return Effect.andThen(withTask(sql, change, insertEvent.run(sql, event), uuid), statement.run(sql, parameters))
      }
      return sql.onDialectOrElse({
        pg: () => withEvent.run(sql, { ...event, ...parameters }),
        orElse: () => Effect.andThen(insertEvent.run(sql, event), statement.run(sql, parameters))
      })
    })
  )

/** What an event takes from the row that the same statement has changed. */
interface EventOfRow {
  /** The name of the common table expression that returns the row. */
  readonly from: string
  readonly detail?: Fragment
  readonly targetName?: Fragment
}

/** A change with its event by one statement of PostgreSQL, which is a transaction of its own. */
export interface SingleStatement<Name extends string> {
  readonly statement: PreparedText.PreparedText<Name | EventName>
}

/**
 * Defines a change with its event by one statement of PostgreSQL.
 *
 * @param build Returns the statement. Its last argument returns the expression that writes an event for each row of another one.
 */
export const single = <Name extends string>(
  names: ReadonlyArray<Name>,
  build: (
    sql: SqlClient,
    names: Readonly<Record<Name, string>>,
    writeEvent: (event: EventOfRow) => Fragment
  ) => Fragment
): SingleStatement<Name> => ({
  statement: PreparedText.define<Name | EventName>([...eventNames, ...names], (sql, values) =>
    build(sql, values, ({ detail = values.eventDetail, from, targetName = values.eventTargetName }) => {
      const event = valuesOfEvent(sql, { ...values, eventDetail: detail, eventTargetName: targetName })
      return sql`INSERT INTO event (${sql.literal(columnsOfEvent)}) SELECT ${event} FROM ${sql.literal(from)}`
    })
  )
})

/**
 * Runs a single statement, or `otherwise` where it cannot replace a transaction: on SQLite, in a transaction, which its failure would abort,
 * within limits, and for an action with hooks.
 */
export const runSingle =
  (sql: SqlClient, action: Action) =>
  <A, E, R, E2, R2>(self: () => Effect.Effect<A, E, R>, otherwise: Effect.Effect<A, E2, R2>) =>
    Effect.withFiber((fiber): Effect.Effect<A, E | E2, R | R2> => {
      const isPostgres = sql.onDialectOrElse({ pg: () => true, orElse: () => false })
      const isAlone = Context.getOrUndefined(fiber.context, sql.transactionService) === undefined
      return isPostgres && isAlone && !isHooked(sql, action) && isUnlimited(fiber.getRef(CurrentLimits))
        ? self()
        : otherwise
    })

/** Runs a change with its event by one statement. */
export const runWithEvent = <Name extends string>(
  sql: SqlClient,
  { statement }: SingleStatement<Name>,
  parameters: PreparedText.Parameters<Name>,
  change: Change
): Effect.Effect<ReadonlyArray<Row>, SqlError> =>
  Effect.flatMap(newUuid(sql), (uuid) =>
    Effect.withFiber((fiber) => statement.run(sql, { ...parametersOf(change, fiber, uuid), ...parameters }))
  )

/** Returns the detail of a change that sets some fields: their names, not their values. */
export const changedFields = (change: object): Detail => ({
  fields: Object.entries(change).flatMap(([name, value]) => (value === undefined ? [] : [name]))
})
