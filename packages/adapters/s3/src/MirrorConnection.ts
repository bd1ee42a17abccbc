/**
 * The client of a mirror's target, whose address and keys are a user's.
 */
import { MirrorTargetError } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import type { S3Location } from "@holdfast/core/mirrors/targets/types/S3TargetType"
import { utf8Length } from "@holdfast/core/Text"
import * as Endpoint from "@holdfast/outbound/Endpoint"
import * as GuardedAgents from "@holdfast/outbound/GuardedAgents"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Readable } from "node:stream"
import * as Client from "./Client.ts"
import * as MirrorErrors from "./MirrorErrors.ts"
import type * as MirrorOptions from "./MirrorOptions.ts"

/** S3's limit. */
const maxKeyBytes = 1024

export interface Connection extends Client.Client<MirrorTargetError> {
  readonly bucket: string
  /** Where the object of a name stands; `Invalid` for a name that S3 does not take. */
  readonly target: (operation: string, name: string) => Effect.Effect<Client.Target, MirrorTargetError>
}

/** Far more than a page of a listing has. */
const maxAnswerBytes = 16 * 1024 * 1024

/** The body of an answer as a whole. */
const collect = (body: Readable): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const chunks: Array<Uint8Array> = []
    let size = 0
    body.on("data", (chunk: Uint8Array) => {
      chunks.push(chunk)
      size += chunk.byteLength
      if (size > maxAnswerBytes) body.destroy(new Error("an answer is too long"))
    })
    body.on("end", () => resolve(Buffer.concat(chunks)))
    body.on("error", reject)
    body.on("close", () => body.readableEnded || reject(new Error("an answer was cut short")))
  })

const configuration = (options: MirrorOptions.Options, location: S3Location): Client.Configuration => {
  const agents = GuardedAgents.make(options, { maxSockets: options.maxConnections ?? 50 })
  return {
    region: location.region,
    forcePathStyle: location.forcePathStyle ?? false,
    ...(location.endpoint === undefined ? {} : { endpoint: location.endpoint }),
    credentials: {
      accessKeyId: location.accessKeyId,
      secretAccessKey: Redacted.value(location.secretAccessKey)
    },
    // What the environment says is for the deployment's own bucket, not for a user's.
    ignoreConfiguredEndpointUrls: true,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    useArnRegion: false,
    // Every request that brings bytes has a checksum already; many compatible services refuse the SDK's own checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    // All answers are short, those of a service that means harm as well.
    streamCollector: collect,
    maxAttempts: options.maxAttempts ?? 3,
    requestHandler: {
      connectionTimeout: Duration.toMillis(options.connectTimeout ?? "5 seconds"),
      socketTimeout: Duration.toMillis(options.idleTimeout ?? "1 minute"),
      httpAgent: agents.http,
      httpsAgent: agents.https
    }
  }
}

const checkEndpoint = ({ endpoint }: S3Location): Effect.Effect<void, MirrorTargetError> => {
  const parsed = endpoint === undefined ? undefined : Endpoint.parse(endpoint)
  return parsed !== undefined && Result.isFailure(parsed)
    ? Effect.fail(
        new MirrorTargetError({
          reason: "Refused",
          operation: "open",
          detail: `The endpoint cannot be connected to. ${parsed.failure}`
        })
      )
    : Effect.void
}

/** A client, closed with the scope. No request is made yet. */
export const make = (
  options: MirrorOptions.Options,
  location: S3Location
): Effect.Effect<Connection, MirrorTargetError, Scope.Scope> => {
  const secrets = [Redacted.value(location.secretAccessKey), location.accessKeyId].filter((secret) => secret !== "")
  const opening = Effect.andThen(
    checkEndpoint(location),
    Client.make(configuration(options, location), MirrorErrors.make(secrets))
  )
  return Effect.map(opening, (client) => {
    const bucket = location.bucketName
    return {
      ...client,
      bucket,
      target: (operation, name) =>
        name === "" || !name.isWellFormed() || utf8Length(name) > maxKeyBytes
          ? Effect.fail(MirrorErrors.invalid(operation, `Path and name together have more than ${maxKeyBytes} bytes.`))
          : Effect.succeed({ Bucket: bucket, Key: name })
    }
  })
}
