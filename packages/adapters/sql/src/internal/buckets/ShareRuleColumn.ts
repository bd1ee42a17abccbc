/**
 * The column of `bucket` with the rules of its shares: a JSON object; null for the default rules.
 */
import * as ShareRules from "@holdfast/core/buckets/ShareRules"
import * as Schema from "effect/Schema"
import * as Row from "../Row.ts"

const isRules = Schema.is(ShareRules.ShareRules)

export const read: Row.FromRow<ShareRules.ShareRules> = (row) =>
  row.share_rules === null ? ShareRules.none : Row.json(isRules, row, "share_rules")

/** Null for the default rules, as for a bucket that a version without shares created. */
export const encode = (rules: ShareRules.ShareRules): string | null => {
  const { allowed, maxSeconds, passwordRequired } = rules
  return allowed && maxSeconds === null && !passwordRequired ? null : JSON.stringify(rules)
}
