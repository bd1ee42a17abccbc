/**
 * The header with the trace of a copy, which only a target that is a Holdfast reads. Every other service ignores it.
 */
import type * as Sdk from "@aws-sdk/client-s3"
import { header } from "@holdfast/core/mirrors/targets/Trace"
import { property } from "@holdfast/outbound/Property"

/** The field of an input that becomes the header. The SDK ignores it. */
export interface Traced {
  readonly Trace?: string | undefined
}

/** Has a client send the trace of each input that has one. */
export const install = ({ middlewareStack }: Sdk.S3Client): void => {
  middlewareStack.add(
    (next) => (args) => {
      const trace = property(args.input, "Trace")
      const headers = property(args.request, "headers")
      if (typeof trace === "string" && typeof headers === "object" && headers !== null) {
        Object.assign(headers, { [header]: trace })
      }
      return next(args)
    },
    { name: "holdfastTrace", step: "build" }
  )
}
