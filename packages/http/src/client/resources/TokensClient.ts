/**
 * `client.tokens`.
 */
import type { Methods } from "@holdfast/core/promises/Operations"
import type { TokenOperations } from "@holdfast/core/promises/resources/TokensApi"
import * as Routes from "../Routes.ts"
import type { Transport } from "../Transport.ts"

const tokens = "/tenants/:tenantId/tokens"
const token = `${tokens}/:tokenId`

export interface TokensClient extends Methods<TokenOperations<string>, []> {}

export const make = (transport: Transport): TokensClient =>
  Routes.bind<TokenOperations<string>>(
    transport,
    {
      create: { method: "POST", path: tokens, hasBody: true },
      list: { method: "GET", path: tokens, query: ["limit", "cursor"] },
      get: { method: "GET", path: token },
      revoke: { method: "DELETE", path: token },
      createS3Credentials: { method: "POST", path: `${token}/s3-credentials` },
      getS3Credentials: { method: "GET", path: `${token}/s3-credentials` },
      revokeS3Credentials: { method: "DELETE", path: `${token}/s3-credentials` }
    },
    { list: true }
  )
