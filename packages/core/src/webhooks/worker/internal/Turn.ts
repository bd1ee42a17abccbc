/**
 * Sends deliveries of one claimed webhook, one after the other.
 */
import type * as Mac from "effect/crypto/Mac"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { MetadataError } from "../../../MetadataError.ts"
import { SecretBox, type SecretError } from "../../../secrets/SecretBox.ts"
import type { DeliveryError } from "../../Delivery.ts"
import {
  type AttemptResult,
  type ClaimedDelivery,
  type ClaimResult,
  type DeliveryClaim,
  DeliveryRepository
} from "../../DeliveryRepository.ts"
import * as Payload from "../../Payload.ts"
import * as RetryPlan from "../../RetryPlan.ts"
import * as Signature from "../../Signature.ts"
import { WebhookSender, WebhookSendError } from "../../WebhookSender.ts"

/** How long ended deliveries are kept, for users who look for them and replay them. */
const kept = { delivered: Duration.days(1), failed: Duration.days(30) }

/** How long an endpoint may fail until its webhook is disabled. */
const maxFailing = Duration.toMillis(Duration.days(5))

/** The result of a claim, as far as its turn has come. */
export interface Progress {
  readonly claim: DeliveryClaim
  readonly attempts: Array<AttemptResult>
  webhook: ClaimResult["webhook"]
}

const none = DateTime.makeUnsafe(0)

/** Returns the progress of a turn that has not begun. */
export const begin = (claim: DeliveryClaim): Progress => ({
  claim,
  attempts: [],
  webhook: { failures: claim.failures, failingSince: claim.webhook.failingSince, retryAt: none, disabled: null }
})

/** The response to an attempt, and what the endpoint asked to wait, in milliseconds. */
interface Answer {
  readonly status: number | null
  readonly error: DeliveryError | null
  readonly wait: number
}

const gone = 410

/**
 * How long a request may take: five seconds more than the port promises. A request without end would keep its slot, and its webhook
 * would take another one whenever the lease expires.
 */
const maxRequest = "20 seconds"

const timedOut = new WebhookSendError({ reason: "TIMEOUT" })

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/**
 * Returns what follows from an attempt for its delivery. `random` is a number from 0 up to 1, `now` is in epoch milliseconds.
 */
const nextState = (attempts: number, { error, status, wait }: Answer, random: number, now: number) => {
  const after = (duration: Duration.Duration) => DateTime.makeUnsafe(now + Duration.toMillis(duration))
  if (error === null) return { state: "DELIVERED", until: after(kept.delivered) } as const
  const delay = status === gone ? null : RetryPlan.nextDelay(attempts, random, wait)
  return delay === null
    ? ({ state: "FAILED", until: after(kept.failed) } as const)
    : ({ state: "PENDING", until: DateTime.makeUnsafe(now + delay) } as const)
}

/** Returns what follows from a failure for the webhook. */
const nextWebhook = (
  { failingSince, failures }: Progress["webhook"],
  { status, wait }: Pick<Answer, "status" | "wait">,
  now: number
): Progress["webhook"] => {
  const since = failingSince ?? DateTime.makeUnsafe(now)
  const isLong = now - DateTime.toEpochMillis(since) >= maxFailing
  return {
    failures: failures + 1,
    failingSince: since,
    retryAt: DateTime.makeUnsafe(now + Math.max(RetryPlan.pause(failures + 1), wait)),
    disabled: status === gone ? "GONE" : isLong ? "FAILING" : null
  }
}

/** Opens a secret. Seals it with the current key if a former one has sealed it; a failure of that is only logged. */
const openSecret = Effect.fnUntraced(function* (webhookId: string, sealed: string) {
  const box = yield* SecretBox
  const secret = yield* box.open(sealed, webhookId)
  if (box.isStale(sealed)) {
    const repository = yield* DeliveryRepository
    yield* box.seal(secret, webhookId).pipe(
      Effect.flatMap((current) => repository.reseal({ webhookId, former: sealed, current })),
      Effect.catch(({ reason }: MetadataError | SecretError) =>
        Effect.annotateLogs(Effect.logWarning("webhook secret not sealed with the current key"), { webhookId, reason })
      )
    )
  }
  return secret
})

/** Returns what signs for a webhook: with its secret, and with the former one as long as that is valid. */
const openSigner = Effect.fnUntraced(function* ({ formerSecret, id, secret }: DeliveryClaim["webhook"]) {
  const now = yield* Clock.currentTimeMillis
  const isValid = formerSecret !== null && DateTime.toEpochMillis(formerSecret.until) > now
  const sealed = isValid ? [secret, formerSecret.secret] : [secret]
  return yield* Signature.make(yield* Effect.forEach(sealed, (one) => openSecret(id, one)))
})

const send = Effect.fnUntraced(function* (
  { tenantId, url }: DeliveryClaim["webhook"],
  delivery: ClaimedDelivery,
  sign: Signature.Sign
) {
  const sender = yield* WebhookSender
  const at = yield* Clock.currentTimeMillis
  const body = Payload.encode(tenantId, delivery)
  const signature = yield* sign({ id: delivery.id, at, body })
  const headers = { "content-type": "application/json", "user-agent": "Holdfast-Webhooks", ...signature }
  const answered = Effect.timeoutOrElse(sender.send({ url, headers, body }), {
    duration: maxRequest,
    orElse: () => Effect.fail(timedOut)
  })
  return yield* Effect.match(answered, {
    onFailure: ({ reason }): Answer => ({ status: null, error: reason, wait: 0 }),
    onSuccess: ({ retryAfter, status }): Answer =>
      isSuccess(status)
        ? { status, error: null, wait: 0 }
        : { status, error: "STATUS", wait: RetryPlan.parseRetryAfter(retryAfter, at) }
  })
})

/** Makes one attempt, and adds it to the progress of the turn. Returns whether it succeeded. */
const attempt = Effect.fnUntraced(function* (progress: Progress, delivery: ClaimedDelivery, sign: Signature.Sign) {
  const start = yield* Clock.currentTimeMillis
  const answer = yield* send(progress.claim.webhook, delivery, sign)
  const now = yield* Clock.currentTimeMillis
  const { error, status } = answer
  progress.attempts.push({
    deliveryId: delivery.id,
    attempt: { at: DateTime.makeUnsafe(start), status, duration: Math.max(0, now - start), error },
    next: nextState(delivery.attempts + 1, answer, yield* Random.next, now)
  })
  progress.webhook =
    error === null
      ? { failures: 0, failingSince: null, retryAt: none, disabled: null }
      : nextWebhook(progress.webhook, answer, now)
  return error === null
})

/**
 * Sends the deliveries of a claim until one fails, or until `isOver` returns true. The others stay due. Adds the attempts to the
 * progress, which is complete at every time: an interruption loses the attempt that it interrupts only.
 */
export const run = (
  progress: Progress,
  isOver: () => boolean
): Effect.Effect<void, never, DeliveryRepository | Mac.Mac | SecretBox | WebhookSender> =>
  Effect.catch(attemptAll(progress, isOver), ({ reason }) => pauseWithoutSecret(progress, reason))

const attemptAll = Effect.fnUntraced(function* (progress: Progress, isOver: () => boolean) {
  const { deliveries, webhook } = progress.claim
  const sign = yield* openSigner(webhook)
  for (const delivery of deliveries) {
    if (isOver() || !(yield* attempt(progress, delivery, sign))) return
  }
})

const pauseWithoutSecret = Effect.fnUntraced(function* (progress: Progress, reason: string) {
  const answer = { status: null, wait: secretPause }
  progress.webhook = nextWebhook(progress.webhook, answer, yield* Clock.currentTimeMillis)
  yield* Effect.annotateLogs(Effect.logWarning("webhook secret cannot be opened; rotate it"), {
    webhookId: progress.claim.webhook.id,
    reason
  })
})

/** How long a webhook waits whose secret cannot be opened, in milliseconds. */
const secretPause = 60_000
