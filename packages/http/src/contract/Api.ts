/**
 * The HTTP API as one value: from it come the routes, the OpenAPI document and typed clients
 * (`HttpApiClient.make(Api, { baseUrl })`). It holds no server code.
 */
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { BucketsApi } from "./BucketsApi.ts"
import { ContentsApi } from "./ContentsApi.ts"
import { FilesApi } from "./FilesApi.ts"
import { HeadersApi } from "./HeadersApi.ts"
import { IdentityApi } from "./IdentityApi.ts"
import { MembersApi } from "./MembersApi.ts"
import { TenantsApi } from "./TenantsApi.ts"
import { TokensApi } from "./TokensApi.ts"

/** Where the API begins. */
export const basePath = "/api/v1"

export class Api extends HttpApi.make("holdfast")
  .add(IdentityApi, TenantsApi, MembersApi, TokensApi, BucketsApi, FilesApi, ContentsApi, HeadersApi)
  .prefix(basePath)
  // All faults of a request at once.
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Holdfast",
      version: "1.0.0",
      description: "Files in buckets of isolated tenants, for members with roles."
    })
  ) {}
