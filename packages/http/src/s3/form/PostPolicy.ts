/**
 * The policy of a form: until when it may be used, and what its fields and its file have to be.
 *
 * Source: "Creating a POST policy" of the Amazon S3 API reference.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { S3Error } from "../S3Error.ts"

interface Condition {
  readonly operator: "eq" | "starts-with"
  /** In lower case. */
  readonly field: string
  readonly value: string
}

export interface PostPolicy {
  /** Epoch milliseconds. */
  readonly expiresAt: number
  readonly conditions: ReadonlyArray<Condition>
  /** The least and the largest size of the file, in bytes. */
  readonly size: { readonly min: number; readonly max: number }
}

const invalid = (detail: string) =>
  S3Error.of("InvalidPolicyDocument", `The policy of the form is not valid: ${detail}`)
const denied = (detail: string) => S3Error.of("AccessDenied", `The policy does not permit the form: ${detail}`)

const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/

const parseSize = (value: unknown): number | undefined => {
  const size = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof size === "number" && Number.isSafeInteger(size) && size >= 0 ? size : undefined
}

const parseText = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads a policy as the form has it: JSON in base64. */
export const parse = (base64: string): Result.Result<PostPolicy, S3Error> => {
  const root = parseText(Buffer.from(base64, "base64").toString("utf8"))
  if (!Predicate.isObject(root) || Array.isArray(root))
    return Result.fail(invalid("it must be a JSON object in base64."))
  const { conditions: list, expiration } = root as Readonly<Record<string, unknown>>
  const expiresAt = typeof expiration === "string" && isTime.test(expiration) ? Date.parse(expiration) : Number.NaN
  if (Number.isNaN(expiresAt)) return Result.fail(invalid("expiration must be a time such as 2026-11-23T04:30:00Z."))
  if (!Array.isArray(list)) return Result.fail(invalid("conditions must be a list."))

  const conditions: Array<Condition> = []
  let [min, max] = [0, Number.MAX_SAFE_INTEGER]
  for (const one of list as ReadonlyArray<unknown>) {
    if (Array.isArray(one)) {
      const [name, first, second] = one as ReadonlyArray<unknown>
      const operator = typeof name === "string" ? name.toLowerCase() : ""
      if (one.length !== 3) return Result.fail(invalid("a condition that is a list must have three members."))
      if (operator === "content-length-range") {
        const [from, to] = [parseSize(first), parseSize(second)]
        if (from === undefined || to === undefined) {
          return Result.fail(invalid("content-length-range must have two numbers of bytes."))
        }
        min = Math.max(min, from)
        max = Math.min(max, to)
      } else if (operator !== "eq" && operator !== "starts-with") {
        return Result.fail(invalid("a condition must be eq, starts-with or content-length-range."))
      } else if (typeof first !== "string" || !first.startsWith("$") || typeof second !== "string") {
        return Result.fail(invalid(`${operator} must have a field such as $key and a text.`))
      } else conditions.push({ operator, field: first.slice(1).toLowerCase(), value: second })
    } else {
      const entries = Predicate.isObject(one) ? Object.entries(one) : []
      if (entries.length === 0) return Result.fail(invalid("a condition must be a list or an object with a field."))
      for (const [field, value] of entries) {
        if (typeof value !== "string") return Result.fail(invalid(`the value of ${field} must be a text.`))
        conditions.push({ operator: "eq", field: field.toLowerCase(), value })
      }
    }
  }
  return Result.succeed({ expiresAt, conditions, size: { min, max } })
}

/** Fields that need no condition: the signature itself, what clients may add at will, and checksums, which only restrict. */
const isFree = (field: string): boolean =>
  ["awsaccesskeyid", "policy", "signature", "x-amz-signature"].includes(field) ||
  field.startsWith("x-ignore-") ||
  field.startsWith("x-amz-checksum-")

/**
 * Returns the error of a form that a policy does not permit; undefined for any other. The size of the file is not checked.
 *
 * @param fields By lower-case name, with the bucket and the key that are meant.
 * @param now Epoch milliseconds.
 */
export const findFault = (
  { conditions, expiresAt }: PostPolicy,
  fields: ReadonlyMap<string, string>,
  now: number
): S3Error | undefined => {
  if (now >= expiresAt) return denied("it has expired. Create another one.")
  const covered = new Set<string>()
  for (const { field, operator, value } of conditions) {
    const found = fields.get(field)
    const holds = found !== undefined && (operator === "eq" ? found === value : found.startsWith(value))
    if (!holds) return denied(`the condition on ${field} does not hold.`)
    covered.add(field)
  }
  for (const field of fields.keys()) {
    if (!covered.has(field) && !isFree(field)) return denied(`it has no condition on the field ${field}.`)
  }
  return undefined
}
