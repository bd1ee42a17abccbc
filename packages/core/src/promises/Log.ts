/**
 * The log of programs without Effect: the option `log` of `open`.
 */

/** How severe an event is. */
export type LogLevel = "error" | "warn" | "info" | "debug"

/** An event of the log. It contains no key, secret or content. */
export interface LogEntry {
  readonly level: LogLevel
  /** When it happened. */
  readonly at: Date
  /** What happened, such as `webhook deliveries not recorded; they will be repeated`. */
  readonly message: string
  /** What it concerns, such as `webhookId` and `reason`: values as in JSON. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The errors behind it, with their stacks, for people. */
  readonly error?: string | undefined
}
