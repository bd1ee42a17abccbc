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
import { complete } from "./openapi/CompleteDocument.ts"
import { PlaybackApi } from "./PlaybackApi.ts"
import { MirrorsApi } from "./MirrorsApi.ts"
import { ReadingApi } from "./ReadingApi.ts"
import { StreamsApi } from "./StreamsApi.ts"
import { TenantsApi } from "./TenantsApi.ts"
import { TokensApi } from "./TokensApi.ts"

/** Where the API begins. */
export const basePath = "/api/v1"

/** The operations that Effect's `HttpApiBuilder` serves. */
export class HandledApi extends HttpApi.make("holdfast")
  .add(
    IdentityApi,
    TenantsApi,
    MembersApi,
    TokensApi,
    BucketsApi,
    FilesApi,
    HeadersApi,
    ContentsApi,
    StreamsApi,
    MirrorsApi
  )
  .prefix(basePath)
  // All faults of a request at once.
  .annotate(HttpApi.ParseOptions, { errors: "all" }) {}

const about = `Files in buckets of isolated tenants, for members with roles.

- An API key comes as \`?apiKey=\`, \`Authorization: Bearer\` or \`X-Api-Key\`; two that differ are refused.
- Every error is a problem (RFC 9457) with a \`code\`. An unknown address is \`404 not_found\`, a wrong method
  \`405 method_not_allowed\` with \`Allow\`.
- \`HEAD\` is answered wherever \`GET\` is. Times are ISO 8601 in UTC. Unknown fields of a body are ignored.
- In every path the name of a file is its id, or \`@\` and its alias.`

/** All operations. */
export class Api extends HandledApi.add(ReadingApi.prefix(basePath), PlaybackApi.prefix(basePath)).annotateMerge(
  OpenApi.annotations({
    title: "Holdfast",
    version: "1.0.0",
    description: about,
    license: { name: "MIT", url: "https://opensource.org/license/mit" },
    transform: (generated) => complete(generated as OpenApi.OpenAPISpec)
  })
) {}
