/**
 * Checks a form against the policy that was signed.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import * as Address from "../Address.ts"
import * as Checksums from "../payload/Checksums.ts"
import type { Payload, PayloadError } from "../payload/Payload.ts"
import { S3Error } from "../S3Error.ts"
import type { Form } from "./Form.ts"
import type { OpenForm } from "./OpenForm.ts"
import * as PostPolicy from "./PostPolicy.ts"

export interface PermittedForm {
  readonly form: Form
  readonly payload: Payload
}

const noKey = S3Error.of("InvalidArgument", "The form must have the field key.")
const tooSmall = S3Error.of("EntityTooSmall", "The file is smaller than the policy permits.")
const tooLarge = S3Error.of("EntityTooLarge", "The file is larger than the policy permits.")

/** Returns the key with the name of the file in the places that are meant for it. Its length is checked before it is made. */
const keyOf = (template: string, filename: string): Result.Result<string, S3Error> => {
  const pieces = template.split("${filename}")
  const ownBytes = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0)
  const bytes = ownBytes + (pieces.length - 1) * Buffer.byteLength(filename)
  if (bytes > Address.maxKeyBytes) return Result.fail(S3Error.of("KeyTooLongError"))
  const key = pieces.join(filename)
  const fault = key === "" ? noKey : Address.findKeyFault(key)
  return fault === undefined ? Result.succeed(key) : Result.fail(fault)
}

/** Returns the content of a form's file, which fails unless it has the permitted size and the declared checksums. */
const payloadOf = (
  content: OpenForm["content"],
  { checksum: declared, md5: declaredMd5 }: Checksums.Declared,
  { max, min }: PostPolicy.PostPolicy["size"]
): Payload => {
  const md5 = createHash("md5")
  const checksum = declared === undefined ? undefined : Checksums.make(declared.algorithm)
  let received = 0
  let md5OfContent = ""

  const take = (chunk: Uint8Array): Effect.Effect<void, S3Error> => {
    received += chunk.length
    if (received > max) return Effect.fail(tooLarge)
    md5.update(chunk)
    checksum?.update(chunk)
    return Effect.void
  }
  const end: Effect.Effect<void, PayloadError> = Effect.suspend(() => {
    if (received < min) return Effect.fail(tooSmall)
    md5OfContent = md5.digest("hex")
    const isDeclared =
      (declaredMd5 ?? md5OfContent) === md5OfContent && checksum?.digest().toString("base64") === declared?.value
    return isDeclared ? Effect.void : Effect.fail(S3Error.of("BadDigest"))
  })
  return {
    content: Stream.concat(Stream.tap(content, take), Stream.unwrap(Effect.as(end, Stream.empty))),
    length: undefined,
    md5: () => md5OfContent,
    checksum: () => declared
  }
}

/**
 * Returns the form as it is meant, with its content. Fails unless its policy permits it.
 *
 * @param now Epoch milliseconds.
 */
export const check = (
  { content, fields, file }: OpenForm,
  bucket: string,
  now: number
): Result.Result<PermittedForm, S3Error> =>
  Result.gen(function* () {
    const policy = yield* PostPolicy.parse(fields.get("policy") ?? "")
    const key = yield* keyOf(fields.get("key") ?? "", file.filename ?? "")
    const denied = PostPolicy.findFault(policy, new Map([...fields, ["bucket", bucket], ["key", key]]), now)
    if (denied !== undefined) return yield* Result.fail(denied)
    const declared = yield* Checksums.fromHeaders(Object.fromEntries(fields))
    return {
      form: { key, fields, contentType: file.contentType },
      payload: payloadOf(content, declared, policy.size)
    }
  })
