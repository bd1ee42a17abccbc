/**
 * The table of all settings. `Config.load`, the command-line options, `--help`, the reference and the error messages
 * are generated from it.
 *
 * The name of a property is the name of the setting in the configuration file and in `Config`.
 */
import * as BlobStores from "./blobs/BlobStores.ts"
import * as SecretTypes from "./SecretTypes.ts"
import { presets } from "@holdfast/core/transcoding/Ladder"
import { mostCounted, mostHeaders, mostWebhooks } from "@holdfast/core/quotas/Quota"
import { optional, type Setting, type ValuesOf, withDefault } from "./Setting.ts"
import * as SettingType from "./SettingType.ts"
import * as WebTypes from "./WebTypes.ts"

const { duration } = SettingType

export const settings = {
  host: withDefault(
    ["HOLDFAST_HOST"],
    SettingType.host,
    "127.0.0.1",
    "Address to listen on; 0.0.0.0 or :: listens on all network interfaces."
  ),
  port: withDefault(
    ["HOLDFAST_PORT"],
    SettingType.integer(0, 65_535, "a port number"),
    "8080",
    "Port to listen on; 0 selects a free port."
  ),
  operatorPort: optional(
    ["HOLDFAST_OPERATOR_PORT"],
    SettingType.integer(0, 65_535, "a port number"),
    "Port of a second listener, for /metrics, /health/live, /health/ready, /docs and /openapi.json; 0 selects a free port. The first listener then answers these paths with 404. If unset, one listener has all paths."
  ),
  operatorHost: withDefault(
    ["HOLDFAST_OPERATOR_HOST"],
    SettingType.host,
    "127.0.0.1",
    "Address of the second listener, if the operator port is set."
  ),
  workers: withDefault(
    ["HOLDFAST_WORKERS"],
    SettingType.processes,
    "1",
    "Number of processes that answer requests; auto starts one for each processor. With 1, one process does everything. With more, a further process supervises them. Each one takes about as much memory as a service of one process."
  ),
  publicUrl: optional(
    ["HOLDFAST_PUBLIC_URL"],
    WebTypes.baseUrl,
    "URL under which clients reach the service, for example through a proxy. The addresses of links begin with it, and the message of the first start shows it."
  ),

  s3Path: withDefault(
    ["HOLDFAST_S3_PATH"],
    SettingType.orNone(WebTypes.pathPrefix),
    "/s3",
    "Path below which the service answers the S3 API, with the names of buckets as the next part of the path. `none` turns it off."
  ),
  s3Host: optional(
    ["HOLDFAST_S3_HOST"],
    WebTypes.hostName,
    "Host name at which the service answers the S3 API for all paths, such as s3.example.com. Buckets are its subdomains, or the first part of the path."
  ),
  s3ApiRegion: withDefault(
    ["HOLDFAST_S3_API_REGION"],
    WebTypes.regionName,
    "us-east-1",
    "Region that the S3 API reports for every bucket. It accepts signatures for every region."
  ),

  dataDir: withDefault(
    ["HOLDFAST_DATA_DIR"],
    SettingType.path,
    "./data",
    "Data directory. It holds file contents, the SQLite database and the secret key, unless other settings place them elsewhere, and the working files of conversions."
  ),
  diskReserve: optional(
    ["HOLDFAST_DISK_RESERVE"],
    SettingType.bytes,
    "Free space of the data directory's disk that contents, conversions and new records may not use, so that deleting and revoking always work. If unset, 2 % of the disk, at most 512 MiB."
  ),
  databaseUrl: optional(
    ["DATABASE_URL"],
    SecretTypes.databaseUrl,
    "PostgreSQL database for the metadata. If unset, the metadata are in a SQLite database in the data directory."
  ),
  databasePool: withDefault(
    ["HOLDFAST_DATABASE_POOL"],
    SettingType.integer(1, 1000),
    "10",
    "Maximum number of connections in the PostgreSQL pool."
  ),
  databasePrepare: withDefault(
    ["HOLDFAST_DATABASE_PREPARE"],
    SettingType.onOff,
    "on",
    "Whether connections to PostgreSQL keep prepared statements. Switch it off behind a pooler in transaction mode, such as PgBouncer; then set `statement_timeout`, `lock_timeout` and `idle_in_transaction_session_timeout` for the role, because such a connection keeps no timeouts either."
  ),
  databaseTimeout: withDefault(
    ["HOLDFAST_DATABASE_TIMEOUT"],
    duration("100ms", "1h"),
    "10s",
    "How long a statement of the database may take; half of it is the longest wait for a connection, and for a lock. After that a request is answered with 503. A connection to PostgreSQL that is silent for so long is closed. Migrations are exempt."
  ),
  startTimeout: withDefault(
    ["HOLDFAST_START_TIMEOUT"],
    duration("0", "1h"),
    "60s",
    "How long a start waits for PostgreSQL: while it refuses connections, starts, has no free connection or is read-only, or its name is not resolved. A wrong password or a missing database ends the start at once."
  ),
  maxClockSkew: withDefault(
    ["HOLDFAST_MAX_CLOCK_SKEW"],
    duration("100ms", "24d"),
    "2s",
    "How far the clock of this machine may be from that of PostgreSQL. Beyond it, the service does not start, and is not ready."
  ),
  ...BlobStores.settings,
  blobGrace: withDefault(
    ["HOLDFAST_BLOB_GRACE"],
    duration("1s", "24d"),
    "5m",
    "How long replaced and deleted contents are kept for downloads that began before."
  ),
  uploadExpiry: withDefault(
    ["HOLDFAST_UPLOAD_EXPIRY"],
    duration("1m", "24d"),
    "1d",
    "How long a resumable upload stays open after it last received bytes. Then the service removes what it has."
  ),
  eventRetention: withDefault(
    ["HOLDFAST_EVENT_RETENTION"],
    duration("1h", "3650d"),
    "90d",
    "How long events are kept: the records of who changed what."
  ),

  sweepInterval: withDefault(
    ["HOLDFAST_SWEEP_INTERVAL"],
    duration("1s", "24d"),
    "1m",
    "Time between two sweeps. A sweep removes contents that no file needs any more."
  ),
  scrubPeriod: withDefault(
    ["HOLDFAST_SCRUB_PERIOD"],
    duration("0", "3650d"),
    "30d",
    "Time between the beginnings of two scrubs. A scrub reads all contents and compares them with their checksums, in a tenth of the time at most. With 0, the service scrubs nothing."
  ),
  scrubRate: withDefault(
    ["HOLDFAST_SCRUB_RATE"],
    SettingType.bytes,
    "16MiB",
    "Bytes per second that a scrub reads at most."
  ),

  rootKey: optional(
    ["HOLDFAST_ROOT_KEY"],
    SecretTypes.accountKey,
    "Account key that is valid from the first start on. If unset, the first start creates a key and prints it once."
  ),
  rootEmail: withDefault(
    ["HOLDFAST_ROOT_EMAIL"],
    SettingType.email,
    "root@localhost",
    "E-mail address of the account of the root key, whether the key is configured or created at the first start."
  ),
  secretKey: optional(
    ["HOLDFAST_SECRET_KEY"],
    SecretTypes.secretKey,
    "Key that encrypts stored secrets, such as the credentials of mirrors. The secret that signs playback keys is derived from it. If unset, a key is created and kept in the data directory."
  ),
  formerSecretKeys: withDefault(
    ["HOLDFAST_FORMER_SECRET_KEYS"],
    SecretTypes.secretKeys,
    "",
    "Earlier secret keys. They decrypt the stored secrets that they encrypted."
  ),
  tokensMayCreateTenants: withDefault(
    ["HOLDFAST_TOKENS_MAY_CREATE_TENANTS"],
    SettingType.onOff,
    "off",
    "Whether API tokens may create tenants. Account keys always may."
  ),
  allowEternalTokens: withDefault(
    ["HOLDFAST_ALLOW_ETERNAL_TOKENS"],
    SettingType.onOff,
    "off",
    "Whether an Admin may create API tokens that never expire."
  ),
  tokenLifetime: withDefault(
    ["HOLDFAST_TOKEN_LIFETIME"],
    duration("1s", "36500d"),
    "366d",
    "How far in the future a new API token may expire, and when it expires if its creator names no time. A token also expires no later than the token that created it. No limit for named times where tokens that never expire are allowed. Account keys of the operator do not expire."
  ),
  accessCache: withDefault(
    ["HOLDFAST_ACCESS_CACHE"],
    SettingType.durationOrMilliseconds("0", "1s"),
    "1s",
    "How long the permissions of a key are cached. A revocation takes effect within this time."
  ),

  maxUploadBytes: withDefault(
    ["HOLDFAST_MAX_UPLOAD_BYTES"],
    SettingType.bytes,
    "5TiB",
    "Maximum size of the content of one file."
  ),
  corsOrigins: withDefault(
    ["HOLDFAST_CORS_ORIGINS"],
    WebTypes.origins,
    "",
    "Web origins whose pages may call the API (CORS)."
  ),
  frameAncestors: withDefault(
    ["HOLDFAST_FRAME_ANCESTORS"],
    WebTypes.frameAncestors,
    "*",
    "Web pages that may embed the players."
  ),
  idleTimeout: withDefault(
    ["HOLDFAST_IDLE_TIMEOUT"],
    duration("1s", "24d"),
    "60s",
    "How long a connection may transfer nothing before the service closes it, also during an upload."
  ),
  minRate: withDefault(
    ["HOLDFAST_MIN_RATE"],
    SettingType.bytes,
    "1KiB",
    "Bytes per second that a client must send of its request, and read of its response, on average over a window. A slower request is answered with 408, or its connection is closed."
  ),
  minRateWindow: withDefault(
    ["HOLDFAST_MIN_RATE_WINDOW"],
    duration("1s", "24d"),
    "60s",
    "The window over which the minimum rate is averaged: time in which the service waits for the client."
  ),
  maxConnections: withDefault(
    ["HOLDFAST_MAX_CONNECTIONS"],
    SettingType.integer(1, 1_000_000),
    "10000",
    "Maximum number of open connections. Further ones are answered with 503 and closed."
  ),
  maxConnectionsPerAddress: withDefault(
    ["HOLDFAST_MAX_CONNECTIONS_PER_ADDRESS"],
    SettingType.integer(0, 1_000_000),
    "512",
    "Maximum number of open connections of one public IPv4 address or IPv6 network of 64 bits; 0 for no limit. Private and loopback addresses and trusted proxies have no limit, because a proxy carries the connections of many clients."
  ),
  maxWaitingBytes: withDefault(
    ["HOLDFAST_MAX_WAITING_BYTES"],
    SettingType.bytes,
    "128MiB",
    "Maximum bytes that wait for clients in the memory of a process: responses that they read slowly, and bodies of JSON and XML that they send slowly. Beyond it, the connections of the slowest clients are closed."
  ),
  quotaBytes: withDefault(
    ["HOLDFAST_QUOTA_BYTES"],
    SettingType.orNone(SettingType.bytes),
    "none",
    "Maximum bytes of one tenant: contents, streams and running uploads. The operator can set other limits for single tenants: `holdfast quota set`."
  ),
  quotaFiles: withDefault(
    ["HOLDFAST_QUOTA_FILES"],
    SettingType.orNone(SettingType.integer(0, 999_999_999_999_999)),
    "none",
    "Maximum number of files of one tenant."
  ),
  quotaBuckets: withDefault(
    ["HOLDFAST_QUOTA_BUCKETS"],
    SettingType.orNone(SettingType.integer(0, mostCounted)),
    "10000",
    "Maximum number of buckets of one tenant."
  ),
  quotaMembers: withDefault(
    ["HOLDFAST_QUOTA_MEMBERS"],
    SettingType.orNone(SettingType.integer(0, mostCounted)),
    "10000",
    "Maximum number of members of one tenant, invited ones included."
  ),
  quotaTokens: withDefault(
    ["HOLDFAST_QUOTA_TOKENS"],
    SettingType.orNone(SettingType.integer(0, mostCounted)),
    "10000",
    "Maximum number of tokens of one tenant that are neither revoked nor expired."
  ),
  quotaTokensPerMember: withDefault(
    ["HOLDFAST_QUOTA_TOKENS_PER_MEMBER"],
    SettingType.orNone(SettingType.integer(0, mostCounted)),
    "1000",
    "Maximum number of such tokens of one member."
  ),
  quotaMirrors: withDefault(
    ["HOLDFAST_QUOTA_MIRRORS"],
    SettingType.orNone(SettingType.integer(0, mostCounted)),
    "1000",
    "Maximum number of mirrors of one tenant."
  ),
  quotaWebhooks: withDefault(
    ["HOLDFAST_QUOTA_WEBHOOKS"],
    SettingType.orNone(SettingType.integer(0, mostWebhooks)),
    "20",
    "Maximum number of webhooks of one tenant."
  ),
  quotaShares: withDefault(
    ["HOLDFAST_QUOTA_SHARES"],
    SettingType.orNone(SettingType.integer(0, mostCounted)),
    "10000",
    "Maximum number of shares of one tenant that have not expired."
  ),
  quotaHeadersPerFile: withDefault(
    ["HOLDFAST_QUOTA_HEADERS_PER_FILE"],
    SettingType.integer(0, mostHeaders),
    String(mostHeaders),
    "Maximum number of headers of one file."
  ),
  quotaConversions: withDefault(
    ["HOLDFAST_QUOTA_CONVERSIONS"],
    SettingType.integer(1, 1000),
    "100",
    "Maximum number of conversions of one tenant that wait or run."
  ),
  rateFailedAuthentication: withDefault(
    ["HOLDFAST_RATE_FAILED_AUTHENTICATION"],
    SettingType.rate,
    "60/1m",
    "How many requests with a key that is not valid one client address, or IPv6 network of 64 bits, may make to this node. Further requests from there are answered with 429 before the key is looked up, except those with keys that the node has accepted before."
  ),
  publicBuckets: withDefault(
    ["HOLDFAST_PUBLIC_BUCKETS"],
    SettingType.onOff,
    "off",
    "Whether buckets may be public, so that anyone can view, download and play their files without a key. When off, all buckets are private, whatever their records say."
  ),
  rateAnonymous: withDefault(
    ["HOLDFAST_RATE_ANONYMOUS"],
    SettingType.rate,
    "3000/1m",
    "How many requests without a key one client address, or IPv6 network of 64 bits, may make to this node for the contents of public buckets. Further ones are answered with 429."
  ),
  rateKey: withDefault(
    ["HOLDFAST_RATE_KEY"],
    SettingType.rate,
    "off",
    "How many requests one key may make to this node. Further ones are answered with 429."
  ),
  rateTenant: withDefault(
    ["HOLDFAST_RATE_TENANT"],
    SettingType.rate,
    "off",
    "How many requests all keys of one tenant together may make to this node. Further ones are answered with 429."
  ),
  trustedProxies: withDefault(
    ["HOLDFAST_TRUSTED_PROXIES"],
    WebTypes.networks,
    "",
    "Addresses of the proxies in front of the service. They report the addresses of their clients with the header Forwarded or X-Forwarded-For, which is ignored from all others. The address of a client is the last one that is not a trusted proxy's."
  ),
  drainDelay: {
    ...withDefault(
      ["HOLDFAST_DRAIN_DELAY"],
      duration("0", "1h"),
      "5s",
      "How long the service continues to accept requests after SIGTERM or SIGINT, while readiness fails and each answer closes its connection. Balancers and clients go to other nodes meanwhile."
    ),
    terminalDefaultText: "0"
  },
  shutdownTimeout: withDefault(
    ["HOLDFAST_SHUTDOWN_TIMEOUT"],
    duration("0", "24d"),
    "30s",
    "How long requests may continue when the service stops, after the drain delay. After that their connections are closed."
  ),

  ffmpeg: optional(
    ["HOLDFAST_FFMPEG"],
    SettingType.path,
    "Path of the ffmpeg program that converts videos. If unset, the program is looked up in PATH."
  ),
  ffmpegSandbox: withDefault(
    ["HOLDFAST_FFMPEG_SANDBOX"],
    SettingType.oneOf("auto", "required", "off"),
    "auto",
    "Whether ffmpeg runs in namespaces of its own, which bubblewrap (bwrap) makes: where the system permits it (auto), always or not at all (required), or never (off)."
  ),
  ffmpegUser: withDefault(
    ["HOLDFAST_FFMPEG_USER"],
    SettingType.user,
    "65534:65534",
    "User as which ffmpeg runs if the service runs as root. With 0:0 it runs as root."
  ),
  conversions: withDefault(
    ["HOLDFAST_CONVERSIONS"],
    SettingType.integer(0, 64),
    "1",
    "Number of conversions that this node runs at once. With 0, only other nodes with the same database convert."
  ),
  conversionSlice: withDefault(
    ["HOLDFAST_CONVERSION_SLICE"],
    duration("1s", "24d"),
    "20s",
    "How long a conversion runs before it is suspended for a conversion of another tenant that waits."
  ),
  conversionThreads: withDefault(
    ["HOLDFAST_CONVERSION_THREADS"],
    SettingType.integer(1, 128),
    "4",
    "Number of threads that each decoder and encoder of a conversion may use."
  ),
  conversionNiceness: withDefault(
    ["HOLDFAST_CONVERSION_NICENESS"],
    SettingType.integer(0, 19),
    "10",
    "Niceness of conversions. A higher one leaves more processor time to requests. With 10, a conversion has a tenth of a busy processor."
  ),
  conversionMemory: withDefault(
    ["HOLDFAST_CONVERSION_MEMORY"],
    SettingType.bytes,
    "4GiB",
    "Maximum address space of the process that runs one conversion."
  ),
  conversionTimeout: withDefault(
    ["HOLDFAST_CONVERSION_TIMEOUT"],
    duration("1s", "24d"),
    "2h",
    "Maximum time that one conversion may run. It may use twice as much processor time."
  ),
  conversionOutputBytes: withDefault(
    ["HOLDFAST_CONVERSION_OUTPUT_BYTES"],
    SettingType.bytes,
    "16GiB",
    "Maximum size of the whole output of one conversion."
  ),
  videoDuration: withDefault(
    ["HOLDFAST_VIDEO_DURATION"],
    duration("1s", "24d"),
    "8h",
    "Maximum playing time of a video that is converted."
  ),
  videoPixels: withDefault(
    ["HOLDFAST_VIDEO_PIXELS"],
    SettingType.integer(1, 2 ** 31 - 1),
    "16777216",
    "Maximum number of pixels of one picture of a video that is converted. 8K needs 35389440."
  ),
  videoLines: withDefault(
    ["HOLDFAST_VIDEO_LINES"],
    SettingType.oneOfNumbers(1080, 1440, 2160),
    "1080",
    "Lines of the best size in which videos are encoded. A video that is copied keeps its size. 2160 (4K) takes some four times the processor time and storage of 1080."
  ),
  videoLadders: withDefault(
    ["HOLDFAST_VIDEO_LADDERS"],
    SettingType.onOff,
    "on",
    "Whether a video that is copied or packaged gets lower renditions for slow lines. They take processor time and storage."
  ),
  videoHevc: withDefault(
    ["HOLDFAST_VIDEO_HEVC"],
    SettingType.onOff,
    "off",
    "Whether H.265 (HEVC) in MP4 and QuickTime files is also played as it is, HDR included, by the players that support it. It is cut from the file when it is read, and takes no further storage beside a small index."
  ),
  videoAv1: withDefault(
    ["HOLDFAST_VIDEO_AV1"],
    SettingType.onOff,
    "off",
    "Whether a video that is encoded also gets AV1, for the players that support it. It is encoded after the stream is READY, and takes some twice the processor time of the other sizes, and three quarters of their storage."
  ),
  videoPreset: withDefault(
    ["HOLDFAST_VIDEO_PRESET"],
    SettingType.oneOf(...presets),
    "veryfast",
    "Preset of the encoder of video (libx264). A slower one makes better pictures of the same size: medium takes some three times the processor time of veryfast."
  ),
  videoPerTitle: withDefault(
    ["HOLDFAST_VIDEO_PER_TITLE"],
    SettingType.onOff,
    "off",
    "Whether samples of a video that lasts some minutes are encoded first, to choose the greatest bitrates of its sizes: up to 1.6 times the usual ones if its pictures need them, and down to half. Playback of a running conversion begins some seconds later."
  ),
  playbackLifetime: withDefault(
    ["HOLDFAST_PLAYBACK_LIFETIME"],
    duration("1m", "24d"),
    "12h",
    "How long a player works until it must be loaded again: the lifetime of the playback key in its URLs."
  ),

  mirrors: withDefault(
    ["HOLDFAST_MIRRORS"],
    SettingType.integer(0, 1000),
    "16",
    "Number of files that this node copies to mirrors at once. With 0, only other nodes with the same database copy."
  ),
  mirrorsAllowPrivate: withDefault(
    ["HOLDFAST_MIRRORS_ALLOW_PRIVATE"],
    SettingType.onOff,
    "off",
    "Whether mirrors may connect to addresses outside the public Internet, such as those of the operator's own network."
  ),

  webhooks: withDefault(
    ["HOLDFAST_WEBHOOKS"],
    SettingType.integer(0, 1000),
    "64",
    "Number of webhook requests that this node sends at once, one to each webhook. With 0, only other nodes with the same database send."
  ),
  webhooksAllowPrivate: withDefault(
    ["HOLDFAST_WEBHOOKS_ALLOW_PRIVATE"],
    SettingType.onOff,
    "off",
    "Whether webhooks may have http URLs, and send to addresses outside the public Internet, such as those of the operator's own network."
  ),

  logLevel: withDefault(
    ["HOLDFAST_LOG_LEVEL"],
    SettingType.logLevel,
    "info",
    "Lowest level of the messages that are logged."
  ),
  logFormat: {
    ...withDefault(["HOLDFAST_LOG_FORMAT"], SettingType.oneOf("json", "pretty"), "json", "Format of log lines."),
    terminalDefaultText: "pretty"
  },
  accessLog: withDefault(["HOLDFAST_ACCESS_LOG"], SettingType.onOff, "on", "Whether each request is logged."),
  otlpEndpoint: optional(
    ["HOLDFAST_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"],
    WebTypes.baseUrl,
    "URL of a collector to which traces and metrics are sent (OTLP over HTTP). If unset, nothing is sent."
  ),
  otlpHeaders: optional(
    ["HOLDFAST_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"],
    SecretTypes.headers,
    "Headers of the requests to the collector, such as its key. Values are percent-encoded."
  )
} as const satisfies Readonly<Record<string, Setting<unknown>>>

export type SettingName = keyof typeof settings

/** The value of every setting, by name. */
export type SettingValues = ValuesOf<typeof settings>

/** The names of all settings, in the order of the table. */
export const settingNames = Object.keys(settings) as ReadonlyArray<SettingName>

/**
 * The setting for the path of the configuration file. It is not in the table: a configuration file cannot name another
 * one.
 */
export const configFile = {
  variables: ["HOLDFAST_CONFIG"],
  type: SettingType.path,
  description: "JSON file with settings, by their names in the reference."
} as const satisfies Setting<string>

/**
 * Returns the name of a setting's command-line option without the dashes, such as `data-dir`, or undefined for a
 * secret: other users of the machine see the arguments of a process.
 */
export const optionName = (name: string, { type }: Setting<unknown>): string | undefined =>
  type.isSecret === true ? undefined : name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
