/**
 * The signature of a form, over its policy: of version 4, or of version 2, which many libraries still write into forms.
 *
 * Source: "Authenticating requests in browser-based uploads using POST" of the Amazon S3 API reference.
 */
import * as Result from "effect/Result"
import { createHmac, timingSafeEqual } from "node:crypto"
import { S3Error } from "../S3Error.ts"
import * as SignatureFields from "../signature/SignatureFields.ts"
import * as SigningKeys from "../signature/SigningKeys.ts"

/** What a form states about its signature. */
export interface FormSignature {
  readonly accessKey: string
  /** Whether a secret key has signed the policy. */
  readonly isBy: (secret: string, deriveKey: SigningKeys.DeriveKey) => boolean
}

const isSame = (computed: string, stated: string): boolean => {
  const [one, other] = [Buffer.from(computed), Buffer.from(stated)]
  return one.length === other.length && timingSafeEqual(one, other)
}

const missing = (field: string) => S3Error.of("InvalidArgument", `The form must have the field ${field}.`)

/** Returns what a form states about its signature. Fails for a form without one. */
export const find = (fields: ReadonlyMap<string, string>): Result.Result<FormSignature, S3Error> => {
  const policy = fields.get("policy")
  const oldKey = fields.get("awsaccesskeyid")
  const credential = fields.get("x-amz-credential")
  if (credential === undefined && oldKey === undefined) {
    return Result.fail(
      policy === undefined
        ? S3Error.of("AccessDenied", "The form is not signed. Sign its policy with S3 credentials of an API token.")
        : missing("x-amz-credential")
    )
  }
  const signature = fields.get(credential === undefined ? "signature" : "x-amz-signature")
  if (policy === undefined) return Result.fail(missing("policy"))
  if (signature === undefined) return Result.fail(missing(credential === undefined ? "signature" : "x-amz-signature"))
  if (credential === undefined) {
    const isBy = (secret: string) => isSame(createHmac("sha1", secret).update(policy).digest("base64"), signature)
    return Result.succeed({ accessKey: oldKey ?? "", isBy })
  }
  if (fields.get("x-amz-algorithm") !== SignatureFields.algorithm) {
    return Result.fail(S3Error.of("InvalidArgument", `The field x-amz-algorithm must be ${SignatureFields.algorithm}.`))
  }
  const found = SignatureFields.parseCredential(credential, fields.get("x-amz-date") ?? "", "InvalidArgument")
  return Result.map(found, (scope) => ({
    accessKey: scope.accessKey,
    isBy: (secret, deriveKey) => isSame(SigningKeys.sign(deriveKey(secret, scope), policy), signature)
  }))
}
