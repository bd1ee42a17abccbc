/**
 * When a service answered, by its own clock: the SDK leaves that out of what it makes of an answer.
 */
import type * as Sdk from "@aws-sdk/client-s3"
import * as S3Errors from "./S3Errors.ts"

const times = new WeakMap<object, number>()

/** Seconds since 1970 of an answer that the client gave; undefined when the service did not tell. */
export const of = (answer: object): number | undefined => times.get(answer)

/** Seconds since 1970 of a header Date; undefined when it is none. */
export const parse = (date: unknown): number | undefined => {
  const millis = Date.parse(String(date))
  return Number.isNaN(millis) ? undefined : Math.floor(millis / 1000)
}

/** Has a client take note of it. */
export const install = ({ middlewareStack }: Sdk.S3Client): void => {
  middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args)
      const time = parse(S3Errors.property(S3Errors.property(result.response, "headers"), "date"))
      if (result.output !== undefined && time !== undefined) times.set(result.output, time)
      return result
    },
    // Around what makes the output.
    { name: "holdfastAnswerTime", step: "deserialize", priority: "high" }
  )
}
