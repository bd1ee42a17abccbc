/**
 * The limits of tenants that the configuration sets.
 */
import type { Quota } from "@holdfast/core/Settings"
import type { Config } from "../config/Config.ts"

export const fromConfig = (config: Config): Quota => ({
  bytes: config.quotaBytes,
  files: config.quotaFiles,
  buckets: config.quotaBuckets,
  members: config.quotaMembers,
  tokens: config.quotaTokens,
  tokensPerMember: config.quotaTokensPerMember,
  mirrors: config.quotaMirrors,
  webhooks: config.quotaWebhooks,
  shares: config.quotaShares,
  headersPerFile: config.quotaHeadersPerFile,
  conversions: config.quotaConversions
})
