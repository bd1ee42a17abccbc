/**
 * The time of a response by the service's clock. The SDK leaves it out of its outputs.
 */
import type * as Sdk from "@aws-sdk/client-s3"
import { property } from "@holdfast/outbound/Property"

const dates = new WeakMap<object, number>()

/**
 * Returns the seconds since 1970 at which the service sent an output of the client; undefined when its response had no
 * date.
 */
export const get = (output: object): number | undefined => dates.get(output)

/** Parses a header `Date`. Returns seconds since 1970; undefined for a value that is not a date. */
export const parse = (date: unknown): number | undefined => {
  const millis = Date.parse(String(date))
  return Number.isNaN(millis) ? undefined : Math.floor(millis / 1000)
}

/** Has a client record the date of every response. */
export const install = ({ middlewareStack }: Sdk.S3Client): void => {
  middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args)
      const date = parse(property(property(result.response, "headers"), "date"))
      if (result.output !== undefined && date !== undefined) dates.set(result.output, date)
      return result
    },
    // High priority: around the middleware that makes the output.
    { name: "holdfastResponseDate", step: "deserialize", priority: "high" }
  )
}
