/**
 * Checks times that callers pass.
 */
import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import { bounded } from "./Text.ts"

const firstMillis = Date.parse("0000-01-01T00:00:00.000Z")
const lastMillis = Date.parse("9999-12-31T23:59:59.999Z")

/**
 * A time of the years 0 to 9999. RFC 3339 and most databases and programs cannot represent others, although `Date` can: it
 * writes them with a sign and six digits.
 */
export const Instant = bounded(64)
  .pipe(
    Schema.decodeTo(Schema.DateTimeUtcFromString),
    Schema.check(
      Schema.makeFilter((time: DateTime.Utc) => {
        const millis = DateTime.toEpochMillis(time)
        return millis >= firstMillis && millis <= lastMillis ? undefined : "must be a time of the years 0 to 9999"
      })
    )
  )
  .annotate({ description: "An ISO 8601 time in UTC." })
