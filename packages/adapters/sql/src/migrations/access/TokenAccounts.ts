/**
 * The index by which the tokens of an account are found: the database looks for them whenever an account is deleted, such as that of an
 * invitation that ends.
 */
import * as Migration from "../Migration.ts"

export const tokenAccounts: ReadonlyArray<Migration.Step> = [
  Migration.index({ name: "api_key_account", on: "api_key (account_id)" })
]
