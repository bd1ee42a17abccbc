/**
 * The services of core over instrumented ports.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as Holdfast from "@holdfast/core/Holdfast"
import * as InstrumentedPorts from "@holdfast/core/metrics/InstrumentedPorts"
import * as StorageMetrics from "@holdfast/core/metrics/StorageMetrics"
import type { MirrorTargets } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { SecretBox } from "@holdfast/core/secrets/SecretBox"
import * as PooledRandom from "@holdfast/core/secrets/PooledRandom"
import type { Digest } from "effect/crypto/Digest"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Layer from "effect/Layer"
import * as NodeDigest from "./NodeDigest.ts"

/** Random numbers and hashes from Node. */
export const layerCrypto: Layer.Layer<Digest | SecureRandom> = Layer.merge(NodeDigest.layer, PooledRandom.layer)

const services: Layer.Layer<
  Holdfast.Services | Digest | SecureRandom,
  never,
  Exclude<Holdfast.Ports, Digest | SecureRandom>
> = Holdfast.layer.pipe(Layer.provide(NodeCrypto.layerMac), Layer.provideMerge(layerCrypto))

/** All services and the instrumented ports. */
export const layer: Layer.Layer<
  Holdfast.Services | Exclude<Holdfast.Ports, MirrorTargets | SecretBox>,
  never,
  Exclude<Holdfast.Ports, Digest | SecureRandom>
> = StorageMetrics.layerSweeper.pipe(Layer.provideMerge(services), Layer.provideMerge(InstrumentedPorts.layer))
