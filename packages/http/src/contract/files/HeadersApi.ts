/**
 * The headers that a file is served with.
 */
import * as Header from "@holdfast/core/files/Header"
import * as Page from "@holdfast/core/Page"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Authentication } from "../Authentication.ts"
import { params } from "../FilesApi.ts"
import { JsonResponse, JsonRequest } from "../JsonMiddleware.ts"
import { created, describe, problems } from "../Operation.ts"

const set = HttpApiEndpoint.post("set", "/", {
  params,
  disableCodecs: true,
  payload: Header.Header,
  success: created(Header.Header),
  error: problems("invalid_request", "quota_exceeded", "not_found")
}).annotateMerge(
  describe({ summary: "Set a header", description: "Replaces a header of the same name.", permission: "file:write" })
)

const setAll = HttpApiEndpoint.post("setAll", "/bulk", {
  params,
  disableCodecs: true,
  payload: Header.SetHeaders,
  success: created(Schema.Struct({ items: Schema.Array(Header.Header) })),
  error: problems("invalid_request", "quota_exceeded", "not_found")
}).annotateMerge(describe({ summary: "Set several headers, all or none", permission: "file:write" }))

const list = HttpApiEndpoint.get("list", "/", {
  params,
  success: Page.of(Header.StoredHeader),
  error: problems("not_found")
}).annotateMerge(
  describe({
    summary: "List the headers of a file",
    description:
      "The list always has one page. It also has headers that an earlier version accepted and this one refuses. They are " +
      "not sent with the content, and can be removed.",
    permission: "file:read"
  })
)

const remove = HttpApiEndpoint.delete("remove", "/:name", {
  params: { ...params, name: Schema.String.annotate({ description: "The name of the header. Case does not matter." }) },
  success: HttpApiSchema.NoContent,
  error: problems("not_found")
}).annotateMerge(describe({ summary: "Remove a header", permission: "file:write" }))

export class HeadersApi extends HttpApiGroup.make("headers")
  .add(set, setAll)
  .middleware(JsonRequest)
  .add(list)
  .middleware(JsonResponse)
  .add(remove)
  .middleware(Authentication)
  .prefix("/tenants/:tenantId/buckets/:bucketId/files/:fileId/headers")
  .annotate(OpenApi.Description, "The headers that a file is served with, in addition to those of the service.") {}
