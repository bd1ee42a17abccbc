/**
 * The layers of the packages, as ARCHITECTURE.md describes them.
 */
import type { Layering } from "./Layers.ts"

const core: Layering = {
  folder: "packages/core/src",
  layers: [
    ["inputs"],
    // Ids, texts, errors, pages, roles and settings: what every resource needs.
    ["."],
    ["secrets", "workers"],
    ["access", "rates"],
    ["events"],
    ["quotas"],
    ["accounts"],
    ["members", "tokens"],
    ["tenants"],
    ["buckets"],
    ["usage"],
    ["storage"],
    ["deployment"],
    ["integrity"],
    ["files"],
    ["uploads"],
    ["headers", "folders"],
    ["transcoding"],
    ["packaging"],
    ["conversions"],
    ["posters"],
    ["conversions/worker"],
    ["captions"],
    ["playback"],
    ["mirrors/targets"],
    ["mirrors"],
    ["mirrors/worker"],
    ["webhooks"],
    // All services as one layer.
    ["Holdfast.ts"],
    ["metrics"],
    ["promises"],
    ["index.ts"]
  ]
}

const http: Layering = {
  folder: "packages/http/src",
  layers: [
    ["incoming"],
    ["problems"],
    ["contract/openapi"],
    // The contract imports no code of the server, because clients import the contract.
    ["contract"],
    ["client", "transfer"],
    ["auth", "players"],
    ["handlers"],
    ["s3"],
    ["operator"],
    // Mounting brings the API into another server, so it imports no code of this one.
    ["mount"],
    ["server/config"],
    ["server/workers"],
    ["server/metrics"],
    ["server/listener"],
    ["server/routes"],
    ["server/compose"],
    ["server/startup"],
    ["backup"],
    ["cli/terminal"],
    ["cli/remote", "cli/operator"],
    ["cli"],
    ["."]
  ]
}

export const layerings: ReadonlyArray<Layering> = [core, http]
