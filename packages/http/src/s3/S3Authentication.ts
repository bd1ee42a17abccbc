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
import * as AddressGroup from "../incoming/AddressGroup.ts"
import * as OpenPayload from "./payload/OpenPayload.ts"
import type { Authenticate } from "./S3App.ts"
import { S3Error } from "./S3Error.ts"
import * as SignatureFields from "./signature/SignatureFields.ts"
import * as SigningKeys from "./signature/SigningKeys.ts"
import * as VerifySignature from "./signature/VerifySignature.ts"

/** The errors of a client that does not have the secret key. */
const failures: ReadonlySet<string> = new Set(["InvalidAccessKeyId", "SignatureDoesNotMatch"])

/** Makes the function that authenticates a request. */
export const make: Effect.Effect<Authenticate, never, Access | Rates | S3Credentials> = Effect.gen(function* () {
  const access = yield* Access
  const rates = yield* Rates
  const credentials = yield* S3Credentials
  const deriveKey = SigningKeys.make()
  const payloads = yield* OpenPayload.make

  /** Refuses an address that has presented many signatures that are not valid. */
  const checkAddress = Effect.flatMap(CurrentRequest, ({ clientAddress }) => {
    const error =
      clientAddress === undefined || !rates.hasFailures()
        ? undefined
        : rates.findRefusal(AddressGroup.of(clientAddress))
    return error === undefined ? Effect.void : Effect.fail(error)
  })

  const countFailure = ({ code }: S3Error) =>
    Effect.map(CurrentRequest, ({ clientAddress }) => {
      if (clientAddress !== undefined && failures.has(code)) rates.countFailure(AddressGroup.of(clientAddress))
    })

  const authenticate: Authenticate = Effect.fnUntraced(function* (request, address) {
    const { headers, method, url } = request
    const fields = yield* Effect.fromResult(SignatureFields.find(address, headers))
    const { accessKey, payloadHash } = fields
    yield* checkAddress
    const signer = yield* credentials.findSigner(accessKey)
    if (Option.isNone(signer)) return yield* S3Error.of("InvalidAccessKeyId")
    const { actor, secret, tenantId } = signer.value
    const now = yield* Clock.currentTimeMillis
    const seed = yield* Effect.fromResult(
      VerifySignature.verify({ method, url, headers }, fields, { secret: Redacted.value(secret), now, deriveKey })
    )
    const identity = yield* access.identify(actor, tenantId)
    if (rates.limitsRequests && identity !== "system") {
      yield* rates.admit({
        credentialId: identity.credential?.id ?? identity.account.id,
        tenantId: identity.member === null ? undefined : tenantId
      })
    }
    const signed = { payloadHash, seed }
    return {
      actor,
      tenantId,
      accessKey,
      openPayload: payloads.open(request, signed),
      readXml: payloads.readXml(request, signed)
    }
  })

  return (request, address) =>
    Effect.tapError(authenticate(request, address), (error) =>
      error instanceof S3Error ? countFailure(error) : Effect.void
    )
})
