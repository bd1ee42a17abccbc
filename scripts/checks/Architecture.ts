/**
 * The layers of the packages, as ARCHITECTURE.md describes them.
 */
import type { Layering } from "./Layers.ts"

const core: Layering = {
  folder: "packages/core/src",
  layers: [
    // What every resource needs: ids, errors, texts, pages, permissions, settings.
    ["."],
    ["secrets"],
    ["access"],
    ["accounts"],
    ["members", "tokens"],
    ["tenants"],
    ["buckets"],
    ["storage"],
    ["files"],
    ["headers"],
    ["transcoding"],
    ["playback/Viewer.ts"],
    ["conversions"],
    ["playback"],
    ["mirrors/targets"],
    ["mirrors/worker"],
    ["mirrors"],
    // All services as one layer.
    ["Holdfast.ts"],
    ["promises"],
    ["index.ts"]
  ]
}

const http: Layering = {
  folder: "packages/http/src",
  layers: [
    ["problems"],
    ["contract/openapi"],
    // A client imports the contract, so it leads to no code of the server.
    ["contract"],
    ["client", "transfer"],
    ["auth", "players"],
    ["handlers"],
    // Another server mounts the API without ours.
    ["mount"],
    ["server/config"],
    ["server/metrics"],
    ["server/listener"],
    ["server/routes"],
    ["server/compose"],
    ["server/startup"],
    ["cli/terminal"],
    ["cli/remote", "cli/operator"],
    ["cli"],
    ["."]
  ]
}

export const layerings: ReadonlyArray<Layering> = [core, http]
