/**
 * When a failed delivery is sent again. Ten attempts take about 75 hours, as Standard Webhooks 1.0 recommends.
 */
import * as Duration from "effect/Duration"

/** The delay after each failed attempt but the last one. */
const delays: ReadonlyArray<Duration.Duration> = [
  Duration.seconds(5),
  Duration.minutes(5),
  Duration.minutes(30),
  Duration.hours(2),
  Duration.hours(5),
  Duration.hours(10),
  Duration.hours(14),
  Duration.hours(20),
  Duration.hours(24)
]

export const maxAttempts = delays.length + 1

/** The longest delay that an endpoint may ask for. */
const longest = Duration.toMillis(Duration.hours(24))

/** The part of a delay that is random, so that the deliveries that failed in an outage are not all sent again at once. */
const jitter = 0.2

/**
 * Returns the milliseconds that the header `Retry-After` asks to wait: seconds or a date (RFC 9110, section 10.2.3), at most
 * 24 hours; zero for every other text. `now` is in epoch milliseconds.
 */
export const parseRetryAfter = (header: string | null, now: number): number => {
  if (header === null) return 0
  const text = header.trim()
  const millis = /^\d+$/.test(text) ? Number(text) * 1000 : /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) - now : 0
  return Number.isNaN(millis) ? 0 : Math.min(Math.max(millis, 0), longest)
}

/**
 * Returns the milliseconds until the next attempt; null after the last one.
 *
 * @param attempts The attempts that have failed.
 * @param random A number from 0 up to 1.
 * @param least The milliseconds that the endpoint asked to wait.
 */
export const nextDelay = (attempts: number, random: number, least: number): number | null => {
  const delay = delays[attempts - 1]
  if (delay === undefined) return null
  return Math.max(Math.round(Duration.toMillis(delay) * (1 - jitter / 2 + jitter * random)), least)
}

/** The longest pause of a failing endpoint, in milliseconds. */
const longestPause = 60_000

/**
 * Returns the milliseconds for which an endpoint gets no further requests after this many consecutive failures. The first
 * failure may concern one event only. An endpoint that is down gets one request a minute, whatever is pending for it.
 */
export const pause = (failures: number): number =>
  failures < 2 ? 0 : Math.min(longestPause, 1000 * 2 ** Math.min(failures - 2, 16))
