/**
 * Holdfast's services over the ports of a configuration, with what is counted in between.
 */
import { AccessRepository } from "@holdfast/core/access/AccessRepository"
import { AccountRepository } from "@holdfast/core/accounts/AccountRepository"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import * as Holdfast from "@holdfast/core/Holdfast"
import { MemberRepository } from "@holdfast/core/members/MemberRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
import { TokenRepository } from "@holdfast/core/tokens/TokenRepository"
import type { Digest } from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Layer from "effect/Layer"
import * as PortMetrics from "./metrics/PortMetrics.ts"
import * as StorageMetrics from "./metrics/StorageMetrics.ts"
import * as NodeDigest from "./NodeDigest.ts"

/** Randomness and hashes of Node. */
export const crypto: Layer.Layer<Digest | SecureRandom.SecureRandom> = Layer.merge(
  NodeDigest.layer,
  SecureRandom.layerWebCrypto
)

/** Every service, uncounted: for a command that runs once. */
export const plain: Layer.Layer<
  Holdfast.Services | Digest | SecureRandom.SecureRandom,
  never,
  Holdfast.Metadata | BlobStore
> = Holdfast.layer.pipe(Layer.provideMerge(crypto))

/** The same ports, with their failures and what becomes of uploads counted. */
const counted = Layer.mergeAll(
  PortMetrics.layer(AccessRepository),
  PortMetrics.layer(AccountRepository),
  PortMetrics.layer(TenantRepository),
  PortMetrics.layer(MemberRepository),
  PortMetrics.layer(TokenRepository),
  PortMetrics.layer(BucketRepository),
  PortMetrics.layer(BlobRepository),
  StorageMetrics.layerFiles.pipe(Layer.provide(PortMetrics.layer(FileRepository))),
  StorageMetrics.layerBlobStore.pipe(Layer.provide(PortMetrics.layer(BlobStore)))
)

/** Every service and port, counted: for the service. */
export const layer: Layer.Layer<
  Holdfast.Services | Holdfast.Metadata | BlobStore | Digest | SecureRandom.SecureRandom,
  never,
  Holdfast.Metadata | BlobStore
> = StorageMetrics.layerSweeper.pipe(Layer.provideMerge(plain), Layer.provideMerge(counted))
