/**
 * The parameter `partNumber`: a part of an upload or of an object.
 */
import { maxParts } from "@holdfast/core/uploads/Upload"
import * as Effect from "effect/Effect"
import { S3Error, table } from "../../S3Error.ts"

const invalid = S3Error.of("InvalidArgument", `The parameter partNumber must be from 1 to ${maxParts}.`)

/** Returns the number that a parameter states. Fails with `InvalidArgument` for one that no part can have. */
export const parse = (text: string): Effect.Effect<number, S3Error> => {
  const number = Number(text)
  return /^[0-9]{1,5}$/.test(text) && number >= 1 && number <= maxParts ? Effect.succeed(number) : Effect.fail(invalid)
}

/** Returns the error of a part that an object of so many parts does not have, with the elements that Amazon S3 adds. */
export const beyond = (number: number, count: number): S3Error =>
  new S3Error({
    code: "InvalidPartNumber",
    message: table.InvalidPartNumber.message,
    fields: { PartNumberRequested: String(number), ActualPartCount: String(count) }
  })
