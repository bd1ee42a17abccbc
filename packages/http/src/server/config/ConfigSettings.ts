/**
 * The settings of the service, each declared once: the decoder, the command line, the help, the reference and the errors
 * are all made from this table.
 *
 * The name of a property is the setting's name in the configuration file and in the decoded configuration.
 */
import * as ConfigBlobs from "./ConfigBlobs.ts"
import * as ConfigKind from "./ConfigKind.ts"
import * as ConfigSecret from "./ConfigSecret.ts"
import { given, optional, type Setting, type ValuesOf } from "./ConfigSetting.ts"
import * as ConfigWeb from "./ConfigWeb.ts"

export type { Setting } from "./ConfigSetting.ts"

const { duration } = ConfigKind

export const settings = {
  host: given(["HOLDFAST_HOST"], ConfigKind.host, "127.0.0.1", "Address to listen on; 0.0.0.0 or :: for every one."),
  port: given(
    ["HOLDFAST_PORT"],
    ConfigKind.integer(0, 65_535, "a port number"),
    "8080",
    "Port to listen on; 0 takes a free one."
  ),
  publicUrl: optional(
    ["HOLDFAST_PUBLIC_URL"],
    ConfigWeb.address,
    "Address under which clients reach the service, where a proxy stands before it."
  ),

  dataDir: given(
    ["HOLDFAST_DATA_DIR"],
    ConfigKind.path,
    "./data",
    "Directory of contents, of the SQLite database and of the secret key, each unless it is kept elsewhere, and of conversions that run."
  ),
  databaseUrl: optional(
    ["DATABASE_URL"],
    ConfigSecret.databaseUrl,
    "PostgreSQL database for the metadata; without one it is SQLite in the data directory."
  ),
  databasePool: given(
    ["HOLDFAST_DATABASE_POOL"],
    ConfigKind.integer(1, 1000),
    "10",
    "Most connections to PostgreSQL at a time."
  ),
  ...ConfigBlobs.settings,
  blobGrace: given(
    ["HOLDFAST_BLOB_GRACE"],
    duration("1s", "24d"),
    "5m",
    "How long replaced and deleted contents stay for readers that began before."
  ),
  sweepInterval: given(
    ["HOLDFAST_SWEEP_INTERVAL"],
    duration("1s", "24d"),
    "1m",
    "Time between two removals of contents that are no longer needed."
  ),

  rootKey: optional(
    ["HOLDFAST_ROOT_KEY"],
    ConfigSecret.accountKey,
    "Account key that exists from the first start on; without one the first start makes one and shows it."
  ),
  rootEmail: given(
    ["HOLDFAST_ROOT_EMAIL"],
    ConfigKind.email,
    "root@localhost",
    "E-mail address of the account of that key."
  ),
  secretKey: optional(
    ["HOLDFAST_SECRET_KEY"],
    ConfigSecret.secretKey,
    "Key that seals stored secrets, such as credentials of mirrors, and signs the keys of players; without one it is made and kept in the data directory."
  ),
  formerSecretKeys: given(
    ["HOLDFAST_FORMER_SECRET_KEYS"],
    ConfigSecret.secretKeys,
    "",
    "Keys that were the secret key earlier; what they sealed still opens."
  ),
  tokensMayCreateTenants: given(
    ["HOLDFAST_TOKENS_MAY_CREATE_TENANTS"],
    ConfigKind.onOff,
    "off",
    "Whether an API token may create a tenant, not only an account key."
  ),
  allowEternalTokens: given(
    ["HOLDFAST_ALLOW_ETERNAL_TOKENS"],
    ConfigKind.onOff,
    "off",
    "Whether an Admin may create API tokens that never expire."
  ),
  accessCache: given(
    ["HOLDFAST_ACCESS_CACHE"],
    duration("0", "1s", true),
    "1s",
    "How long a key's rights are remembered; a revocation takes as long to be felt."
  ),

  maxUploadBytes: given(
    ["HOLDFAST_MAX_UPLOAD_BYTES"],
    ConfigKind.bytes,
    "5TiB",
    "Size of the largest file that is accepted."
  ),
  corsOrigins: given(["HOLDFAST_CORS_ORIGINS"], ConfigWeb.origins, "", "Web origins whose pages may call the service."),
  frameAncestors: given(
    ["HOLDFAST_FRAME_ANCESTORS"],
    ConfigWeb.ancestors,
    "*",
    "Web pages that may embed the players."
  ),
  idleTimeout: given(
    ["HOLDFAST_IDLE_TIMEOUT"],
    duration("1s", "24d"),
    "60s",
    "How long a connection may stand still, also in the midst of an upload."
  ),
  shutdownTimeout: given(
    ["HOLDFAST_SHUTDOWN_TIMEOUT"],
    duration("0", "24d"),
    "30s",
    "How long running requests may take to end when the service is stopped."
  ),

  ffmpeg: optional(
    ["HOLDFAST_FFMPEG"],
    ConfigKind.path,
    "The ffmpeg program that converts videos; without one it is looked up in PATH."
  ),
  conversions: given(
    ["HOLDFAST_CONVERSIONS"],
    ConfigKind.integer(0, 64),
    "1",
    "How many videos this node converts at once; 0 leaves all to other nodes with the same database."
  ),
  conversionThreads: given(
    ["HOLDFAST_CONVERSION_THREADS"],
    ConfigKind.integer(1, 128),
    "4",
    "Threads that each decoder and encoder of a conversion may use."
  ),
  conversionMemory: given(
    ["HOLDFAST_CONVERSION_MEMORY"],
    ConfigKind.bytes,
    "4GiB",
    "Address space of the program that converts one video."
  ),
  conversionTimeout: given(
    ["HOLDFAST_CONVERSION_TIMEOUT"],
    duration("1s", "24d"),
    "12h",
    "How long a conversion may take until it is given up."
  ),
  conversionOutputBytes: given(
    ["HOLDFAST_CONVERSION_OUTPUT_BYTES"],
    ConfigKind.bytes,
    "128GiB",
    "Size of the largest result of a conversion."
  ),
  videoDuration: given(
    ["HOLDFAST_VIDEO_DURATION"],
    duration("1s", "24d"),
    "8h",
    "How long the longest video plays that is converted."
  ),
  playbackLifetime: given(
    ["HOLDFAST_PLAYBACK_LIFETIME"],
    duration("1m", "24d"),
    "12h",
    "How long a player can go on without being loaded again; the key in its addresses ends then."
  ),

  mirrors: given(
    ["HOLDFAST_MIRRORS"],
    ConfigKind.integer(0, 1000),
    "16",
    "How many files this node copies to mirrors at once; 0 leaves all to other nodes with the same database."
  ),
  mirrorsAllowPrivate: given(
    ["HOLDFAST_MIRRORS_ALLOW_PRIVATE"],
    ConfigKind.onOff,
    "off",
    "Whether mirrors may lead to addresses that are not on the public Internet, such as those of the operator's own network."
  ),

  logLevel: given(["HOLDFAST_LOG_LEVEL"], ConfigKind.logLevel, "info", "The least important messages that are logged."),
  logFormat: {
    ...given(["HOLDFAST_LOG_FORMAT"], ConfigKind.oneOf("json", "pretty"), "json", "How log lines look."),
    fallbackAtTerminal: "pretty"
  },
  accessLog: given(["HOLDFAST_ACCESS_LOG"], ConfigKind.onOff, "on", "Whether each request is logged."),
  otlpEndpoint: optional(
    ["HOLDFAST_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"],
    ConfigWeb.address,
    "Collector that traces and metrics are sent to, by OTLP over HTTP; without one none are."
  )
} as const satisfies Readonly<Record<string, Setting<unknown>>>

export type Name = keyof typeof settings

/** The value of every setting. */
export type Values = ValuesOf<typeof settings>

/** The names of all settings, in the order of the table. */
export const names = Object.keys(settings) as ReadonlyArray<Name>

/** The variable and the option that name the configuration file itself, which cannot name another. */
export const file = {
  variables: ["HOLDFAST_CONFIG"],
  kind: ConfigKind.path,
  description: "JSON file with settings, by the names of the reference."
} as const satisfies Setting<string>

/**
 * The name of a setting's option on the command line, without the dashes: `data-dir`. Secrets have none, since other
 * users of the machine see the arguments of a process.
 */
export const optionOf = (name: string, { kind }: Setting<unknown>): string | undefined =>
  kind.isSecret === true ? undefined : name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
