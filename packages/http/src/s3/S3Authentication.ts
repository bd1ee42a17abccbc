/**
 * Authenticates requests to the S3 API by their signatures.
 */
import { Access } from "@holdfast/core/access/Access"
import { CurrentRequest } from "@holdfast/core/access/CurrentRequest"
import { Rates } from "@holdfast/core/rates/Rates"
import { S3Credentials } from "@holdfast/core/tokens/S3Credentials"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as AddressGroup from "../incoming/AddressGroup.ts"
import * as RequestBody from "../transfer/upload/RequestBody.ts"
import type { Address } from "./Address.ts"
import * as ErrorTable from "./ErrorTable.ts"
import * as FormSignature from "./form/FormSignature.ts"
import * as OpenForm from "./form/OpenForm.ts"
import * as PermittedForm from "./form/PermittedForm.ts"
import * as OpenPayload from "./payload/OpenPayload.ts"
import type { CallError } from "./Call.ts"
import type { Authenticate } from "./S3App.ts"
import { S3Error } from "./S3Error.ts"
import * as QueryHeaders from "./signature/QueryHeaders.ts"
import * as SignatureFields from "./signature/SignatureFields.ts"
import * as SigningKeys from "./signature/SigningKeys.ts"
import * as VerifySignature from "./signature/VerifySignature.ts"

/** The errors of a client that does not have the secret key. */
const failures: ReadonlySet<string> = new Set(["InvalidAccessKeyId", "SignatureDoesNotMatch"])

/** Whether a client has failed to authenticate. */
const isFailure = (error: CallError): boolean => failures.has(ErrorTable.translate(error)?.code ?? "")

const otherSignature = S3Error.of("SignatureDoesNotMatch")
const noDocument = S3Error.of("MalformedXML")

/** The most access keys that are remembered as known. */
const capacity = 10_000

/** Makes the function that authenticates a request. */
export const make: Effect.Effect<Authenticate, never, Access | Rates | S3Credentials> = Effect.gen(function* () {
  const access = yield* Access
  const rates = yield* Rates
  const credentials = yield* S3Credentials
  const deriveKey = SigningKeys.make()
  const payloads = yield* OpenPayload.make
  const openForm = yield* OpenForm.make
  /** The access keys that have signed rightly: other clients at the address of one that guesses go on working. */
  const known = new Set<string>()

  /** Returns the error for an address that has presented many signatures that are not valid; undefined for any other. */
  const findRefusal = Effect.map(CurrentRequest, ({ clientAddress }) =>
    clientAddress === undefined || !rates.hasFailures() ? undefined : rates.findRefusal(AddressGroup.of(clientAddress))
  )

  const countFailure = Effect.map(CurrentRequest, ({ clientAddress }) => {
    if (clientAddress !== undefined) rates.countFailure(AddressGroup.of(clientAddress))
  })

  /** Authenticates the holder of a secret key that passes a check. Failures count for the address of the client. */
  const identify = Effect.fnUntraced(function* <A>(
    accessKey: string,
    check: (secret: string, now: number) => Result.Result<A, S3Error>
  ) {
    const refusal = yield* findRefusal
    if (refusal !== undefined && !known.has(accessKey)) return yield* refusal
    return yield* Effect.gen(function* () {
      const signer = yield* credentials.findSigner(accessKey)
      if (Option.isNone(signer)) return yield* S3Error.of("InvalidAccessKeyId")
      const { actor, secret, tenantId } = signer.value
      const checked = yield* Effect.fromResult(check(Redacted.value(secret), yield* Clock.currentTimeMillis))
      const identity = yield* access.identify(actor, tenantId)
      if (known.size >= capacity) known.clear()
      known.add(accessKey)
      if (rates.limitsRequests && identity !== "system") {
        yield* rates.admit({
          credentialId: identity.credential?.id ?? identity.account.id,
          tenantId: identity.member === null ? undefined : tenantId
        })
      }
      return { actor, tenantId, checked }
    }).pipe(
      Effect.catchIf(isFailure, (error) =>
        refusal === undefined ? Effect.andThen(countFailure, Effect.fail(error)) : Effect.fail(refusal)
      )
    )
  })

  const authenticate: Authenticate = Effect.fnUntraced(function* (request, address) {
    const { headers, method, url } = request
    const fields = yield* Effect.fromResult(SignatureFields.find(address, headers))
    const { accessKey, expires, payloadHash } = fields
    const allHeaders =
      expires === undefined ? headers : { ...(yield* Effect.fromResult(QueryHeaders.of(address))), ...headers }
    const { actor, checked, tenantId } = yield* identify(accessKey, (secret, now) =>
      VerifySignature.verify({ method, url, headers, allHeaders }, fields, { secret, now, deriveKey })
    )
    const signed = { payloadHash, seed: checked, tenantId }
    return {
      actor,
      tenantId,
      accessKey,
      headers: allHeaders,
      openPayload: payloads.open(request, signed),
      readXml: (limits) =>
        payloads.readXml(request, { ...signed, hasObjectChecksum: address.query.has("uploadId") }, limits)
    }
  })

  /** A form has the signature of its policy in its fields. It is for the upload of one object only. */
  const authenticateForm: Authenticate = Effect.fnUntraced(function* (request, { bucket }) {
    const opened = yield* openForm(request)
    const { accessKey, isBy } = yield* Effect.fromResult(FormSignature.find(opened.fields))
    const { actor, tenantId } = yield* identify(accessKey, (secret) =>
      isBy(secret, deriveKey) ? Result.void : Result.fail(otherSignature)
    )
    const now = yield* Clock.currentTimeMillis
    const { form, payload } = yield* Effect.fromResult(PermittedForm.check(opened, bucket, now))
    const openPayload = Effect.succeed(payload)
    const { headers } = request
    return { actor, tenantId, accessKey, headers, form, openPayload, readXml: () => Effect.fail(noDocument) }
  })

  const isForm = (
    request: HttpServerRequest,
    { bucket, key, query }: Pick<Address, "bucket" | "key" | "query">
  ): boolean =>
    request.method === "POST" &&
    bucket !== "" &&
    key === "" &&
    query.size === 0 &&
    request.headers["authorization"] === undefined &&
    RequestBody.isForm(request)

  return (request, address) => (isForm(request, address) ? authenticateForm : authenticate)(request, address)
})
