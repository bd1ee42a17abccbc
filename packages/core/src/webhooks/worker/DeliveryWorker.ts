/**
 * The worker: sends the deliveries of all webhooks, beside the workers of other nodes. One request to an endpoint is in flight at a
 * time. A slot is taken by one webhook for a turn: some of its due deliveries, about a second long. An endpoint that does not answer
 * therefore delays no other, unless such endpoints take all slots; those of one tenant cannot.
 */
import * as Mac from "effect/crypto/Mac"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import { asBackgroundWork, repeatStep } from "../../BackgroundWork.ts"
import * as Counts from "../../Counts.ts"
import type { SecretBox } from "../../secrets/SecretBox.ts"
import { DeliveryRepository, type DueWebhook } from "../DeliveryRepository.ts"
import type { WebhookSender } from "../WebhookSender.ts"
import * as Turn from "./internal/Turn.ts"

export interface DeliveryWorkerOptions {
  /** Requests that this worker sends at once. */
  readonly concurrency: number
  /** How often an idle worker looks for deliveries. */
  readonly pollInterval: Duration.Input
  /**
   * How long a claim lasts. It covers a turn, the last request of the turn, and the time to record it. When a process dies, the
   * deliveries of its claims wait for this long.
   */
  readonly lease: Duration.Input
  /** The deliveries of one turn. A process that dies repeats those that it has sent. */
  readonly batchSize: number
  /** How long a shutdown waits for requests. It interrupts the others, which are sent again. */
  readonly drain: Duration.Input
}

export const defaults: DeliveryWorkerOptions = {
  concurrency: 64,
  pollInterval: "500 millis",
  lease: "30 seconds",
  batchSize: 100,
  drain: "5 seconds"
}

/** Webhooks that one search returns. */
const searchLimit = 200

/** How long a webhook keeps its slot while it has further deliveries, in milliseconds. */
const turnMillis = 1000

/**
 * How many slots a tenant may have for each slot that is free. A tenant alone gets three quarters of the slots; the rest is divided
 * among other tenants in the same way.
 */
const slotsPerFreeSlot = 3

/** Retries of recording turns, one in a second: then their leases are about to expire. */
const maxRetries = 10

/** Runs until the scope closes. */
const work = Effect.fnUntraced(function* (options: DeliveryWorkerOptions) {
  const repository = yield* DeliveryRepository
  const random = yield* SecureRandom
  /** Slots by tenant. */
  const used = Counts.make<string>()
  /** Turns that have ended, and are not recorded. */
  const ended = yield* Queue.unbounded<Turn.Progress>()
  /** Open when there may be more to claim. */
  const wake = Latch.makeUnsafe(false)
  let isClosing = false
  /** Where the last search ended, when there were more webhooks. */
  let after = ""

  /** Records turns and frees their slots. Gives up when the leases are about to expire. */
  const record = (turns: ReadonlyArray<Turn.Progress>) =>
    repository.complete(turns).pipe(
      Effect.retry({ schedule: Schedule.spaced("1 second"), times: isClosing ? 0 : maxRetries }),
      Effect.catch(({ reason }) =>
        Effect.annotateLogs(Effect.logWarning("webhook deliveries not recorded; they will be repeated"), { reason })
      ),
      Effect.andThen(
        Effect.suspend(() => {
          for (const { claim } of turns) used.add(claim.webhook.tenantId, -1)
          return wake.open
        })
      )
    )

  const turns = yield* FiberSet.make()

  // On shutdown, after the loops below have been interrupted.
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      isClosing = true
      return FiberSet.awaitEmpty(turns)
    }).pipe(
      Effect.timeoutOrElse({ duration: options.drain, orElse: () => Effect.void }),
      Effect.andThen(FiberSet.clear(turns)),
      Effect.andThen(FiberSet.awaitEmpty(turns)),
      Effect.andThen(Queue.clear(ended)),
      Effect.flatMap((rest) => (rest.length === 0 ? Effect.void : record(rest)))
    )
  )

  const start = (progress: Turn.Progress) => {
    const begun = performance.now()
    const isOver = () => isClosing || performance.now() - begun >= turnMillis
    return FiberSet.run(
      turns,
      Turn.run(progress, isOver).pipe(
        Effect.catchDefect((defect) => Effect.logError("defect in the delivery of webhooks; it continues", defect)),
        Effect.interruptible,
        Effect.ensuring(Queue.offer(ended, progress))
      )
    )
  }

  /** Takes slots for some of the webhooks. */
  const takeSlots = (webhooks: ReadonlyArray<DueWebhook>): ReadonlyArray<DueWebhook> =>
    webhooks.filter(({ tenantId }) => {
      if (used.get(tenantId) >= slotsPerFreeSlot * (options.concurrency - used.total())) return false
      used.add(tenantId, 1)
      return true
    })

  const claim = Effect.fnUntraced(function* (chosen: ReadonlyArray<DueWebhook>) {
    const now = yield* DateTime.now
    const claims = yield* repository
      .claim({
        webhookIds: chosen.map(({ id }) => id),
        limit: options.batchSize,
        lease: yield* random.uuidV7(),
        leaseUntil: DateTime.addDuration(now, options.lease),
        now
      })
      .pipe(Effect.onError(() => Effect.sync(() => chosen.forEach(({ tenantId }) => used.add(tenantId, -1)))))
    const claimed = new Set(claims.map(({ webhook }) => webhook.id))
    for (const { id, tenantId } of chosen) if (!claimed.has(id)) used.add(tenantId, -1)
    yield* Effect.forEach(claims, (one) => start(Turn.begin(one)), { discard: true })
    return claims.length > 0
  }, Effect.uninterruptible)

  /** Starts turns in the free slots. Returns whether there may be more to start. */
  const round = Effect.gen(function* () {
    wake.closeUnsafe()
    if (used.total() >= options.concurrency) return false
    const { next, webhooks } = yield* repository.due({ after, limit: searchLimit, now: yield* DateTime.now })
    after = next ?? ""
    const chosen = takeSlots(webhooks)
    const hasClaimed = chosen.length > 0 && (yield* claim(chosen))
    return hasClaimed || next !== null
  })

  yield* Queue.peek(ended).pipe(
    Effect.andThen(Effect.uninterruptible(Effect.flatMap(Queue.takeAll(ended), record))),
    Effect.forever,
    Effect.forkScoped
  )

  yield* Effect.forkScoped(
    repeatStep(round, Effect.timeoutOrElse(wake.await, { duration: options.pollInterval, orElse: () => Effect.void }), {
      worker: "delivery worker",
      failure: "webhook deliveries not claimed; will retry"
    })
  )
})

/** Sends deliveries while the layer is open. When it closes, it completes requests and releases its claims. */
export const layer = (
  options: Partial<DeliveryWorkerOptions> = {}
): Layer.Layer<never, never, DeliveryRepository | SecretBox | SecureRandom | WebhookSender> =>
  Layer.effectDiscard(asBackgroundWork(work({ ...defaults, ...options }))).pipe(Layer.provide(Mac.layerWebCrypto))
