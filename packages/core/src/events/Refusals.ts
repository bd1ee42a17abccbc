/**
 * Records refused requests in the events of the tenant that they name. A client may be refused as often as it likes, so that the
 * events are sampled: refusals are counted in memory, and a job writes an event with their number, at most one in a minute for
 * each key, tenant and cause, and a bounded number for each tenant. No request waits for it. Each process counts for itself.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CurrentRequest, type Refusal, type RequestInfo } from "../access/CurrentRequest.ts"
import { asBackgroundWork } from "../BackgroundWork.ts"
import * as RateLimiter from "../rates/RateLimiter.ts"
import { by } from "./EventAuthor.ts"
import { EventRepository } from "./EventRepository.ts"

export class Refusals extends Context.Service<
  Refusals,
  {
    /** Counts a refused request. Returns at once; the job writes the event later. */
    readonly record: (refusal: Refusal, request: RequestInfo) => void
  }
>()("@holdfast/core/events/Refusals") {}

/** Refusals of one key, tenant and cause that no event has yet. */
interface Entry {
  readonly count: number
  /** The latest of them. */
  readonly refusal: Refusal
  readonly request: Pick<RequestInfo, "clientAddress" | "requestId">
}

/** The entries of the members of one tenant, or of one account in tenants that it is no member of. */
type Group = Map<string, Entry>

const perMinute = (requests: number): RateLimiter.RateLimiter =>
  RateLimiter.make({ requests, window: Duration.minutes(1) })

/**
 * The most groups, and the most entries of one group: about 16 MB. Refusals beyond that are not counted. What one account or the
 * members of one tenant do leaves the entries of all others in place.
 */
const capacity = { groups: 1024, entries: 32 }

/** The most events that one run of the job writes. */
const batch = 64

/** A key that is or was a token of the tenant counts as a member's. */
const isStranger = ({ identity, tenantId }: Refusal): boolean =>
  identity.member === null && identity.credential?.tenantId !== tenantId

const groupOf = (refusal: Refusal): string => (isStranger(refusal) ? refusal.identity.account.id : refusal.tenantId)

const keyOf = ({ cause, identity, tenantId }: Refusal): string =>
  [tenantId, identity.credential?.id ?? identity.account.id, ...Object.values(cause)].join(" ")

const make = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const repository = yield* EventRepository
  const groups = new Map<string, Group>()
  const perKey = perMinute(1)
  const perGroup = perMinute(30)
  const perVisitedTenant = perMinute(10)

  /** Counts an event and returns true, if it is within all rates. */
  const admit = (group: string, key: string, { refusal }: Entry, now: number): boolean => {
    const limits = [
      { limiter: perKey, subject: key },
      { limiter: perGroup, subject: group },
      ...(isStranger(refusal) ? [{ limiter: perVisitedTenant, subject: refusal.tenantId }] : [])
    ]
    const isWithin = limits.every(({ limiter, subject }) => limiter.check(subject, now).isWithin)
    if (isWithin) for (const { limiter, subject } of limits) limiter.count(subject, now)
    return isWithin
  }

  /** Removes and returns the first entries that `isDue` accepts. */
  const take = (isDue: (group: string, key: string, entry: Entry) => boolean): ReadonlyArray<Entry> => {
    const taken: Array<Entry> = []
    for (const [id, group] of groups) {
      for (const [key, entry] of group) {
        if (taken.length === batch) return taken
        if (!isDue(id, key, entry)) continue
        taken.push(entry)
        group.delete(key)
      }
      if (group.size === 0) groups.delete(id)
    }
    return taken
  }

  const write = ({ count, refusal: { cause, identity, tenantId }, request }: Entry) =>
    repository
      .recordRefusal({ tenantId, detail: { ...cause, count } })
      .pipe(by(identity), Effect.provideService(CurrentRequest, request))

  /** Writes events. After a failure the rest is dropped: later refusals are recorded again. */
  const writeAll = (entries: ReadonlyArray<Entry>) =>
    Effect.forEach(entries, write, { discard: true }).pipe(
      Effect.catch(({ reason }) =>
        Effect.annotateLogs(Effect.logWarning("refused requests not recorded"), { events: entries.length, reason })
      ),
      Effect.catchDefect((defect) => Effect.logError("defect in the record of refused requests; it continues", defect))
    )

  const flush = Effect.suspend(() => {
    if (groups.size === 0) return Effect.void
    const now = clock.currentTimeMillisUnsafe()
    return writeAll(take((group, key, entry) => admit(group, key, entry, now)))
  })

  yield* Effect.addFinalizer(() => Effect.suspend(() => writeAll(take(() => true))))
  yield* asBackgroundWork(flush).pipe(Effect.delay("1 second"), Effect.forever, Effect.forkScoped)

  return Refusals.of({
    record: (refusal, { clientAddress, requestId }) => {
      const id = groupOf(refusal)
      const group = groups.get(id) ?? new Map<string, Entry>()
      if (group.size === 0 && groups.size >= capacity.groups) return
      groups.set(id, group)
      const key = keyOf(refusal)
      const former = group.get(key)
      if (former === undefined && group.size >= capacity.entries) return
      group.set(key, { count: (former?.count ?? 0) + 1, refusal, request: { clientAddress, requestId } })
    }
  })
})

export const layer: Layer.Layer<Refusals, never, EventRepository> = Layer.effect(Refusals, make)
