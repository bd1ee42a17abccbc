/**
 * The API tokens of a tenant.
 */
import * as Page from "@holdfast/core/Page"
import * as S3Credential from "@holdfast/core/tokens/S3Credential"
import * as Token from "@holdfast/core/tokens/Token"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Authentication } from "./Authentication.ts"
import { JsonResponse, JsonRequest } from "./JsonMiddleware.ts"
import { ConfinedToScope, created, describe, page, problems } from "./Operation.ts"

const tenant = { tenantId: Schema.String }
const params = { ...tenant, tokenId: Schema.String }
const permission = "token:manage"

const create = HttpApiEndpoint.post("create", "/", {
  params: tenant,
  disableCodecs: true,
  payload: Token.CreateToken,
  success: created(Token.CreatedToken),
  error: problems("invalid_request", "quota_exceeded")
})
  .annotateMerge(
    describe({
      summary: "Create a token for a member",
      description: "Only this response contains the `key`. It cannot be read again.",
      permission
    })
  )
  .annotate(ConfinedToScope, true)

const list = HttpApiEndpoint.get("list", "/", {
  params: tenant,
  query: page,
  success: Page.of(Token.Token),
  error: problems("invalid_request", "invalid_cursor")
}).annotateMerge(describe({ summary: "List the tokens, including revoked and expired ones", permission }))

const get = HttpApiEndpoint.get("get", "/:tokenId", {
  params,
  success: Token.Token,
  error: problems("not_found")
}).annotateMerge(describe({ summary: "Get a token", permission }))

const revoke = HttpApiEndpoint.delete("revoke", "/:tokenId", {
  params,
  success: HttpApiSchema.NoContent,
  error: problems("not_found")
}).annotateMerge(describe({ summary: "Revoke a token permanently", permission }))

const createS3Credentials = HttpApiEndpoint.post("createS3Credentials", "/:tokenId/s3-credentials", {
  params,
  disableCodecs: true,
  success: created(S3Credential.CreatedS3Credentials),
  error: problems("invalid_request", "not_found")
}).annotateMerge(
  describe({
    summary: "Create the S3 credentials of a token",
    description:
      "Former credentials of the token end at once. Only this response contains the `secretAccessKey`. It cannot be read again.",
    permission
  })
)

const getS3Credentials = HttpApiEndpoint.get("getS3Credentials", "/:tokenId/s3-credentials", {
  params,
  success: S3Credential.S3Credentials,
  error: problems("not_found")
}).annotateMerge(describe({ summary: "Get the S3 credentials of a token, without the secret key", permission }))

const revokeS3Credentials = HttpApiEndpoint.delete("revokeS3Credentials", "/:tokenId/s3-credentials", {
  params,
  success: HttpApiSchema.NoContent,
  error: problems("not_found")
}).annotateMerge(describe({ summary: "Revoke the S3 credentials of a token", permission }))

export class TokensApi extends HttpApiGroup.make("tokens")
  .add(create)
  .middleware(JsonRequest)
  .add(list, get, createS3Credentials, getS3Credentials)
  .middleware(JsonResponse)
  .add(revoke, revokeS3Credentials)
  .middleware(Authentication)
  .prefix("/tenants/:tenantId/tokens")
  .annotate(OpenApi.Description, "API tokens: keys that each belong to one member of a tenant.") {}
