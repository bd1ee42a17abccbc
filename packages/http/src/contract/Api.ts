/**
 * The HTTP API as one value, from which the routes, the OpenAPI document and typed clients
 * (`HttpApiClient.make(Api, { baseUrl })`) are derived. It contains no server code.
 */
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { schemes } from "./Authentication.ts"
import { BucketsApi } from "./BucketsApi.ts"
import { ContentsApi } from "./ContentsApi.ts"
import { EventsApi } from "./EventsApi.ts"
import { FilesApi } from "./FilesApi.ts"
import { FoldersApi } from "./files/FoldersApi.ts"
import { UploadsApi } from "./files/UploadsApi.ts"
import { CaptionsApi } from "./files/CaptionsApi.ts"
import { PostersApi } from "./files/PostersApi.ts"
import { HeadersApi } from "./files/HeadersApi.ts"
import { IdentityApi } from "./IdentityApi.ts"
import { MembersApi } from "./MembersApi.ts"
import { MembershipsApi } from "./MembershipsApi.ts"
import { MirrorsApi } from "./MirrorsApi.ts"
import { complete } from "./openapi/CompleteDocument.ts"
import { PlaybackApi } from "./PlaybackApi.ts"
import { ReadingApi } from "./ReadingApi.ts"
import { StreamsApi } from "./StreamsApi.ts"
import { SharesApi } from "./shares/SharesApi.ts"
import { TenantsApi } from "./TenantsApi.ts"
import { TokensApi } from "./TokensApi.ts"
import { WebhooksApi } from "./WebhooksApi.ts"

/** The path under which all operations of the API lie. */
export const basePath = "/api/v1"

/** The operations that are served by Effect's `HttpApiBuilder`. */
export class HandledApi extends HttpApi.make("holdfast")
  .add(
    IdentityApi,
    MembershipsApi,
    TenantsApi,
    MembersApi,
    TokensApi,
    BucketsApi,
    FilesApi,
    FoldersApi,
    HeadersApi,
    ContentsApi,
    UploadsApi,
    SharesApi,
    StreamsApi,
    CaptionsApi,
    PostersApi,
    MirrorsApi,
    WebhooksApi,
    EventsApi
  )
  .prefix(basePath)
  // Reports all faults of a request, not only the first.
  .annotate(HttpApi.ParseOptions, { errors: "all" }) {}

const about = `Stores files in the buckets of isolated tenants, whose members have roles.

- Send your API key as \`?apiKey=\`, \`Authorization: Bearer\` or \`X-Api-Key\`. A request with two different keys is refused.
- Every error is a problem (RFC 9457) with a \`code\`. An unknown path gets \`404 not_found\`, a wrong method
  \`405 method_not_allowed\` with \`Allow\`.
- Every operation with \`GET\` also supports \`HEAD\`. Times are in ISO 8601 and UTC. Unknown fields of a body are ignored, but
  where an optional field limits a right they are refused: all those of links, shares, playback keys, webhooks and scopes, and those of
  tokens and buckets that resemble a field.
- In every path, \`fileId\` is the id of a file, or \`@\` and its alias.`

/** All operations, including those whose routes are registered without `HttpApiBuilder`. */
export class Api extends HandledApi.add(ReadingApi.prefix(basePath), PlaybackApi.prefix(basePath)).annotateMerge(
  OpenApi.annotations({
    title: "Holdfast",
    version: "1.0.0",
    description: about,
    license: { name: "MIT", url: "https://opensource.org/license/mit" },
    transform: (generated) => complete(generated as OpenApi.OpenAPISpec, schemes)
  })
) {}
