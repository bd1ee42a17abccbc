/**
 * The headers that a file is served with.
 */
import * as Header from "@holdfast/core/headers/Header"
import * as Page from "@holdfast/core/Page"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Authentication } from "./Authentication.ts"
import { params } from "./FilesApi.ts"
import { JsonResponse, JsonRequest } from "./JsonMiddleware.ts"
import { created, describe, problems } from "./Operation.ts"

const set = HttpApiEndpoint.post("set", "/", {
  params,
  disableCodecs: true,
  payload: Header.Header,
  success: created(Header.Header),
  error: problems("invalid_request", "not_found")
}).annotateMerge(
  describe({ summary: "Attach a header", description: "One of the same name is replaced.", permission: "file:write" })
)

const setAll = HttpApiEndpoint.post("setAll", "/bulk", {
  params,
  disableCodecs: true,
  payload: Header.SetHeaders,
  success: created(Schema.Struct({ items: Schema.Array(Header.Header) })),
  error: problems("invalid_request", "not_found")
}).annotateMerge(describe({ summary: "Attach several headers, all or none", permission: "file:write" }))

const list = HttpApiEndpoint.get("list", "/", {
  params,
  success: Page.of(Header.Header),
  error: problems("not_found")
}).annotateMerge(
  describe({ summary: "List a file's headers", description: "Always one page.", permission: "file:read" })
)

const remove = HttpApiEndpoint.delete("remove", "/:name", {
  params: { ...params, name: Schema.String.annotate({ description: "The header's name, in any case." }) },
  success: HttpApiSchema.NoContent,
  error: problems("not_found")
}).annotateMerge(describe({ summary: "Take a header away", permission: "file:write" }))

export class HeadersApi extends HttpApiGroup.make("headers")
  .add(set, setAll)
  .middleware(JsonRequest)
  .add(list)
  .middleware(JsonResponse)
  .add(remove)
  .middleware(Authentication)
  .prefix("/tenants/:tenantId/buckets/:bucketId/files/:fileId/headers")
  .annotate(OpenApi.Description, "What a file is served with, besides what the service says itself.") {}
