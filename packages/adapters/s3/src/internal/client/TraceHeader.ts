/**
 * The headers with the trace of a copy and with the source of a removal, which only a target that is a Holdfast reads. Every other
 * service ignores them.
 */
import type * as Sdk from "@aws-sdk/client-s3"
import { header, sourceHeader } from "@holdfast/core/mirrors/targets/Trace"
import { property } from "@holdfast/outbound/Property"

/** The fields of inputs that become headers. The SDK ignores them. */
export interface Traced {
  readonly Trace?: string | undefined
}

export interface FromSource {
  /** The id of the bucket whose mirror removes an object. */
  readonly Source?: string | undefined
}

const headerNames = { Trace: header, Source: sourceHeader } as const satisfies {
  readonly [Field in keyof (Traced & FromSource)]-?: string
}

/** Has a client send the trace or the source of each input that has one. */
export const install = ({ middlewareStack }: Sdk.S3Client): void => {
  middlewareStack.add(
    (next) => (args) => {
      const headers = property(args.request, "headers")
      if (typeof headers !== "object" || headers === null) return next(args)
      for (const [field, name] of Object.entries(headerNames)) {
        const value = property(args.input, field)
        if (typeof value === "string") Object.assign(headers, { [name]: value })
      }
      return next(args)
    },
    { name: "holdfastTrace", step: "build" }
  )
}
