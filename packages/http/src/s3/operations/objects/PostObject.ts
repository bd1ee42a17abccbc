/**
 * Stores an object that a browser sends as a form.
 */
import * as Effect from "effect/Effect"
import type { Form } from "../../form/Form.ts"
import type { Operation } from "../../Operation.ts"
import { S3Error } from "../../S3Error.ts"
import * as S3Response from "../../S3Response.ts"
import * as CanonicalRequest from "../../signature/CanonicalRequest.ts"
import * as Unsupported from "../../Unsupported.ts"
import * as XmlReader from "@holdfast/outbound/XmlReader"
import * as BucketOf from "../BucketOf.ts"
import * as EntityTag from "../EntityTag.ts"
import * as ObjectChecksum from "../ObjectChecksum.ts"
import * as ObjectLocation from "../ObjectLocation.ts"
import * as ObjectMetadata from "./ObjectMetadata.ts"
import * as StoreObject from "./StoreObject.ts"
import * as TagSet from "./TagSet.ts"

const noForm = S3Error.of(
  "MalformedPOSTRequest",
  "A POST to a bucket must be a form (multipart/form-data) with a policy."
)

/** Returns the tags of the field `tagging`: a document. */
const tagsOf = (fields: Form["fields"]) => {
  const document = fields.get("tagging")
  return document === undefined ? Effect.succeed({}) : TagSet.read(XmlReader.read(document, TagSet.limits))
}

/** Returns the fields of a form as the headers that PutObject has: bytes of UTF-8 as Latin-1. */
const headersOf = ({ contentType, fields }: Form): Readonly<Record<string, string | undefined>> => ({
  "content-type": contentType,
  ...Object.fromEntries([...fields].map(([name, value]) => [name, Buffer.from(value).toString("latin1")]))
})

/** Returns the address to which the client is sent, with the object in its query; undefined when the form has none. */
const redirectOf = (fields: Form["fields"], object: Readonly<Record<string, string>>): string | undefined => {
  const address = fields.get("success_action_redirect") ?? fields.get("redirect") ?? ""
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  if (url.protocol !== "https:" && url.protocol !== "http:") return undefined
  for (const [name, value] of Object.entries(object)) url.searchParams.append(name, value)
  return url.href
}

export const postObject: Operation = {
  name: "PostObject",
  method: "POST",
  target: "bucket",
  make: Effect.gen(function* () {
    const findBucket = yield* BucketOf.make
    const store = yield* StoreObject.make
    const locate = yield* ObjectLocation.make
    return Effect.fnUntraced(function* (call) {
      const { form } = call
      if (form === undefined) return yield* noForm
      const { fields, key } = form
      const headers = headersOf(form)
      const refusal = Unsupported.findHeader(headers)
      if (refusal !== undefined) return yield* refusal
      const bucket = yield* findBucket(call)
      const described = yield* ObjectMetadata.fromRequest(headers)
      const metadata = ObjectMetadata.withTags(described.metadata, yield* tagsOf(fields))
      const description = { ...described, metadata }
      const payload = yield* call.openPayload
      const file = yield* store(
        { ...call, headers: {} },
        {
          bucket,
          key,
          content: payload.content,
          description,
          options: {
            entityTag: () => EntityTag.ofMd5(payload.md5()),
            checksum: () => ObjectChecksum.write(ObjectChecksum.ofBytes(payload.checksum())),
            length: payload.length
          }
        }
      )
      const etag = EntityTag.of(file.etag ?? "")
      const redirect = redirectOf(fields, { bucket: call.bucket, key, etag })
      if (redirect !== undefined) return S3Response.empty({ status: 303, headers: { etag, location: redirect } })
      const path = key.split("/").map(CanonicalRequest.encode).join("/")
      const location = locate(call, `${call.path.replace(/\/$/, "")}/${path}`)
      const options = { headers: { etag, location } }
      switch (fields.get("success_action_status")) {
        case "200":
          return S3Response.empty(options)
        case "201":
          return S3Response.xml(
            "PostResponse",
            [
              ["Location", location],
              ["Bucket", call.bucket],
              ["Key", key],
              ["ETag", etag]
            ],
            { ...options, status: 201 }
          )
        default:
          return S3Response.empty({ ...options, status: 204 })
      }
    })
  })
}
