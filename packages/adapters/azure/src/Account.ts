/**
 * From an account as it is configured to what the SDK's client needs.
 */
import type * as Sdk from "@azure/storage-blob"
import * as Endpoint from "@holdfast/outbound/Endpoint"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as AzureFailure from "./AzureFailure.ts"
import type * as AzureOptions from "./AzureOptions.ts"

export interface Access {
  /** The container's, with the shared access signature if there is one. */
  readonly url: string
  readonly credential: Sdk.ContainerClient["credential"]
}

/** Becomes part of a host name. */
const accountNames = /^[a-z0-9]{3,24}$/

/** Of containers, those of the system included: `$web`. */
const containerNames = /^(?:[a-z0-9](?:-?[a-z0-9]){2,62}|\$(?:root|web|logs))$/

const wrong = (message: string): Effect.Effect<never, AzureFailure.AzureFailure> =>
  Effect.fail(AzureFailure.unexpected(message))

const named = (sdk: typeof Sdk, account: Exclude<AzureOptions.Account, { readonly connectionString: unknown }>) =>
  Effect.gen(function* () {
    const { accountName, endpoint } = account
    if (!accountNames.test(accountName)) return yield* AzureFailure.of("NoAccount", "No account can have this name.")
    const parsed = Endpoint.parse(endpoint ?? `https://${accountName}.blob.core.windows.net`)
    if (Result.isFailure(parsed)) return yield* wrong(`The endpoint is wrong. ${parsed.failure}`)
    const service = parsed.success.href.replace(/\/+$/, "")
    if ("accountKey" in account) {
      const key = Redacted.value(account.accountKey)
      return { service, query: "", credential: new sdk.StorageSharedKeyCredential(accountName, key) }
    }
    return "token" in account
      ? { service, query: "", credential: account.token }
      : { service, query: Redacted.value(account.sas).replace(/^\??/, "?"), credential: new sdk.AnonymousCredential() }
  })

/** An account that is named in a text, with its keys. What the SDK says of a wrong one may repeat it. */
const connected = (sdk: typeof Sdk, connectionString: Redacted.Redacted) =>
  Effect.try({
    try: () => sdk.BlobServiceClient.fromConnectionString(Redacted.value(connectionString)),
    catch: () => AzureFailure.unexpected("The connection string is wrong.")
  }).pipe(
    Effect.map(({ credential, url }) => {
      const { origin, pathname, search } = new URL(url)
      return { service: origin + pathname.replace(/\/+$/, ""), query: search, credential }
    })
  )

export const access = (
  sdk: typeof Sdk,
  account: AzureOptions.Account,
  container: string
): Effect.Effect<Access, AzureFailure.AzureFailure> =>
  Effect.gen(function* () {
    if (!containerNames.test(container)) {
      return yield* AzureFailure.of("NoContainer", "No container can have this name.")
    }
    const { credential, query, service } = yield* "connectionString" in account
      ? connected(sdk, account.connectionString)
      : named(sdk, account)
    return { url: `${service}/${container}${query}`, credential }
  })
