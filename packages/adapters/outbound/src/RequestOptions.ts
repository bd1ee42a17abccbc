/**
 * How the adapters of object stores make requests.
 */
import * as Is from "@holdfast/core/inputs/OptionChecks"
import type { Checks } from "@holdfast/core/promises/AdapterOptions"
import * as Duration from "effect/Duration"

export interface RequestOptions {
  /**
   * How many times one request is made while it fails temporarily. Default: 3. Only the adapter can retry the request
   * of a part, since a content's stream is read once.
   */
  readonly maxAttempts?: number | undefined
  /**
   * The largest number of connections; further requests wait for a free one. Each reader of a blob keeps one until its
   * stream ends, so set more than there are concurrent readers. Default: 500; for a mirror target of S3 or Google: 50.
   */
  readonly maxConnections?: number | undefined
  /** How long a connection may take to open. Default: 5 seconds. */
  readonly connectTimeout?: Duration.Input | undefined
  /**
   * How long a connection in use may transfer nothing before its request fails. Default: 1 minute. A reader that pauses
   * for that long fails, too.
   */
  readonly idleTimeout?: Duration.Input | undefined
  /**
   * How long one attempt of a request may take in all, from opening its connection to the end of its response. A
   * request with a body may take longer: as long as its bytes take at 4 KiB per second. The content of a blob may take
   * as long as its reader. Ten minutes at least for requests for which a service copies or assembles a large object.
   * Default: 30 seconds.
   */
  readonly requestTimeout?: Duration.Input | undefined
}

/** The checks of the options, for adapters. */
export const checks: Checks<RequestOptions> = {
  maxAttempts: Is.count(1),
  maxConnections: Is.oneOf([Infinity], Is.count(1)),
  connectTimeout: Is.timeout,
  idleTimeout: Is.timeout,
  requestTimeout: Is.timeout
}

/** The options with their defaults. */
export interface RequestLimits {
  readonly maxAttempts: number
  readonly maxConnections: number
  /** Milliseconds. */
  readonly connectTimeout: number
  /** Milliseconds. */
  readonly idleTimeout: number
  /** Milliseconds. */
  readonly requestTimeout: number
}

/** Connections of a store, which many readers share. */
export const storeConnections = 500

/** Connections to one mirror target: its only user is the mirror's worker. */
export const targetConnections = 50

/** The longest time of a timer of Node.js, in milliseconds: 24.8 days. For a longer one it throws, or waits for a millisecond. */
const longestTimer = 2 ** 31 - 1

const toMillis = (duration: Duration.Input): number => Math.min(Duration.toMillis(duration), longestTimer)

/** Returns the options with their defaults. */
export const resolve = (options: RequestOptions, defaultConnections: number): RequestLimits => ({
  maxAttempts: options.maxAttempts ?? 3,
  maxConnections: options.maxConnections ?? defaultConnections,
  connectTimeout: toMillis(options.connectTimeout ?? "5 seconds"),
  idleTimeout: toMillis(options.idleTimeout ?? "1 minute"),
  requestTimeout: toMillis(options.requestTimeout ?? "30 seconds")
})
