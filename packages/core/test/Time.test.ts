/**
 * The times of records and lists.
 */
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { expect, it } from "vitest"
import * as Time from "../src/Time.ts"

it("times of any days, before 1970 and after the year 9999 too → as DateTime.formatIso writes them", () => {
  const edges = [
    0, -1, 1, 999, 1000, 59_999, 60_000, 3_599_999, 86_399_999, 86_400_000, -86_400_000, 253_402_300_800_000
  ]
  const days = Array.from({ length: 2000 }, (_, index) => (index - 500) * 1_234_567_891)
  for (const millis of [...edges, ...days]) {
    expect(Time.toIso(millis)).toBe(DateTime.formatIso(DateTime.makeUnsafe(millis)))
  }
})

it("text: time of RFC 3339 → that time; any other text that Date reads → invalid", () => {
  const decode = Schema.decodeUnknownOption(Time.Instant)
  const millis = (text: string) => Option.getOrUndefined(Option.map(decode(text), DateTime.toEpochMillis))
  const noon = Date.UTC(2027, 0, 31, 12)
  for (const text of ["2027-01-31T12:00:00Z", "2027-01-31t12:00:00.000z", "2027-01-31T14:00:00+02:00"]) {
    expect(millis(text), text).toBe(noon)
  }
  expect(millis("2028-02-29T00:00:00Z")).toBe(Date.UTC(2028, 1, 29))
  expect(millis("0000-01-01T00:00:00Z")).toBe(Date.parse("0000-01-01T00:00:00Z"))
  expect(millis("2027-01-01T00:00:00.123456789Z")).toBe(Date.UTC(2027, 0, 1, 0, 0, 0, 123))
  const others = [
    ["", "1", " 1", "2027", "2027-01", "2027-1-1", "2027-01-31", "foo 2027", "Jan 2027", "now"],
    ["2027-01-31T12:00", "2027-01-31T12:00:00", "2027-01-31 12:00:00Z", " 2027-01-31T12:00:00Z"],
    ["2027-02-29T00:00:00Z", "2027-04-31T00:00:00Z", "2027-13-01T00:00:00Z", "2027-00-01T00:00:00Z"],
    ["2027-01-31T24:00:00Z", "2027-01-31T23:59:60Z", "2027-01-31T12:00:00+24:00", "2027-01-31T12:00:00+0200"],
    ["+002027-01-31T12:00:00Z", "+010000-01-01T00:00:00Z", "Sun, 31 Jan 2027 12:00:00 GMT"],
    ["9999-12-31T23:59:59-01:00", "0000-01-01T00:00:00+01:00"]
  ]
  for (const text of others.flat()) expect(millis(text), text).toBeUndefined()
})
