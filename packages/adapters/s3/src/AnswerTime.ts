/**
 * When a service answered, by its own clock: the SDK leaves that out of what it makes of an answer.
 */
import type * as Sdk from "@aws-sdk/client-s3"
import * as S3Errors from "./S3Errors.ts"

const times = new WeakMap<object, number>()

/** Seconds since 1970 of an answer that the client gave; undefined when the service did not tell. */
export const of = (answer: object): number | undefined => times.get(answer)

const dateOf = (response: unknown): number => {
  const headers = S3Errors.property(response, "headers")
  return Date.parse(String(S3Errors.property(headers, "date")))
}

/** Has a client take note of it. */
export const install = ({ middlewareStack }: Sdk.S3Client): void => {
  middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args)
      const date = dateOf(result.response)
      if (result.output !== undefined && !Number.isNaN(date)) times.set(result.output, Math.floor(date / 1000))
      return result
    },
    // Around what makes the output.
    { name: "holdfastAnswerTime", step: "deserialize", priority: "high" }
  )
}
