/**
 * `holdfast s3 credentials`: manages the S3 credentials of API tokens in the database, without a service.
 */
import * as Access from "@holdfast/core/access/Access"
import * as Actor from "@holdfast/core/Actor"
import * as S3Credentials from "@holdfast/core/tokens/S3Credentials"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CoreLayer from "../../server/compose/CoreLayer.ts"
import * as MetadataLayer from "../../server/compose/MetadataLayer.ts"
import * as SecretKey from "../../server/compose/SecretKey.ts"
import type { Config } from "../../server/config/Config.ts"
import * as Output from "../terminal/Output.ts"

/** A token of a tenant. */
export interface Token {
  readonly tenantId: string
  readonly tokenId: string
}

const services = (config: Config) =>
  S3Credentials.layer.pipe(
    Layer.provide([Access.layer, CoreLayer.layerCrypto, SecretKey.layerSecretBox(config)]),
    Layer.provide(CoreLayer.layerCrypto),
    Layer.provide(MetadataLayer.layer(config))
  )

/** Prints the credentials as environment variables, which the shell, the AWS CLI and the SDKs read. */
export const create = (config: Config, { tenantId, tokenId }: Token) =>
  Effect.gen(function* () {
    const credentials = yield* S3Credentials.S3Credentials
    const { accessKeyId, secretAccessKey } = yield* credentials.create(Actor.system, tenantId, tokenId)
    yield* Output.writeError(`Created the S3 credentials of ${tokenId}. The secret key is shown only once:`)
    yield* Output.writeLine(`AWS_ACCESS_KEY_ID=${accessKeyId}`)
    yield* Output.writeLine(`AWS_SECRET_ACCESS_KEY=${secretAccessKey}`)
  }).pipe(Effect.provide(services(config)))

export const revoke = (config: Config, { tenantId, tokenId }: Token) =>
  Effect.gen(function* () {
    const credentials = yield* S3Credentials.S3Credentials
    yield* credentials.revoke(Actor.system, tenantId, tokenId)
    yield* Output.writeError(`Revoked the S3 credentials of ${tokenId}.`)
  }).pipe(Effect.provide(services(config)))
