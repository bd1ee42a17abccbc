/**
 * Turns a configured account into the arguments of the SDK's client.
 */
import type * as Sdk from "@azure/storage-blob"
import * as Defined from "@holdfast/core/inputs/Defined"
import * as Endpoint from "@holdfast/outbound/Endpoint"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as AzureFailure from "../AzureFailure.ts"
import type * as AzureOptions from "../../AzureOptions.ts"

/** The arguments of the SDK's client for one container. */
export interface ContainerAccess {
  /** The container's URL, including the shared access signature if there is one. */
  readonly url: string
  readonly credential: Sdk.ContainerClient["credential"]
}

/** An account's name becomes part of a host name. */
export const isAccountName = (value: unknown): boolean => typeof value === "string" && /^[a-z0-9]{3,24}$/.test(value)

/** Names of containers, including the system's own such as `$web`. */
export const isContainerName = (value: unknown): boolean =>
  typeof value === "string" && /^(?:[a-z0-9](?:-?[a-z0-9]){2,62}|\$(?:root|web|logs))$/.test(value)

const resolveNamed = Effect.fnUntraced(function* (
  sdk: typeof Sdk,
  account: Exclude<AzureOptions.Account, { readonly connectionString: unknown }>
) {
  const { accountName, endpoint } = account
  if (!isAccountName(accountName)) {
    return yield* AzureFailure.make(
      "NoAccount",
      "The account name is not valid: 3 to 24 lower-case letters and digits."
    )
  }
  const parsed = Endpoint.parse(endpoint ?? `https://${accountName}.blob.core.windows.net`)
  if (Result.isFailure(parsed)) {
    return yield* AzureFailure.make("Internal", `The endpoint is not valid. ${parsed.failure}`)
  }
  const service = parsed.success.href.replace(/\/+$/, "")
  if ("accountKey" in account) {
    const key = Redacted.value(account.accountKey)
    return { service, query: "", credential: new sdk.StorageSharedKeyCredential(accountName, key) }
  }
  return "token" in account
    ? { service, query: "", credential: account.token }
    : { service, query: Redacted.value(account.sas).replace(/^\??/, "?"), credential: new sdk.AnonymousCredential() }
})

/** Parses a connection string. The SDK's error for an invalid one may repeat its secrets, and is dropped. */
const resolveConnectionString = (sdk: typeof Sdk, connectionString: Redacted.Redacted) =>
  Effect.try({
    try: () => sdk.BlobServiceClient.fromConnectionString(Redacted.value(connectionString)),
    catch: () => AzureFailure.make("Internal", "The connection string is not valid.")
  }).pipe(
    Effect.map(({ credential, url }) => {
      const { origin, pathname, search } = new URL(url)
      return { service: origin + pathname.replace(/\/+$/, ""), query: search, credential }
    })
  )

/** Returns the access to a container of an account. */
export const resolve = Effect.fnUntraced(function* (
  sdk: typeof Sdk,
  options: AzureOptions.Account,
  container: string
): Effect.fn.Return<ContainerAccess, AzureFailure.AzureFailure> {
  if (!isContainerName(container)) {
    return yield* AzureFailure.make("NoBucket", "The container name is not valid.")
  }
  const account = Defined.of(options)
  const { credential, query, service } = yield* "connectionString" in account
    ? resolveConnectionString(sdk, account.connectionString)
    : resolveNamed(sdk, account)
  return { url: `${service}/${container}${query}`, credential }
})
